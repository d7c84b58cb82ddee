"""Optional libraries for reports of papers, which the other modules of this package import."""

from __future__ import annotations

from importlib.util import find_spec

from dupack.errors import MissingError


def check_installed() -> None:
    """Checks that the libraries for figures are installed."""
    missing = [name for name in ("matplotlib", "msgspec", "plotly", "jinja2") if find_spec(name) is None]
    if missing:
        raise MissingError(f"figures need {', '.join(missing)}; install dupack[figures]; nothing was run")
