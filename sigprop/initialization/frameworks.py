r"""Default recurrent initialisations of the frameworks, and the regime each lands in.

What decides is :math:`n\,E|W_{ij}|^2`, the squared gain, and whether the entries are
independent: orthogonal matrices keep every energy exactly at 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop.initialization.gains import as_length, as_width
from sigprop.theory import energy

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FrameworkDefault:
    """How a framework fills a recurrent weight matrix.

    Attributes
    ----------
    name : str
        Framework and layer.
    law : str
        Law of the entries, n the width.
    gain_squared : float
        n E|W_ij|^2.
    independent : bool
        Whether the entries are independent; if not, the matrix is orthogonal.
    normal : bool
        Whether they are normal, so that the mean energy is exact at every depth.
    draw : callable
        ``draw(rng, n)`` draws such a matrix, to measure what is stated.
    source : str
        Where the default is documented.

    Examples
    --------
    >>> default = DEFAULTS[1]
    >>> W = default.draw(np.random.default_rng(0), 400)
    >>> round(float(400 * np.mean(W**2)), 2), default.gain_squared
    (1.0, 1.0)
    """

    name: str
    law: str
    gain_squared: float
    independent: bool
    normal: bool
    draw: Callable[[np.random.Generator, int], Weights]
    source: str


def _uniform(rng: np.random.Generator, n: int) -> Weights:
    return rng.uniform(-1.0, 1.0, (n, n)) / math.sqrt(n)


def _glorot(rng: np.random.Generator, n: int) -> Weights:
    return rng.uniform(-1.0, 1.0, (n, n)) * math.sqrt(3.0 / n)


def _normal(rng: np.random.Generator, n: int) -> Weights:
    return rng.standard_normal((n, n)) / math.sqrt(n)


def _orthogonal(rng: np.random.Generator, n: int) -> Weights:
    q, r = np.linalg.qr(rng.standard_normal((n, n)))
    return np.asarray(q * np.sign(np.diag(r)))


DEFAULTS = (
    FrameworkDefault(
        "PyTorch nn.RNN, nn.GRU, nn.LSTM",
        "uniform on +-1/sqrt(n)",
        1.0 / 3.0,
        True,
        False,
        _uniform,
        "torch.nn.RNN: weights from U(-sqrt(k), sqrt(k)), k = 1/hidden_size",
    ),
    FrameworkDefault(
        "PyTorch xavier_uniform_",
        "uniform on +-sqrt(3/n)",
        1.0,
        True,
        False,
        _glorot,
        "torch.nn.init.xavier_uniform_ on a square matrix, gain 1",
    ),
    FrameworkDefault(
        "PyTorch xavier_normal_, JAX lecun_normal",
        "normal of variance 1/n",
        1.0,
        True,
        True,
        _normal,
        "torch.nn.init.xavier_normal_ on a square matrix, gain 1; "
        "jax.nn.initializers.lecun_normal (truncated, of that variance)",
    ),
    FrameworkDefault(
        "Keras SimpleRNN, GRU, LSTM",
        "orthogonal",
        1.0,
        False,
        False,
        _orthogonal,
        "keras.layers.SimpleRNN: recurrent_initializer='orthogonal'",
    ),
    FrameworkDefault(
        "Flax SimpleCell, GRUCell, LSTMCell",
        "orthogonal",
        1.0,
        False,
        False,
        _orthogonal,
        "flax.linen.GRUCell: recurrent_kernel_init=orthogonal()",
    ),
    FrameworkDefault(
        "Equinox GRUCell, LSTMCell",
        "uniform on +-1/sqrt(n)",
        1.0 / 3.0,
        True,
        False,
        _uniform,
        "equinox.nn.GRUCell: uniform on +-1/sqrt(hidden_size)",
    ),
)
"""Defaults as the documentation of each framework states them."""


@dataclass(frozen=True)
class DefaultRow:
    """What a default does at one width and length.

    Attributes
    ----------
    name, law : str
        Framework, and law of the entries.
    gain_squared : float
        n E|W_ij|^2.
    width, length : int
        What it is asked for.
    regime : str
        Regime of (width, length) for real weights; "isometric" for orthogonal ones.
    log_mean_energy : float or None
        Logarithm of the mean energy at the end; None for entries that are not normal beyond
        3 sqrt(n), where draws that bounded entries cannot produce carry the Gaussian mean.
    log_median_energy : float
        Logarithm of the energy of a median draw.
    verdict : str
        "keeps its energy", "vanishes" or "explodes", of the median draw and a factor 10.

    Examples
    --------
    >>> row = framework_defaults(64, 16)[3]
    >>> row.law, row.verdict
    ('orthogonal', 'keeps its energy')
    """

    name: str
    law: str
    gain_squared: float
    width: int
    length: int
    regime: str
    log_mean_energy: float | None
    log_median_energy: float
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for strict JSON."""
        return asdict(self)


def framework_defaults(n: int, length: int) -> tuple[DefaultRow, ...]:
    """Return what the default of each framework does at a width and a length.

    Parameters
    ----------
    n : int
        Width of the recurrent layer, 1 to 2**53.
    length : int
        Length of the sequence, 1 to 10**7.

    Returns
    -------
    tuple of DefaultRow
        In the order of `DEFAULTS`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    Energies are those of the linear recurrence h = W h with Gaussian weights of the same
    variance; that of other independent entries is close to it as long as common draws carry
    the mean. Medians are those of Gaussian weights. Gates and non-linear units are not in it.

    Examples
    --------
    >>> rows = framework_defaults(1024, 256)
    >>> [(row.name.split()[0], round(row.gain_squared, 3), row.verdict) for row in rows[:2]]
    [('PyTorch', 0.333, 'vanishes'), ('PyTorch', 1.0, 'explodes')]
    >>> rows[3].regime, rows[3].log_mean_energy
    ('isometric', 0.0)
    """
    from sigprop.regimes import classify
    from sigprop.typical import energy_quantiles

    n, length = as_width(n), as_length("length", length)
    regime = classify(n, length, field="real").name
    log_mean = float(energy.log_rnn_energy(n, length, field="real"))
    log_median = float(energy_quantiles(n, length, (0.5,), field="real").values[0])
    rows = []
    for default in DEFAULTS:
        shift = length * math.log(default.gain_squared)
        median = log_median + shift if default.independent else 0.0
        rows.append(
            DefaultRow(
                default.name,
                default.law,
                default.gain_squared,
                n,
                length,
                regime if default.independent else "isometric",
                _log_mean(default, n, length, log_mean + shift),
                median,
                _verdict(median),
            )
        )
    return tuple(rows)


def _log_mean(default: FrameworkDefault, n: int, length: int, gaussian: float) -> float | None:
    if not default.independent:
        return 0.0
    return gaussian if default.normal or length <= 3.0 * math.sqrt(n) else None


def _verdict(log_energy: float) -> str:
    if abs(log_energy) <= math.log(10.0):
        return "keeps its energy"
    return "explodes" if log_energy > 0.0 else "vanishes"
