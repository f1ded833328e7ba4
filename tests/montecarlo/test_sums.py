"""Mergeable sums of energies: the moments of the whole, whatever the parts and the scale."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigprop.montecarlo.sums import EnergySums


def _logs(size, seed=0):
    return np.random.default_rng(seed).normal(-0.3, 1.2, size)


def _merged(logs, cuts):
    return EnergySums.merged(EnergySums.of(part) for part in np.split(logs, cuts))


@given(st.lists(st.integers(0, 500), max_size=5))
def test_parts_merge_to_the_whole(cuts):
    logs = _logs(500)
    merged = _merged(logs, sorted(cuts))
    x = np.exp(logs)
    assert (merged.count, merged.zeros, merged.top) == (500, 0, logs.max())
    # Measured: 4e-16 relative over these cuts.
    assert math.exp(merged.log_mean_energy) == pytest.approx(x.mean(), rel=1e-13)
    assert merged.relative_deviation == pytest.approx(x.std(ddof=1) / x.mean(), rel=1e-13)
    assert merged.log_mean == pytest.approx(logs.mean(), rel=1e-12)
    assert merged.log_deviations == pytest.approx(logs.var() * 500, rel=1e-12)


@pytest.mark.parametrize("shift", [5000.0, -5000.0])
def test_no_scale_overflows(shift):
    near, far = (_merged(_logs(300) + s, [100, 120]) for s in (0.0, shift))
    # Adding 5000 costs the logs three digits of their 16.
    assert far.log_mean_energy == pytest.approx(near.log_mean_energy + shift, abs=1e-11)
    assert far.relative_deviation == pytest.approx(near.relative_deviation, rel=1e-10)


def test_parts_of_different_scale():
    logs = np.array([-2000.0, -1999.0, 3.0, 4.0])
    merged = _merged(logs, [2])
    assert merged.log_mean_energy == pytest.approx(np.logaddexp(3.0, 4.0) - math.log(4.0))
    assert merged.log_mean == pytest.approx(logs.mean())


def test_nearly_constant_energies_keep_their_variance():
    # Raw second moments would lose a variance of 1e-20 altogether.
    spread = 1e-10 * np.random.default_rng(0).standard_normal(1000)
    merged = _merged(spread, [256, 512])
    assert merged.relative_deviation == pytest.approx(spread.std(ddof=1), rel=1e-5)


def test_energies_of_zero():
    logs = np.array([-math.inf, 0.0, math.log(3.0), -math.inf])
    for sums in (EnergySums.of(logs), _merged(logs, [1, 2, 3]), _merged(logs, [3])):
        assert (sums.count, sums.zeros, sums.top) == (4, 2, math.log(3.0))
        assert math.exp(sums.log_mean_energy) == pytest.approx(1.0)
        assert sums.log_mean == pytest.approx(math.log(3.0) / 2.0)
    nothing = _merged(np.full(5, -math.inf), [2])
    assert (nothing.count, nothing.zeros, nothing.top, nothing.mean) == (5, 5, -math.inf, 0.0)
    assert (nothing.log_mean_energy, nothing.relative_deviation) == (-math.inf, None)


def test_one_energy_has_no_deviation():
    assert EnergySums.of(np.array([1.5])).relative_deviation is None
    assert EnergySums.merged([]).count == 0


def test_json_is_strict_and_returns():
    for logs in (_logs(20), np.full(2, -math.inf)):
        sums = EnergySums.of(logs)
        text = json.dumps(sums.to_dict(), allow_nan=False)
        assert EnergySums.from_dict(json.loads(text)) == sums
