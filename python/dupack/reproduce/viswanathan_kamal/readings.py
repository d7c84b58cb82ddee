"""What Viswanathan & Kamal leave open, and how it is read."""

from __future__ import annotations

from dupack.reproduce.paper import Reading

READINGS: list[Reading] = []
