"""The enclosure as a value: outward ends, exact comparisons, travel by pickle and JSON."""

import json
import pickle
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from sigprop.theory import certified
from sigprop.theory.certified import Enclosure


def _as_fraction(number):
    sign, mantissa, exponent, _ = number._mpf_
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** exponent
    return -magnitude if sign else magnitude


def test_ends_are_rounded_outward():
    with mpmath.workprec(500):
        lower, upper = mpmath.mpf(1) / 3, mpmath.mpf(2) / 3
    enclosure = Enclosure(lower, upper, 3)
    assert enclosure.lower < lower
    assert enclosure.upper > upper
    assert abs(_as_fraction(enclosure.mid) - Fraction(1, 2)) < Fraction(1, 10**6)
    assert enclosure.contains(enclosure.mid)
    mid, radius = _as_fraction(enclosure.mid), _as_fraction(enclosure.radius)
    assert mid - radius <= _as_fraction(enclosure.lower)
    assert mid + radius >= _as_fraction(enclosure.upper)


def test_contains_compares_exactly():
    enclosure = Enclosure(mpmath.mpf(-2), mpmath.mpf(3) / 4, 5)
    inside = [0, -2, 0.75, Fraction(3, 4), Fraction(-1, 10**40), mpmath.mpf("0.7"), np.int64(-1)]
    outside = [1, -3, 0.7500000001, Fraction(3, 4) + Fraction(1, 10**40), Fraction(-3, 1)]
    assert all(map(enclosure.contains, inside))
    assert not any(map(enclosure.contains, outside))
    huge = certified.rnn_energy(1, 10**12)
    assert not huge.contains(10**3000)
    assert not huge.contains(0)
    with pytest.raises(TypeError, match="x must be an int, Fraction, float or mpmath"):
        enclosure.contains("0.5")


@pytest.mark.parametrize(
    "make",
    [
        lambda: certified.rnn_energy(10, 1),
        lambda: certified.rnn_energy(1000, 300),
        lambda: certified.log_rnn_energy(10**30, 2, 20),
        lambda: certified.lru_energy(10**4, 10**6, 25),
        lambda: certified.rnn_energy(1, 10**12, 30),
        lambda: certified.rnn_energy(17, 5, 5000),
        lambda: Enclosure(mpmath.mpf("-1.5e-9000"), mpmath.mpf("2.25e-9000"), 6),
        lambda: Enclosure(mpmath.mpf(-3), mpmath.mpf(0), 6),
    ],
)
def test_results_travel(make):
    enclosure = make()
    assert pickle.loads(pickle.dumps(enclosure)) == enclosure
    document = json.dumps(enclosure.to_dict(), allow_nan=False)
    assert Enclosure.from_dict(json.loads(document)) == enclosure
    assert hash(Enclosure.from_dict(json.loads(document))) == hash(enclosure)


def test_decimal_ends_are_rounded_outward_too():
    rng = random.Random(6)
    for _ in range(300):
        n, depth, digits = rng.randint(1, 10**6), rng.randint(0, 200), rng.randint(1, 60)
        enclosure = certified.lru_energy(n, depth, digits)
        document = enclosure.to_dict()
        assert Fraction(document["lower"]) <= _as_fraction(enclosure.lower)
        assert Fraction(document["upper"]) >= _as_fraction(enclosure.upper)
        ends = Fraction(document["lower"]), Fraction(document["upper"])
        assert ends[1] - ends[0] <= ends[0] / 10**digits
        assert repr(enclosure).startswith(f"Enclosure(lower={document['lower']}, upper=")


def test_enclosures_are_frozen_and_checked():
    enclosure = certified.rnn_energy(3, 2, 10)
    with pytest.raises(AttributeError):
        enclosure.lower = mpmath.mpf(0)
    with pytest.raises(ValueError, match="lower must be at most upper"):
        Enclosure(mpmath.mpf(2), mpmath.mpf(1), 5)
    with pytest.raises(ValueError, match="upper must be finite"):
        Enclosure(mpmath.mpf(2), mpmath.inf, 5)
    with pytest.raises(TypeError, match=r"lower must be an mpmath\.mpf, got float"):
        Enclosure(1.0, mpmath.mpf(2), 5)
    with pytest.raises(ValueError, match="a finite decimal number is needed, got 'Infinity'"):
        Enclosure.from_dict({"lower": "1.0", "upper": "Infinity", "digits": 5})
