"""A notebook, executed as Jupyter does: networks, runs and sweeps are displayed, and errors are readable."""

from __future__ import annotations

import ast
import asyncio
import re
from typing import Any

import nbclient
import nbformat
import pytest

CELLS = {
    "network": """
import dupack as dk
net = dk.dumbbell(senders=2, access="10 Mb/s", bottleneck="8 Mb/s", delay="1 ms",
                  queue=dk.queue.drop_tail(buffer="20 packets"))
net
""",
    "run": 'run = net.run(duration="2 s")\nrun',
    "flows": "run.flows",
    "figure": "run.plot.cwnd()",
    "sweep": 'dk.sweep(net, {"link.bottleneck.queue.buffer": ["5 packets", "20 packets"]}, seeds=2, duration="1 s")',
    "compare": """
dk.compare(net, {"link.bottleneck.queue.buffer": ["5 packets", "20 packets"]}, seeds=2, duration="1 s")
""",
    "bar": """
import os
del os.environ["DUPACK_QUIET"]
from dupack import progress
progress.FIRST_S = progress.FRAME_S = 0.05
import threading
import IPython.display
display, seen = IPython.display.display, threading.Event()
def watched(*arguments, **options):
    seen.set()
    return display(*arguments, **options)
IPython.display.display = watched
with progress.Progress("sweeping <b>", 4) as shown:
    shown.step()
    seen.wait(60)
    shown.step()
    state = shown._state()
state
""",
    "wrong": "net.run(duration=5)",
}


@pytest.fixture(scope="module")
def outputs() -> dict[str, Any]:
    """The output of each cell."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text.strip()) for text in CELLS.values()])
    client = nbclient.NotebookClient(
        book, kernel_name="python3", allow_errors=True, timeout=300, startup_timeout=300, iopub_timeout=300
    )
    asyncio.run(client.async_execute())
    return {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}


def html_of(outputs: Any) -> str:
    [shown] = [one for one in outputs if one.output_type == "execute_result"]
    return str(shown.data["text/html"])


def cells(html: str) -> list[str]:
    return [re.sub("<[^>]*>", "", cell).strip() for cell in re.findall(r"<td>(.*?)</td>", html)]


def test_a_network_shows_its_links(outputs: dict[str, Any]) -> None:
    html = html_of(outputs["network"])
    assert "2 hosts" in html
    row = cells(html)[5:10]
    assert row == ["bottleneck", "left → right", "8 Mb/s", "1 ms", "drop-tail"]


def test_a_run_shows_its_summary_and_its_flows(outputs: dict[str, Any]) -> None:
    html = html_of(outputs["run"])
    assert "<b>dumbbell, 2 s, seed 1</b>" in html
    assert "goodput" in cells(html)
    assert re.search(r"[67]\.\d+ Mb/s", html)
    assert "<summary>links</summary>" in html
    assert "text/html" in outputs["flows"][0].data


def test_a_sweep_shows_its_points(outputs: dict[str, Any]) -> None:
    html = html_of(outputs["sweep"])
    assert "2 points x 2 seeds" in html
    assert len(re.findall("<tr", html)) >= 3


def test_a_comparison_is_shown_once(outputs: dict[str, Any]) -> None:
    [shown] = outputs["compare"]
    assert "2 runs of each, with the same seeds" in shown.data["text/html"]
    assert "difference from the best" in shown.data["text/plain"]


def test_a_bar_shows_the_progress_and_goes(outputs: dict[str, Any]) -> None:
    bar, state = outputs["bar"]
    assert bar.output_type == "display_data"
    assert bar.data == {"text/plain": ""}, "it is empty at the end"
    told = ast.literal_eval(state.data["text/plain"])
    assert told["text/html"].startswith(
        '<progress value="2" max="4"></progress> sweeping &lt;b&gt;: 2 of 4 runs (50 %)'
    )
    assert told["text/plain"].startswith("sweeping <b>: 2 of 4 runs (50 %), ")


def test_a_figure_is_a_picture_once(outputs: dict[str, Any]) -> None:
    pictures = [one for one in outputs["figure"] if "image/png" in one.get("data", {})]
    assert len(pictures) == 1


def test_a_mistake_ends_in_what_is_allowed(outputs: dict[str, Any]) -> None:
    [error] = outputs["wrong"]
    assert error.output_type == "error"
    assert error.evalue.splitlines()[-1].startswith(
        'duration: 5 is a bare number; write a unit: a time such as "0.3 ms"'
    )
