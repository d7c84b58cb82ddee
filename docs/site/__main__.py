"""`make docs`: the site in ``out/site``.

Papers of which there is neither a whole report in ``out/KEY`` nor a first look in ``out/quick/KEY`` are reproduced
first, with ``--quick``; ``--full`` reproduces in full those of which there is no whole report.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from docs.site import papers, played
from docs.site.pages import ROOT, stage
from dupack.reproduce.papers import all_papers

OUT = ROOT / "out"


def reports(*, full: bool) -> dict[str, Path]:
    """Where the papers' reports are; those that are not there are made."""
    places = {}
    for paper in all_papers():
        known = [OUT / paper.key] if full else [OUT / paper.key, OUT / "quick" / paper.key]
        place = next((place for place in known if papers.whole(paper, place)), None)
        if place is None:
            place = known[-1]
            print(f"{paper.key}: no whole {'full ' if full else ''}report in {place}; it is made now", flush=True)
            command = [sys.executable, "-m", "dupack", "reproduce", paper.key, "--out", str(place)]
            subprocess.run(command + ([] if full else ["--quick"]), check=True, stdout=subprocess.DEVNULL)
        places[paper.key] = place
    return places


def main() -> int:
    """Makes the site; what Sphinx warns of is an error."""
    parser = argparse.ArgumentParser(prog="make docs", description=__doc__)
    parser.add_argument("--full", action="store_true", help="full reports of all papers (20 minutes)")
    asked = parser.parse_args()
    source, site = OUT / "site-source", OUT / "site"
    for place in (source, site):
        shutil.rmtree(place, ignore_errors=True)
    places = reports(full=asked.full)
    stage(source, places)
    from sphinx.cmd.build import main as build

    settings = ["-c", str(ROOT / "docs" / "site"), "-b", "html", "-d", str(OUT / "site-cache")]
    status = build([*settings, "--fail-on-warning", "--keep-going", "--quiet", "-j", "auto", str(source), str(site)])
    if status == 0:
        played.copy(site)
        print(f"site: {site / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
