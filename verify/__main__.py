"""`python -m verify [--quick] [--out FILE] [CHECK ...]`: runs the checks and writes the page."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
import traceback
from pathlib import Path

from verify import checks
from verify.frame import Report, Row, disagreements, page

PAGE = Path("docs/verification.md")


def names() -> list[str]:
    """Every check there is."""
    return sorted(module.name for module in pkgutil.iter_modules(checks.__path__))


def run(name: str, quick: bool) -> list[Report]:
    """What a check found; of one that has crashed, that."""
    try:
        found = importlib.import_module(f"verify.checks.{name}").check(quick)
    except Exception as error:  # Any failure is reported, because the other checks must still get their page.
        traceback.print_exc()
        said = " ".join(f"{type(error).__name__}: {error}".split())
        crash = Row(f"verify/checks/{name}.py", f"crashed: {said}", "a verdict", "", False)
        return [Report(f"{name}, which crashed", "nothing, this time", [crash], order=0)]
    return found if isinstance(found, list) else [found]


def main() -> int:
    """0 if all agree, 1 if not."""
    parser = argparse.ArgumentParser(prog="verify", description="Checks dupack against what nobody here wrote.")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"which, all by default: {', '.join(names())}")
    parser.add_argument("--quick", action="store_true", help="fewer cases; no page is written")
    parser.add_argument("--out", type=Path, help=f"where the page goes; {PAGE} by default")
    options = parser.parse_args()
    unknown = [name for name in options.checks if name not in names()]
    if unknown:
        parser.error(f"no check is called {unknown[0]!r}; there are {', '.join(names())}")
    reports = []
    for name in options.checks or names():
        began = time.monotonic()
        found = run(name, options.quick)
        reports += found
        took = f"{time.monotonic() - began:.0f} s"
        for report in found:
            state = f"not run: {report.skipped}" if report.skipped else f"{len(report.rows)} rows, {took}"
            print(f"{report.title}: {state}", flush=True)
    out = options.out or (None if options.quick else PAGE)
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        others = "later, only other checks were run" if options.checks else ""
        out.write_text(page(reports, out.read_text() if out.exists() else "", others=others))
        for figure in (it for report in reports for it in report.figures):
            path = out.parent / "verification" / figure.name
            path.parent.mkdir(exist_ok=True)
            path.write_text(figure.svg)
        print(f"wrote {out}")
    wrong = disagreements(reports)
    for line in wrong:
        print(f"does not agree: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
