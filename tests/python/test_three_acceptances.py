"""The model of Viswanathan & Kamal, and the simulation beside it, as a program calls them."""

from __future__ import annotations

import math
import signal
import threading
import time

import pytest

from dupack import _native

PRINTED = ["eq-8", "eq-9-share", "eq-9-limit"]
# Times for ten flows and 50 places: 3/(pq) as printed and as corrected, and the exact time.
FIG_1 = {0.1: (35.747, 34.911, 33.417), 0.5: (30.057, 30.0, 30.0), 0.9: (46.060, 30.0, 30.0)}


@pytest.mark.parametrize("p", FIG_1)
def test_figure_1(p: float) -> None:
    found = (
        _native.time_to_three(9, 50, p, PRINTED),
        _native.time_to_three(n=9, b=50, p=p),
        _native.time_to_three_exact(9, 50, p),
    )
    assert found == pytest.approx(FIG_1[p], abs=0.001)
    q = _native.acceptance_probability(9, 50, p, printed=PRINTED)
    assert math.isclose(3 / (p * q), found[0])


def test_the_printed_equations_never_end_where_all_send() -> None:
    assert math.isinf(_native.time_to_three(9, 50, 1.0, PRINTED))
    assert math.isclose(_native.time_to_three(9, 50, 1.0), 30.0)


def test_the_schemes() -> None:
    assert _native.time_to_three_scheme_1(0.1) == 30.0
    assert math.isclose(_native.time_to_three_exact(0, 50, 0.1), 30.0)


def test_a_distribution_has_its_mean() -> None:
    known = _native.time_to_three_distribution(3, 5, 0.5, slots=400)
    assert len(known) == 400
    mean = 1 + sum(1 - of for of in known)
    assert math.isclose(mean, _native.time_to_three_exact(3, 5, 0.5), rel_tol=1e-9)


def test_the_simulation_sides_with_the_mended_equations() -> None:
    found = _native.simulate_three_acceptances(9, 50, 0.9, episodes=5000, seed=1)
    assert found == _native.simulate_three_acceptances(9, 50, 0.9, 5000, 1)
    for name, model in {
        "q": _native.acceptance_probability(9, 50, 0.9),
        "t_1": _native.time_to_three(9, 50, 0.9) / 3,
        "t": _native.time_to_three_exact(9, 50, 0.9),
        "t_conservative": _native.time_to_three(9, 50, 0.9),
    }.items():
        mean, half = found[name]
        assert half is not None
        assert abs(mean - model) < 2 * half, name
    mean, half = found["t_conservative"]
    assert half is not None
    assert abs(mean - _native.time_to_three(9, 50, 0.9, PRINTED)) > 2 * half


@pytest.mark.parametrize(
    ("n", "b", "p", "text"),
    [
        (-1, 50, 0.5, "n = -1: must be 0 to"),
        (2000, 50, 0.5, "n = 2000: must be at most 1000 other flows"),
        (9, 0, 0.5, "b = 0: must be 1 to 10000 packets"),
        (9, 1 << 70, 0.5, f"b = {1 << 70}: must be 0 to"),
        (9, 50, 0.0, "p = 0: must be above 0 and at most 1 packet per slot"),
        (9, 50, math.nan, "p = NaN: must be above 0"),
    ],
)
def test_what_is_no_system(n: int, b: int, p: float, text: str) -> None:
    for call in (
        lambda: _native.acceptance_probability(n, b, p),
        lambda: _native.time_to_three(n, b, p),
        lambda: _native.time_to_three_exact(n, b, p),
        lambda: _native.time_to_three_distribution(n, b, p, 10),
        lambda: _native.simulate_three_acceptances(n, b, p, 10, 1),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_other_wrong_arguments() -> None:
    with pytest.raises(ValueError, match=r'printed: unknown "eq-7"; there are eq-8, eq-9-share, eq-9-limit'):
        _native.time_to_three(9, 50, 0.5, ["eq-7"])
    with pytest.raises(ValueError, match=r"p = 2: must be above 0"):
        _native.time_to_three_scheme_1(2.0)
    with pytest.raises(ValueError, match=r"slots = 1000000000000: must be at most"):
        _native.time_to_three_distribution(9, 50, 0.5, 10**12)
    with pytest.raises(ValueError, match=r"episodes = 0: must be 1 to 1000000"):
        _native.simulate_three_acceptances(9, 50, 0.5, 0, 1)
    with pytest.raises(ValueError, match=r"episodes = 9: these last about .* draws; at most 1e10 are made"):
        _native.simulate_three_acceptances(9, 50, 1e-12, 9, 1)
    with pytest.raises(ValueError, match=r"seed = -1: must be 0 to"):
        _native.simulate_three_acceptances(9, 50, 0.5, 9, -1)
    with pytest.raises(TypeError):
        _native.time_to_three("9", 50, 0.5)  # type: ignore[arg-type]


def test_a_long_simulation_answers_ctrl_c_and_leaves_the_interpreter() -> None:
    ticks: list[float] = []

    def press() -> None:
        # This thread gets on only if the simulation does not hold the interpreter lock.
        for _ in range(3):
            time.sleep(0.01)
            ticks.append(len(ticks))
        signal.raise_signal(signal.SIGINT)

    def simulate() -> None:
        threading.Timer(0.05, press).start()
        _native.simulate_three_acceptances(9, 50, 0.01, 1_000_000, 1)

    # Ctrl-C may come before the simulation has begun.
    with pytest.raises(KeyboardInterrupt):
        simulate()
    assert len(ticks) == 3
