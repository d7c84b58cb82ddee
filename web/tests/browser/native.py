"""Documents of the native engine, to compare with the page's: prints a JSON object of texts or errors by plan."""

import json
import re
import sys
from pathlib import Path

from dupack import _native
from dupack.errors import RequestError
from dupack.work import read_plan


def native(path: Path, sets: list[str]) -> dict[str, object]:
    try:
        plan = read_plan(path, sets)
        text, *_ = _native.run_one(plan, 0, plan.seeds[0], False)
    except (RequestError, _native.Error) as error:
        return {"errors": [line.split(": ", 1)[-1] for line in str(error).splitlines()]}
    # `run_one` adds every single connection, which `dupack run --json` and the page leave out.
    at = text.rfind(',"connections":{')
    if at > text.rfind('"summary"'):
        text = text[:at] + "}"
    return {"ok": re.sub(r'"cpu_s":[-+.e0-9]+', '"cpu_s":0.0', text)}


def main() -> None:
    asked = json.load(sys.stdin)
    json.dump({one["path"]: native(Path(one["path"]), one["sets"]) for one in asked}, sys.stdout)


main()
