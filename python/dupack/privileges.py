"""What ``dupack live`` may do: root, or a user namespace; and what a killed one has left."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from dupack.errors import RunError
from dupack.terminal import echo

CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
INSIDE = "DUPACK_LIVE_NAMESPACE"
"""Set for the process in the user namespace."""
MARK = "DUPACK_LIVE"
"""Commands of a live run bear the number and the start of the process that started them here."""

SETTINGS = Path("/proc/sys")
SYSCTLS: dict[str, Callable[[str], bool]] = {
    "user/max_user_namespaces": lambda value: int(value) > 0,
    "kernel/unprivileged_userns_clone": lambda value: value == "1",
    "kernel/apparmor_restrict_unprivileged_userns": lambda value: value == "0",
}
"""Those that forbid user namespaces, and whether a value allows them. Not every kernel has all of them."""
RIGHT = {
    "user/max_user_namespaces": "10000",
    "kernel/unprivileged_userns_clone": "1",
    "kernel/apparmor_restrict_unprivileged_userns": "0",
}


def obtain() -> None:
    """Returns if this process may make network namespaces; else starts itself again in a user namespace, where it may.

    Ends what a killed run has left. Raises `RunError`, with what is missing, if the kernel allows neither.
    """
    if sys.platform != "linux":
        raise RunError("dupack live needs Linux: network namespaces and TUN devices; nothing was run")
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        how = "modprobe tun" if not Path("/dev/net/tun").exists() else "chmod 0666 /dev/net/tun"
        raise RunError(f"/dev/net/tun cannot be opened; as root: {how}; nothing was run")
    if _has(CAP_NET_ADMIN) and _has(CAP_SYS_ADMIN):
        clean()
        return
    if os.environ.get(INSIDE):
        raise RunError("the user namespace gave no capabilities; run it as root; nothing was run")
    unshare = shutil.which("unshare")
    if unshare is None:
        raise RunError("without root, the command unshare (util-linux) is needed; nothing was run")
    inside = [unshare, "--user", "--map-root-user", "--net", "--"]
    trial = subprocess.run([*inside, "true"], capture_output=True, text=True, check=False)
    if trial.returncode != 0:
        raise RunError(f"{_missing(trial.stderr.strip())}; nothing was run")
    os.environ[INSIDE] = "1"
    sys.stdout.flush()
    # With -P no module of the current directory is imported, whatever its name.
    os.execv(unshare, [*inside, sys.executable, "-P", "-m", "dupack", *sys.argv[1:]])


def able() -> bool:
    """Whether this process may make network namespaces with TUN devices as it is."""
    tun = sys.platform == "linux" and os.access("/dev/net/tun", os.R_OK | os.W_OK)
    return tun and _has(CAP_NET_ADMIN) and _has(CAP_SYS_ADMIN)


def _has(capability: int) -> bool:
    status = Path("/proc/self/status").read_text()
    effective = next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective, 16) >> capability & 1)


def _missing(said: str) -> str:
    wrong = []
    for name, allows in SYSCTLS.items():
        try:
            value = (SETTINGS / name).read_text().strip()
        except OSError:
            continue
        if not allows(value):
            wrong.append(f"sysctl -w {name.replace('/', '.')}={RIGHT[name]} (it is {value})")
    why = " and ".join(wrong) if wrong else "a container may forbid it: give it CAP_SYS_ADMIN and CAP_NET_ADMIN"
    return f"no user namespace can be made ({said}): run it as root; or, as root, {why}"


def clean() -> int:
    """Ends commands that a killed ``dupack live`` has left, and returns how many.

    Usually the kernel has ended them, as they are in a PID namespace of the run.
    """
    ended = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (starter := _starter(folder)) is not None and not _runs(*starter):
            try:
                os.kill(int(folder.name), signal.SIGKILL)
            except OSError:
                continue
            ended += 1
    return ended


def say_cleaned(ended: int) -> None:
    """Prints what `clean` has done."""
    many = "1 process" if ended == 1 else f"{ended} processes"
    echo(f"ended {many} of killed live runs" if ended else "nothing was left")


def _starter(folder: Path) -> tuple[str, str] | None:
    """The live run that has started a process, if one has: number and start of its process."""
    try:
        environment = (folder / "environ").read_bytes()
    except OSError:
        return None
    values = [it.partition(b"=")[2] for it in environment.split(b"\0") if it.startswith(MARK.encode() + b"=")]
    found = re.fullmatch(rb"(\d+):(\d+)", values[0]) if values else None
    return (found[1].decode(), found[2].decode()) if found else None


def _runs(process: str, start: str) -> bool:
    """Whether this process still runs: another one may have got its number."""
    try:
        state = Path("/proc", process, "stat").read_text()
    except OSError:
        return False
    # The name, field 2, may have blanks and brackets in it. The start is field 22.
    return state.rpartition(")")[2].split()[19] == start
