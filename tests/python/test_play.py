"""``dupack play``: what its server gives, what it refuses, how it ends, and the page in a browser."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import DUPACK, Dupack, browser
from dupack import playing
from dupack.errors import RequestError
from dupack.playing import Begun, Server

ROOT = Path(__file__).resolve().parents[2]
STARTER = ROOT / "python" / "dupack" / "starters" / "dumbbell.toml"
BUILT = (playing.PAGE / "index.html").exists()
needs_page = pytest.mark.skipif(not BUILT, reason="the playground is not built: make web")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<html><head></head></html>")
    (page / "assets" / "a.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    plan = tmp_path / "mine.toml"
    plan.write_text('title = "first"')
    with Server(0, Begun(plan, ["seed=2"], 7), page) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: Server, path: str, method: str = "GET", host: str | None = None, **headers: str
) -> tuple[int, bytes, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", f"127.0.0.1:{server.server_port}" if host is None else host)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, answer.headers


def test_the_page_and_the_plan_are_served(server: Server, tmp_path: Path) -> None:
    status, body, headers = ask(server, "/")
    assert status == 200
    assert b"dupack-served" in body
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    policy = headers["Content-Security-Policy"]
    assert "unsafe-inline" not in policy
    assert "'unsafe-eval'" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert ask(server, "/assets/a.js")[1] == b"1"
    told = json.loads(ask(server, "/plan.json")[1])
    assert told == {"plan": 'title = "first"', "origin": "mine.toml", "sets": ["seed=2"], "seed": 7}
    # Reloading the page shows the plan as it is by then.
    (tmp_path / "mine.toml").write_text('title = "second"')
    assert json.loads(ask(server, "/plan.json")[1])["plan"] == 'title = "second"'
    (tmp_path / "mine.toml").unlink()
    assert ask(server, "/plan.json")[0] == 404


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt", "//etc/passwd", "/x"]
)
def test_only_the_pages_files_are_served(server: Server, path: str) -> None:
    status, body, _ = ask(server, path)
    assert status == 404
    assert b"secret" not in body


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"])
def test_other_methods_are_refused(server: Server, method: str) -> None:
    assert ask(server, "/", method)[0] == 501


def test_other_names_and_other_sites_are_refused(server: Server) -> None:
    port = server.server_port
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        f"127.0.0.1:{port + 1}",
        "",
        f"127.0.0.1.evil:{port}",
    ):
        assert ask(server, "/plan.json", host=host)[0] == 403, host
    for host in (f"localhost:{port}", f"[::1]:{port}"):
        assert ask(server, "/plan.json", host=host)[0] == 200, host
    assert ask(server, "/plan.json", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors")[0] == 403
    assert ask(server, "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0] == 200


def test_browsers_leave_out_the_port_of_http(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(server, "/", host="127.0.0.1")[0] == 403
    monkeypatch.setattr(server, "server_port", 80)
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=60)
    connection.request("GET", "/", headers={"Host": "localhost"})
    assert connection.getresponse().status == 200
    connection.close()


def test_a_port_that_is_taken_is_an_error(server: Server, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=f"--port: {server.server_port} cannot be used"):
        Server(server.server_port, Begun(None), tmp_path)


@needs_page
def test_errors_are_told_before_anything_is_served(dupack: Dupack, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text("duration = 3")
    wrong = dupack("play", "wrong.toml", "--no-browser")
    assert wrong.returncode != 0
    assert "duration" in wrong.stderr
    lonely = dupack("play", "--seed", "3", "--no-browser")
    assert "--set and --seed need a PLAN" in lonely.stderr


@needs_page
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal(number: signal.Signals) -> None:
    with subprocess.Popen(
        [DUPACK, "play", str(STARTER), "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout
        port = int(run.stdout.readline().split(":")[2].split("/")[0])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/plan.json")
        assert json.loads(connection.getresponse().read())["origin"] == "dumbbell.toml"
        # A browser keeps connections open; that must not keep the server alive.
        run.send_signal(number)
        _, errors = run.communicate(timeout=60)
        assert run.returncode == 128 + number
        assert "Traceback" not in errors


@needs_page
def test_a_page_never_gets_code_of_another_build() -> None:
    # What a browser has kept of an older build has another name: only these three are asked for anew each time.
    names = [path.name for path in playing.PAGE.rglob("*") if path.is_file()]
    plain = {name for name in names if not re.fullmatch(r"[a-z]+-[\w-]{8}\.(js|css|wasm)", name)}
    assert plain == {"index.html", "icon.svg", "service-worker.js"}
    assert any(name.endswith(".wasm") for name in names)


@needs_page
def test_it_stays_small() -> None:
    import gzip

    files = [path for path in playing.PAGE.rglob("*") if path.is_file()]
    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)
    assert size < 1_500_000


@needs_page
def test_the_page_in_a_browser() -> None:
    browser()
    if shutil.which("node") is None or not (ROOT / "web" / "node_modules").exists():
        pytest.skip("no node, or its packages are missing: make web")
    done = subprocess.run(
        ["node", "--test", "tests/browser/playground.test.mjs"],
        cwd=ROOT / "web",
        env={**os.environ, "DUPACK_SHORT": "1"},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]
