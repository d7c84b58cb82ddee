"""``dupack live`` and ``dupack shell``: kernel traffic over emulated links."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dupack import _native
from dupack._native import PlanError
from dupack.document import Document
from dupack.errors import OutputError, RequestError, WriteError
from dupack.files import check_file, expanded, printing, refuse_inputs, to_json, write_json, write_whole
from dupack.interrupts import Patient, code, word
from dupack.privileges import clean, obtain
from dupack.progress import Progress
from dupack.running import Runs, clear, outputs_of
from dupack.terminal import echo
from dupack.traces import is_capture, is_parquet, is_tape
from dupack.work import Job, Plan, Run, inputs, jobs_of, read_plan

__all__ = ["Program", "Wish", "clean", "live", "program", "run_live", "shell"]

Task = tuple[str, list[str]]
"""A host, and a command with its arguments. An empty host is the plan's first."""


@dataclass(frozen=True, slots=True)
class Program:
    """What runs on the hosts instead of the plan's flows."""

    main: Task
    servers: tuple[Task, ...] = ()
    interactive: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be run, and recorded."""

    plan: Path
    sets: Sequence[str] = ()
    seeds: list[int] | None = None
    tape: Path | None = None
    captures: Sequence[str] = ()
    bound: str = "500 us"
    ipv6: bool = False
    program: Program | None = None


def program(command: Sequence[str], host: str | None, shell: str | None, servers: Sequence[str]) -> Program | None:
    """The program that the command line asks for, if it does."""
    if shell is not None and (command or host is not None):
        raise RequestError("--shell: it needs no command and no --on; give one or the other")
    if not command and shell is None:
        for option, given in (("--on", host), ("--serve", servers)):
            if given:
                raise RequestError(f"{option}: goes with a command after --, or with --shell")
        return None
    others = tuple(_server(text) for text in servers)
    if shell is not None:
        return Program((shell, _shell()), others, interactive=True)
    return Program((host or "", list(command)), others)


def _shell() -> list[str]:
    return [os.environ.get("SHELL") or "/bin/sh"]


def _server(text: str) -> Task:
    host, _, command = text.partition("=")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise RequestError(f"--serve: {command!r}: {error}") from None
    if not host or not words:
        raise RequestError(f'--serve: {text!r} is not a host and a command, such as sink="iperf3 -s"')
    return host.strip(), words


def live(wish: Wish, *, out: Path | None, as_json: bool, force: bool) -> None:
    """Runs a plan live, one run after another, prints the results, and writes the files that are asked for."""
    read = read_plan(wish.plan, wish.sets)
    jobs = jobs_of(read, wish.seeds)
    bound = _native.picoseconds(wish.bound)
    if not bound:
        raise RequestError(f'--bound: {wish.bound!r} is not a time, such as "500 us" or "2 ms"; nothing was run')
    captures = _files(wish, read, len(jobs), force=force)
    if out is not None:
        refuse_inputs(outputs_of(out), inputs(read, wish.plan))
    obtain()
    if out is not None:
        clear(out, several=len(jobs) > 1, force=force)
    runs = Live(read, jobs, wish.seeds, wish.sets, out)
    try:
        with _signals(wish.program):
            runs.live(bound, wish, list(captures), apart=as_json)
    except (KeyboardInterrupt, WriteError) as stop:
        told = runs.so_far(as_json=as_json)
        if isinstance(stop, WriteError):
            raise WriteError(f"{stop}; {told}") from stop
        echo(f"{word(stop)}: {told}", err=True)
        if runs.done() and as_json:
            with printing():
                click.echo(to_json(runs.document()))
        sys.exit(code(stop))
    result = runs.document()
    written = [("results", out / "result.json")] if out is not None else []
    if out is not None:
        write_json(out / "result.json", result, "--out")
    if wish.tape is not None:
        write_whole(wish.tape, runs.tape, "--tape")
        written.append(("tape", wish.tape))
    for host, content in runs.captured:
        write_whole(captures[host], content, "--pcap")
        written.append(("pcap", captures[host]))
    with printing():
        if as_json:
            click.echo(to_json(result))
        else:
            # Slow to import.
            from dupack import printed, tables

            printed.show(result, tables.console())
            for what, path in written:
                echo(f"{what}: {path}")
    sys.exit(runs.exit_code)


@contextmanager
def _signals(what: Program | None) -> Iterator[None]:
    """While a command runs, the first Ctrl-C is for it; while a shell runs, each is, as it has the terminal."""
    if what is None:
        yield
    elif what.interactive:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with _terminal():
                yield
        finally:
            signal.signal(signal.SIGINT, before)
    else:
        with Patient():
            yield


@contextmanager
def _terminal() -> Iterator[None]:
    """The terminal, if there is one, belongs to this process again afterwards."""
    try:
        mine = os.tcgetpgrp(0)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        # The kernel stops those that set it without having it.
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        with suppress(OSError):
            os.tcsetpgrp(0, mine)
        signal.signal(signal.SIGTTOU, before)


def _files(wish: Wish, plan: Plan, runs: int, *, force: bool) -> dict[str, Path]:
    """Checks the files that are asked for, before anything runs; returns the captures, by host."""
    asked = [option for option, it in (("--tape", wish.tape), ("--pcap", wish.captures)) if it]
    if wish.program is not None:
        if wish.tape is not None:
            raise RequestError(
                "--tape: a tape is of the plan's flows, which a command replaces; leave one of the two out"
            )
        asked.append("a command")
    if asked and runs != 1:
        raise RequestError(f"{asked[0]} goes with a single run, but there are {runs}; give one seed and no sweep")
    if wish.tape is not None:
        if is_parquet(wish.tape):
            raise OutputError(f"--tape {wish.tape}: the tape of a live run is CSV; give a file that ends in .csv")
        refuse_inputs([("--tape", wish.tape)], inputs(plan, wish.plan))
        check_file(wish.tape, "--tape", is_tape, force=force)
    captures: dict[str, Path] = {}
    for text in wish.captures:
        host, _, name = text.partition("=")
        if not host or not name:
            raise RequestError(f"--pcap: {text!r} is not HOST=FILE, such as source=source.pcapng")
        path = expanded(name)
        if host in captures or path.resolve() in {it.resolve() for it in captures.values()}:
            raise RequestError(f"--pcap: {text!r}: this host or this file is given more than once")
        captures[host] = path
        refuse_inputs([("--pcap", path)], inputs(plan, wish.plan))
        check_file(path, "--pcap", is_capture, force=force)
    return captures


class Live(Runs):
    """The live runs of a plan. They run one after another, because they share the processors with the traffic."""

    tape: str = ""
    captured: Sequence[tuple[str, bytes]] = ()
    exit_code: int = 0

    def live(self, bound: int, wish: Wish, captures: list[str], *, apart: bool = False) -> None:
        """Runs them, with this bound of lateness [ps]; the output of a command goes to standard error if ``apart``."""
        if wish.program is not None:
            for index, job in self.turns():
                self._one(index, job, bound, wish, captures, apart)
            return
        with Progress("running live", self.total()) as progress:
            for index, job in self.turns():
                self._one(index, job, bound, wish, captures, apart)
                progress.grow(self.total())
                progress.step()

    def _one(self, index: int, job: Job, bound: int, wish: Wish, captures: list[str], apart: bool) -> None:
        hosts = job.plan.hosts(job.point)
        main, servers = None, []
        if wish.program is not None:
            main = _placed(wish.program.main, hosts)
            servers = [_placed(task, hosts) for task in wish.program.servers]
        for host in captures:
            _known(host, hosts, "--pcap")
        document, tape, captured = _native.live(
            job.plan,
            job.point,
            job.seed,
            tape=wish.tape is not None,
            bound=bound,
            ipv6=wish.ipv6,
            command=main,
            servers=servers,
            apart=apart,
            interactive=wish.program is not None and wish.program.interactive,
            captures=captures,
        )
        self.tape, self.captured = tape or "", captured
        made = json.loads(document)
        self.exit_code = made["live"].get("exit_code", 0)
        self.keep(index, Run(job, made))


def _known(host: str, hosts: Sequence[str], option: str) -> None:
    if host not in hosts:
        some = ", ".join(hosts[:8]) + (", ..." if len(hosts) > 8 else "")
        raise RequestError(f"{option}: the plan has no host {host!r}; it has {some}")


def _placed(task: Task, hosts: Sequence[str]) -> Task:
    host, words = task
    if host:
        _known(host, hosts, "--on, --shell or --serve")
    return host or hosts[0], words


def run_live(job: Job, *, bound: int | None = None, ipv6: bool = False) -> Document:
    """The document of one live run; raises `RunError` if the plan or the machine cannot do it."""
    document: dict[str, Any] = json.loads(_native.live(job.plan, job.point, job.seed, bound=bound, ipv6=ipv6)[0])
    return document


BUFFERS = {"packets": "100 packets", "cells": "1200 cells"}
"""The buffer of `dupack shell` for queues that have no default for it."""


def shell(
    command: Sequence[str],
    *,
    rate: str | None,
    delay: str,
    queue: str,
    trace: Path | None,
    loss: float | None,
    servers: Sequence[str],
    ipv6: bool,
) -> None:
    """Starts a shell, or a command, behind a link; exits with its code."""
    units, table = _queue(queue)
    lines = [
        'title = "A shell behind a link"',
        'duration = "1 s"',
        '[[host]]\nname = "shell"',
        '[[host]]\nname = "host"',
        f'[[link]]\nname = "link"\nfrom = "shell"\nto = "host"\ncarries = "{units}"',
        f"rate = {json.dumps(rate)}" if trace is None else f"trace = {json.dumps(str(trace.resolve()))}",
        f"delay = {json.dumps(delay)}",
        f"queue = {table}",
        f"back_queue = {table}",
    ]
    if loss:
        lines += [f'{key} = {{ kind = "bernoulli", rate = {loss} }}' for key in ("loss", "back_loss")]
    # A plan has a flow; the command takes its place.
    lines.append('[[flow]]\nname = "none"\nfrom = "shell"\nto = "host"\ntransport = { kernel = "cubic" }')
    plan = _link("\n".join(lines))
    what = Program(("shell", list(command) or _shell()), tuple(map(_server, servers)), interactive=not command)
    for host, _ in what.servers:
        _known(host, ["shell", "host"], "--serve")
    obtain()
    if what.interactive:
        about = f"{rate or trace}, {delay} one way, {queue}"
        echo(f'A shell behind a link: {about}. The other end is called "host". Leave it with exit.', err=True)
        # Shells that read a file at their start set their prompt there; Debian's has this word in it.
        os.environ["debian_chroot"] = "dupack"  # noqa: SIM112
        os.environ["PS1"] = f"(dupack) {os.environ.get('PS1', '$ ')}"
    with _signals(what):
        made, _, _ = _native.live(
            plan,
            0,
            plan.seeds[0],
            ipv6=ipv6,
            command=what.main,
            servers=list(what.servers),
            interactive=what.interactive,
        )
    document = json.loads(made)
    for doubt in document["live"]["doubts"]:
        echo(f"DO NOT TRUST THIS: {doubt}", err=True)
    for link in document["links"]:
        dropped = ", ".join(f"{n:,} {cause}" for cause, n in link["dropped"].items()) or "none"
        marked = f", marked {link['marked']:,}" if link["marked"] else ""
        echo(f"{link['name']}: sent {link['sent']:,} {units}, dropped {dropped}{marked}", err=True)
    sys.exit(document["live"]["exit_code"])


OPTIONS = {
    "rate": "--rate",
    "delay": "--delay",
    "trace": "--trace",
    "queue": "--queue",
    "back_queue": "--queue",
    "loss": "--loss",
    "back_loss": "--loss",
}
"""The option that gives each key of the link of `dupack shell`."""


def _link(text: str) -> Plan:
    """The plan of `dupack shell`; its errors name the options, because the user has written no plan."""
    try:
        return Plan(text.encode(), "the link of dupack shell", [])
    except PlanError as error:
        # The first line has the name of the plan and the number of errors.
        told = [LINK_KEY.sub(_option, line) for line in str(error).splitlines()[1:]]
        raise RequestError("\n".join([*dict.fromkeys(told), "nothing was run"])) from None


LINK_KEY = re.compile(r"\blink\.link\.(\w+)(?:\.([\w.]+))?: ")


def _option(found: re.Match[str]) -> str:
    within = f"{found[2]}: " if found[2] else ""
    return f"{OPTIONS.get(found[1], found[1])}: {within}"


def _queue(text: str) -> tuple[str, str]:
    """Units of the link, and its queue as a plan writes it, from a queue's name or its table."""
    if text.lstrip().startswith("{"):
        try:
            tomllib.loads(f"queue = {text}")
        except tomllib.TOMLDecodeError:
            message = (
                f'--queue: {text!r} is not a table, such as {{ kind = "codel", target = "2 ms" }}; nothing was run'
            )
            raise RequestError(message) from None
        found = re.search(r'kind\s*=\s*"([^"]*)"', text)
        name, table = found[1] if found else "", text
    else:
        name, table = text, f"{{ kind = {json.dumps(text)} }}"
    known = json.loads(_native.catalogue())["entries"]
    word = next((it for it in known if (it["family"], it["name"]) == ("queue", name)), None)
    # The plan's reader says what is wrong with a name that nothing has.
    units = word["carries"][0] if word else "packets"
    needed = word and any(it["name"] == "buffer" and it["required"] for it in word["parameters"])
    if needed and not re.search(r"\bbuffer\b", table):
        table = f'{table.rstrip()[:-1].rstrip()}, buffer = "{BUFFERS[units]}" }}'
    return units, table
