"""Writes the digests anew."""

import json

from tests.python.golden import DIGESTS, PLANS, digest

DIGESTS.write_text(json.dumps({name: digest(name) for name in sorted(PLANS)}, indent=1) + "\n")
