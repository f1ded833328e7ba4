"""Exceedances and gains: both are quantiles read another way."""

from __future__ import annotations

import itertools
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

from sigprop import log_rnn_energy
from sigprop.typical import (
    Exceedance,
    TypicalGain,
    energy_quantiles,
    exceedance,
    spectral_radius_quantiles,
    typical_gain,
)

CASES = [
    (64, 4, "complex"),
    (64, 9, "real"),
    (256, 40, "complex"),
    (101, 25, "real"),
    (20, 15, "complex"),
    (1, 9, "real"),
    (200, 1, "complex"),
    (256, 3000, "complex"),
    (64, 500, "real"),
]


@pytest.mark.parametrize(("n", "k", "field"), CASES)
def test_exceedance_inverts_the_quantiles(n: int, k: int, field: str) -> None:
    law = energy_quantiles(n, k, (0.02, 0.3, 0.9), field=field, gain=1.05)
    for q, value in zip(law.q, law.values, strict=True):
        beyond = exceedance(n, k, value, field=field, gain=1.05)
        # Measured below 6e-7; 3e-4 of a simulation (20 units).
        assert beyond.probability == pytest.approx(1.0 - q, abs=1e-3 if n == 20 else 3e-6)
        assert beyond.method == law.method
        assert beyond.error > 0.0


@pytest.mark.parametrize(
    ("n", "k", "field"),
    [(1, 1, "real"), (1, 7, "complex"), (1, 300, "real"), (200, 1, "complex"), (10**6, 1, "real")],
)
def test_exact_exceedances(n: int, k: int, field: str) -> None:
    """Within the error that is stated, some 1e-13, at all levels and beyond them."""
    levels = np.linspace(0.005, 0.995, 41)
    law = energy_quantiles(n, k, levels, field=field)
    for q, value in zip(levels, law.values, strict=True):
        beyond = exceedance(n, k, value, field=field)
        assert abs(beyond.probability - (1.0 - q)) <= beyond.error < 1e-10
        assert beyond.method == "exact"


def test_exact_exceedance_in_closed_form() -> None:
    for level in (-30.0, -3.0, 0.0, 2.0, 5.0):
        real = exceedance(1, 1, level, field="real")
        assert real.probability == pytest.approx(
            math.erfc(math.exp(0.5 * level) / math.sqrt(2.0)), abs=real.error
        )
        deep = exceedance(1, 4, level)
        assert deep.probability == pytest.approx(math.exp(-math.exp(0.25 * level)), abs=deep.error)
    assert exceedance(1, 1, 1e300).probability == 0.0
    assert exceedance(1, 1, -1e300).probability == 1.0


@pytest.mark.parametrize(
    ("n", "k", "field"),
    [(64, 4, "complex"), (64, 9, "real"), (256, 40, "complex"), (256, 3000, "complex")],
)
def test_round_trip_at_many_levels(n: int, k: int, field: str) -> None:
    levels = np.linspace(0.0051, 0.9949, 67)
    law = energy_quantiles(n, k, levels, field=field)
    for q, value in zip(levels, law.values, strict=True):
        beyond = exceedance(n, k, value, field=field)
        gap = abs(beyond.probability - (1.0 - q))
        assert gap <= beyond.error
        assert gap < 2e-6  # measured 2e-7; linear between the first 61 quantiles: 7e-5


@pytest.mark.parametrize(
    ("n", "k", "lowest"),
    [
        (400, 10**5, -1.2e5),
        (64, 5000, -1e6),
        pytest.param(1000, 10**5, -1.2e5, marks=pytest.mark.slow),
        pytest.param(21000, 10**6, -1e7, marks=pytest.mark.slow),
    ],
)
def test_a_deep_real_draw_far_down_is_exceeded(n: int, k: int, lowest: float) -> None:
    levels = [100.0 * lowest, lowest, 0.1 * lowest, 0.01 * lowest]
    beyond = [exceedance(n, k, level, field="real").probability for level in levels]
    assert beyond[0] == pytest.approx(0.9975)
    assert all(late <= early for early, late in itertools.pairwise(beyond))


def test_exceedance_falls_with_the_level() -> None:
    levels = np.linspace(-8.0, 20.0, 15)
    beyond = [exceedance(256, 64, float(level)).probability for level in levels]
    assert all(late <= early for early, late in itertools.pairwise(beyond))


def test_beyond_the_levels_only_a_bound() -> None:
    for k in (16, 64, 2000):
        far = exceedance(256, k, 1e4)
        assert far.probability == pytest.approx(0.0025)
        assert far.probability <= far.error <= 0.1
        low = exceedance(256, k, -1e4)
        assert low.probability == pytest.approx(0.9975)


@pytest.mark.parametrize(
    ("c", "published"),
    [(1.5, 0.41), (2.0, 0.33), (3.0, 0.19), (4.0, 0.082), (5.0, 0.028), (6.0, 0.0078)],
)
def test_share_of_draws_above_the_mean(c: float, published: float) -> None:
    """P(E_k > Q) of the law at n = 1024, computed independently with the same constants."""
    k = round(32 * c)
    beyond = exceedance(1024, k, log_rnn_energy(1024, k))
    assert beyond.probability == pytest.approx(published, rel=0.03, abs=0.005)


def test_the_mean_is_rarely_reached_at_c_4() -> None:
    beyond = exceedance(256, 64, log_rnn_energy(256, 64))
    assert 0.05 < beyond.probability < 0.12


@pytest.mark.parametrize(("n", "k", "field"), CASES)
@pytest.mark.parametrize("target", [1.0, 7.5])
def test_gain_brings_the_quantile_to_the_target(n: int, k: int, field: str, target: float) -> None:
    gain = typical_gain(n, k, field=field, q=0.75, target=target)
    law = energy_quantiles(n, k, 0.75, field=field, gain=gain.gain)
    assert law.values[0] == pytest.approx(math.log(target), abs=1e-9 * k)
    assert float(gain) == gain.gain
    assert gain.error == pytest.approx(gain.gain * math.expm1(law.errors[0] / (2 * k)))


@pytest.mark.slow
def test_median_gains_of_a_long_sequence() -> None:
    complex_gain = typical_gain(1024, 16384)
    real_gain = typical_gain(1024, 16384, field="real")
    assert complex_gain.gain == pytest.approx(0.975, abs=5e-4)
    assert real_gain.gain == pytest.approx(0.978, abs=5e-4)
    assert complex_gain.method == real_gain.method == "spectral radius"
    assert complex_gain.error < 1e-3
    assert real_gain.error < 1e-3


def test_deep_gain_tends_to_the_reciprocal_radius() -> None:
    radius = float(spectral_radius_quantiles(100, 0.3))
    assert typical_gain(100, 10**6, q=0.3).gain == pytest.approx(1.0 / radius, rel=1e-5)


def test_results_travel() -> None:
    for result, kind in [
        (exceedance(64, 20, 0.5, field="real"), Exceedance),
        (typical_gain(64, 20, target=2.0), TypicalGain),
    ]:
        text = json.dumps(result.to_dict(), allow_nan=False)
        assert kind.from_dict(json.loads(text)) == result
        assert pickle.loads(pickle.dumps(result)) == result


@pytest.mark.parametrize(
    ("keywords", "name"),
    [
        ({"k": 0}, "k must"),
        ({"n": 0}, "n must"),
        ({"q": 0.001}, "q must"),
        ({"target": 0.0}, "target must"),
        ({"target": math.inf}, "target must"),
        ({"field": "C"}, "field must"),
    ],
)
def test_bad_gains(keywords: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        typical_gain(**{"n": 64, "k": 20, **keywords})


def test_bad_exceedances() -> None:
    with pytest.raises(ValueError, match="k must"):
        exceedance(64, 0, 0.0)
    with pytest.raises(ValueError, match="log_energy must"):
        exceedance(64, 20, math.nan)
    with pytest.raises(ValueError, match="gain must"):
        exceedance(64, 20, 0.0, gain=-1.0)
