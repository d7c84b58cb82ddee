"""Counts, prints what has changed, and writes the file again."""

import json

from . import KEPT, compiler, count, kept, missing

if reason := missing():
    raise SystemExit(f"nothing is counted: {reason}")
before = kept()[1] if KEPT.exists() else {}
now = count()
for name, instructions in now.items():
    change = f"{instructions / before[name] - 1:+.1%}" if name in before else "new"
    print(f"{instructions:12,}  {change:>7}  {name}")
KEPT.write_text(json.dumps({"compiler": compiler(), "instructions": now}, indent=1) + "\n")
