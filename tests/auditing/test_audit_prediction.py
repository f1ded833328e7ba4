"""The prediction: exact mean, band of single draws, and what leaves it."""

import math

import numpy as np
import pytest

import sigprop
from sigprop.auditing import audit
from sigprop.auditing.prediction import predict

N, DEPTHS = 64, [1, 4, 16, 64]


@pytest.mark.parametrize("field", ["complex", "real"])
def test_the_mean_is_the_exact_one_with_the_gain(field):
    found = predict(N, DEPTHS, field, 2.0 * math.log(0.9)).mean
    assert found == pytest.approx(sigprop.log_rnn_energy(N, DEPTHS, 0.9, field=field), rel=1e-13)


def test_depth_zero_and_zero_gain():
    assert predict(N, [0], "real", 1.0) == ((0.0,), (0.0,), (0.0,), (0.0,))
    assert predict(N, [1, 2], "real", -math.inf).low == (None, None)


def _draws(count, field):
    rng = np.random.default_rng(11)
    W = rng.standard_normal((count, N, N))
    if field == "complex":
        W = (W + 1j * rng.standard_normal((count, N, N))) / math.sqrt(2.0)
    return 1.2 * W / math.sqrt(N)


@pytest.mark.parametrize("field", ["complex", "real"])
def test_draws_stay_inside_their_band_and_do_not_fit_another(field):
    W = _draws(60, field)
    kept = [record.parts_at is None for record in audit(W, DEPTHS).tensors]
    # A band of 90 % at each of four dependent depths, over-wide at the small ones.
    assert np.mean(kept) > 0.75
    # Negative control: their upper triangles, energies of which die out.
    triangles = audit(np.triu(W), DEPTHS).tensors
    assert not any(record.parts_at is None for record in triangles)


def test_the_words_say_what_parts():
    n = 64
    rng = np.random.default_rng(2)
    noise = rng.standard_normal((n, n)) / math.sqrt(n)
    words = {
        "inside the 5 % to 95 % band of independent Gaussian entries of the same gain.": noise,
        "subtract the mean": 0.5 * noise + 2.0 / n,
        "the same gain, but it is nearly normal": np.linalg.qr(noise)[0],
        "below the 5 % to 95 % band": np.triu(noise),
        "above the 5 % to 95 % band": noise + 3.0 * np.outer(noise[:, 0], noise[:, 0]),
    }
    for word, W in words.items():
        assert word in audit(W).tensors[0].verdict
