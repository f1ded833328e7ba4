"""Estimates from weighted families: formulas, diagnostics, records."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest

from sigprop.montecarlo.weighted import (
    WeightedEstimate,
    WeightedFamily,
    mean_energy,
    merge_families,
    path_functional,
    tail_probability,
)


def family(log_weights, log_energies, name="a"):
    log_weights = np.asarray(log_weights, dtype=float)
    last = np.asarray(log_energies, dtype=float)
    return WeightedFamily(name, log_weights, np.stack([np.zeros_like(last), last], axis=1))


def two_families(seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    return (
        family(rng.normal(shift, 0.3, 400), rng.normal(0.0, 0.3, 400), "a"),
        family(rng.normal(shift - 1.0, 0.5, 200), rng.normal(0.0, 0.5, 200), "b"),
    )


def test_mean_and_error_are_those_of_the_sum_of_two_independent_means():
    families = two_families()
    values = [np.exp(f.log_weights + f.log_energies[:, 1]) for f in families]
    mean = sum(v.mean() for v in values)
    error = math.sqrt(sum(v.var(ddof=1) / len(v) for v in values))
    estimate = mean_energy(families)
    assert estimate.mean == pytest.approx(mean, rel=1e-13)
    assert estimate.log_mean == pytest.approx(math.log(mean), abs=1e-13)
    assert estimate.standard_error == pytest.approx(error, rel=1e-12)
    assert estimate.relative_error == pytest.approx(error / mean, rel=1e-12)
    assert estimate.samples == 600
    shares = np.concatenate([v / len(v) for v in values])
    assert estimate.largest_share == pytest.approx(shares.max() / shares.sum(), rel=1e-12)
    effective = shares.sum() ** 2 / (shares**2).sum()
    assert estimate.effective_samples == pytest.approx(effective, rel=1e-12)
    first, second = estimate.families
    assert (first.name, first.samples, second.name, second.samples) == ("a", 400, "b", 200)
    assert first.share == pytest.approx(values[0].mean() / mean, rel=1e-12)
    assert first.share + second.share == pytest.approx(1.0, abs=1e-14)
    assert math.hypot(first.relative_error, second.relative_error) == pytest.approx(
        estimate.relative_error, rel=1e-12
    )


def test_interval_and_z_score():
    estimate = mean_energy(two_families())
    low, high = estimate.log_interval(0.95)
    reach = 1.959963984540054 * estimate.relative_error
    assert math.exp(low - estimate.log_mean) == pytest.approx(1.0 - reach, rel=1e-12)
    assert math.exp(high - estimate.log_mean) == pytest.approx(1.0 + reach, rel=1e-12)
    assert estimate.z_score(high) == pytest.approx(-1.959963984540054, rel=1e-9)
    wide = mean_energy((family([0.0, 9.0, 0.0], [0.0, 0.0, 0.0]),))
    assert wide.log_interval()[0] == -math.inf
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        estimate.log_interval(1.0)


def test_even_weights_are_trusted_and_a_dominant_one_is_not():
    even = mean_energy(two_families())
    assert even.trustworthy
    assert even.reason is None
    # 600 even samples: the batches agree with the whole to a few percent.
    assert even.batch_ratio == pytest.approx(1.0, abs=0.2)
    logs = np.zeros(400)
    logs[7] = math.log(100.0)  # of 499 in all
    dominant = mean_energy((family(logs, np.zeros(400)),))
    assert not dominant.trustworthy
    assert dominant.reason == "one sample carries 20% of the mean"


def test_uneven_weights_and_uneven_batches_are_seen():
    rng = np.random.default_rng(3)
    uneven = mean_energy((family(rng.normal(0.0, 1.5, 4000), np.zeros(4000)),))
    assert uneven.reason is not None
    assert uneven.reason.startswith("the weights are too uneven: only")
    # Seven outliers in 4000: most batches do not hold one.
    logs = rng.normal(0.0, 0.1, 4000)
    logs[:7] += 3.5
    rare = mean_energy((family(logs, np.zeros(4000)),))
    assert rare.effective_samples > 0.3 * rare.samples
    assert rare.largest_share < 0.1
    assert rare.batch_ratio is not None
    assert rare.batch_ratio > 2.0
    assert rare.reason is not None
    assert "a few samples make the error bar" in rare.reason


def test_too_few_samples_are_not_trusted_or_refused():
    few = mean_energy((family(np.zeros(12), np.linspace(0, 0.1, 12)),))
    assert few.batch_ratio is None
    assert few.reason == "too few samples to check the error bar"
    with pytest.raises(ValueError, match="every family needs at least 2 samples"):
        mean_energy((family([0.0], [0.0]),))


def test_merging_is_concatenation():
    families = two_families()
    halves = [
        tuple(WeightedFamily(f.name, f.log_weights[s], f.log_energies[s]) for f in families)
        for s in (slice(0, 123), slice(123, None))
    ]
    merged = merge_families(halves)
    for a, b in zip(merged, families, strict=True):
        assert np.array_equal(a.log_weights, b.log_weights)
        assert np.array_equal(a.log_energies, b.log_energies)
    with pytest.raises(ValueError, match="got none"):
        merge_families([])
    with pytest.raises(ValueError, match="same families and depth"):
        merge_families([families, families[:1]])


def test_far_beyond_the_float_range_the_logarithm_stays():
    estimate = mean_energy(two_families(shift=2000.0))
    assert estimate.mean == math.inf
    assert estimate.standard_error == math.inf
    assert estimate.log_mean == pytest.approx(
        2000.0 + mean_energy(two_families()).log_mean, abs=1e-9
    )
    low, high = estimate.log_interval()
    assert low < estimate.log_mean < high


@pytest.mark.parametrize("shift", [0.0, 2000.0])
def test_record_is_strict_json_and_comes_back(shift):
    estimate = mean_energy(two_families(shift=shift))
    text = json.dumps(estimate.to_dict(), allow_nan=False)
    assert WeightedEstimate.from_dict(json.loads(text)) == estimate
    assert pickle.loads(pickle.dumps(estimate)) == estimate


def test_functionals_may_be_signed_or_zero():
    families = two_families()
    values = [np.exp(f.log_weights) * (f.log_energies[:, 1] - 0.1) for f in families]
    signed = path_functional(families, lambda paths: paths[:, 1] - 0.1)
    assert signed.value == pytest.approx(sum(v.mean() for v in values), rel=1e-12)
    error = math.sqrt(sum(v.var(ddof=1) / len(v) for v in values))
    assert signed.standard_error == pytest.approx(error, rel=1e-12)
    nothing = tail_probability(families, 1e6)
    assert (nothing.value, nothing.standard_error) == (0.0, 0.0)
    assert (nothing.effective_samples, nothing.largest_share) == (0.0, 0.0)
    everything = tail_probability(families, -1e6)
    assert everything.value == pytest.approx(
        sum(np.exp(f.log_weights).mean() for f in families), rel=1e-12
    )


def test_tail_at_another_depth():
    families = two_families()
    assert tail_probability(families, 0.5, depth=0).value == 0.0
    with pytest.raises(ValueError, match="depth must be at most 1"):
        tail_probability(families, 0.5, depth=2)
    with pytest.raises(ValueError, match="depth must be at most 1"):
        mean_energy(families, depth=2)


def test_bad_functionals_are_refused():
    families = two_families()
    with pytest.raises(ValueError, match="one number per path"):
        path_functional(families, lambda paths: paths)
    with pytest.raises(ValueError, match="finite numbers"):
        path_functional(families, lambda paths: np.full(len(paths), np.nan))
    with pytest.raises(TypeError, match="log_level must be a finite number"):
        tail_probability(families, "high")
