"""Exact, float64, certified and simulated energies on the same random cells."""

from fractions import Fraction

import numpy as np
import pytest

import sigprop
from sigprop import exact
from sigprop.recurrences import GaussianLRU, GaussianRNN
from sigprop.theory import certified

CELLS = [
    (int(n), int(np.rint(c * np.sqrt(n))))
    for n, c in zip(
        np.random.default_rng(3).integers(4, 400, 12),
        np.random.default_rng(4).uniform(0.2, 1.4, 12),
        strict=True,
    )
]

ROUTES = {
    "rnn": (exact.rnn_energy, certified.rnn_energy, sigprop.rnn_energy, GaussianRNN),
    "lru": (exact.lru_energy, certified.lru_energy, sigprop.lru_energy, GaussianLRU),
}


@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_four_routes_agree(model):
    by_integers, by_enclosure, by_float, recurrence = ROUTES[model]
    scores, off = [], []
    for n, depth in CELLS:
        truth = by_integers(n, depth)
        enclosure = by_enclosure(n, depth, digits=30)
        assert enclosure.contains(truth)
        # float64 is within 6e-15 of the truth everywhere that was measured.
        assert abs(Fraction(float(by_float(n, depth))) / truth - 1) < 5e-14
        cell = sigprop.simulate(recurrence(n), depth, 1000, rng=8).cells[0]
        assert abs(cell.exact / float(truth) - 1) < 5e-14
        if cell.standard_error:
            scores.append((cell.mean - float(truth)) / cell.standard_error)
            off.append((cell.mean - 1.3 * float(truth)) / cell.standard_error)
    assert len(scores) >= 10
    assert np.max(np.abs(scores)) < 4.0
    # Negative control: the same simulations reject a truth that is 30 % too large.
    assert np.max(np.abs(off)) > 4.0


@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_a_wrong_truth_is_outside_the_enclosure(model):
    by_integers, by_enclosure, _, _ = ROUTES[model]
    truth = by_integers(50, 9)
    assert not by_enclosure(50, 9, digits=30).contains(truth + Fraction(1, 10**25))
