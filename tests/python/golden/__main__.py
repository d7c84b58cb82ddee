"""Writes new digests."""

import json

from . import DIGESTS, PLANS, digest

DIGESTS.write_text(json.dumps({name: digest(name) for name in sorted(PLANS)}, indent=1) + "\n")
