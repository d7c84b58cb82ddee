"""Max-min fair rates and ABR's ceiling, from Python."""

from __future__ import annotations

import math

import pytest

from dupack import _native

GFC: tuple[list[float], list[list[int]]] = (
    [50, 150, 150, 100],
    [[0, 1, 2]] * 3 + [[1, 2, 3]] * 3 + [[2]] * 3 + [[0]] * 6 + [[3]] * 6 + [[1]] * 2,
)
"""The first generic fairness configuration [Mb/s]."""


def test_the_generic_fairness_configuration() -> None:
    rates = _native.max_min_rates(*GFC)
    wanted = [50 / 9] * 3 + [100 / 9] * 3 + [100 / 3] * 3 + [50 / 9] * 6 + [100 / 9] * 6 + [50] * 2
    assert rates == pytest.approx(wanted)


def test_bounds_and_weights() -> None:
    three = [[0]] * 3
    assert _native.max_min_rates([12], three, least=[6, 0, 0]) == pytest.approx([6, 3, 3])
    assert _native.max_min_rates([12], three, most=[1, math.inf, math.inf]) == pytest.approx([1, 5.5, 5.5])
    assert _native.max_min_rates([12], three, weights=[1, 2, 3]) == pytest.approx([2, 4, 6])
    assert _native.max_min_rates([], [[]], most=[5]) == [5]


@pytest.mark.parametrize(
    ("capacities", "routes", "bounds", "words"),
    [
        ([0], [[0]], {}, r"capacities\[0\]: a link's rate is a number above 0"),
        ([1], [[1]], {}, r"routes\[0\]: a flow passes links that exist"),
        ([1], [[]], {}, r"routes\[0\]: .* or has a most rate"),
        ([1], [[0]], {"least": [2]}, r"capacities\[0\]: the least rates of its flows exceed it"),
        ([1], [[0]], {"weights": [0]}, "flow 0: 0 <= least <= most, and a weight above 0"),
        ([1], [[0]], {"most": [1, 2]}, "most: 2 values for 1 routes"),
    ],
)
def test_what_makes_no_sense_is_refused(
    capacities: list[float], routes: list[list[int]], bounds: dict[str, list[float]], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        _native.max_min_rates(capacities, routes, **bounds)


def test_the_padded_last_cell() -> None:
    printed, whole = _native.abr_printed_ceiling(365566, 32, 9148), _native.abr_ceiling(365566, 32, 9148)
    assert printed == pytest.approx(1.692e7, rel=3e-4)
    assert whole / printed == pytest.approx(9188 / 9216)
    assert _native.abr_ceiling(365566, 32, 9148, trailer=0) == whole
