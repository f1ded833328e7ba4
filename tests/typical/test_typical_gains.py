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
        # Linear between 61 quantiles: measured below 4e-4, of a simulation (20 units) 3e-3.
        assert beyond.probability == pytest.approx(1.0 - q, abs=4e-3 if n == 20 else 1e-3)
        assert beyond.method == law.method
        assert beyond.error > 0.0


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
