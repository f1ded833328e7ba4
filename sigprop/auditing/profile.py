r"""The energy of the powers of one matrix, :math:`\log \frac1n \|W^k\|_F^2`, at any depth.

This is the energy per unit that a white input of unit variance has after k steps.  Powers are
held as a matrix of entries below 1 and one power of two, so nothing overflows at any depth, and
products by powers of two and of small integers are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray
from sigprop.auditing import _wide_range
from sigprop.auditing.tensors import Matrix

_SMALLEST = float(np.finfo(np.float64).tiny)
_LOSS_ALLOWED = 2.0**-60
_LOG2 = math.log(2.0)

Power = TypeVar("Power")


@dataclass(frozen=True)
class _Scaled:
    """The matrix ``entries * 2**exponent``; its largest entry is from 1/2 to 1, or it is 0.

    ``loss`` bounds what underflow has taken from any entry, on the scale of ``entries``.
    """

    entries: Matrix
    exponent: int
    loss: float


class _RangeLostError(ArithmeticError):
    """Entries that one power of two cannot hold together have come to matter."""


def log_energies(W: Matrix, depths: Sequence[int]) -> FloatArray:
    r"""Return :math:`\log \frac1n \|W^k\|_F^2` at each depth; ``-inf`` where the power is 0.

    Parameters
    ----------
    W : ndarray of float64 or complex128
        Shape (n, n), finite.
    depths : sequence of int
        Depths k >= 0, in any order.

    Returns
    -------
    ndarray of float64

    Notes
    -----
    Each power comes from that of half its depth, so that the cost is about 1.5 products of
    matrices for each depth, and one for each power of two; the value at a depth does not depend
    on which other depths are asked for.  The absolute error grows like k 1e-16 (times the
    condition of the eigenvectors): below 1e-10 at depth 1e5 for an orthogonal matrix, of a
    logarithm that is then itself of the order of k.

    Should entries underflow and then matter, because all larger ones have vanished, the work is
    done again with a power of two for every entry, which is slow beyond width 300.

    Examples
    --------
    >>> jordan = np.array([[1.0, 1.0], [0.0, 1.0]])
    >>> np.exp(log_energies(jordan, [0, 1, 10])).round(12).tolist()
    [1.0, 1.5, 51.0]
    >>> log_energies(np.array([[0.0, 1e200], [0.0, 0.0]]), [1, 2]).tolist()[1]
    -inf
    """
    try:
        return _walk(_scaled(W), depths, _multiply, _log_energy)
    except _RangeLostError:
        wide = _wide_range.from_matrix(W)
        return _walk(wide, depths, _wide_range.multiply, _wide_range.log_energy)


def log_energies_of_moduli(log_moduli: FloatArray, depths: Sequence[int]) -> FloatArray:
    r"""Return :math:`\log \frac1n \sum_i |\lambda_i|^{2k}`, a diagonal recurrence.

    Parameters
    ----------
    log_moduli : ndarray of float64
        Logarithms of the moduli, ``-inf`` for an eigenvalue 0; any shape.
    depths : sequence of int
        Depths k >= 0.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> log_energies_of_moduli(np.log([0.5, 0.5]), [0, 3]).round(12).tolist()
    [0.0, -4.15888308336]
    """
    flat = np.sort(log_moduli.ravel())
    top = flat[-1]
    if top == -np.inf:
        return np.array([0.0 if k == 0 else -np.inf for k in depths])
    return np.array([2.0 * k * top + _log_mean_power(flat - top, k) for k in depths])


def _log_mean_power(relative: FloatArray, k: int) -> float:
    """Logarithm of the mean of exp(2 k relative); 0 times -inf counts as 0."""
    if k == 0:
        return 0.0
    return math.log(float(np.mean(np.exp(2.0 * k * relative))))


def _walk(
    base: Power,
    depths: Sequence[int],
    multiply: Callable[[Power, Power], Power],
    log_energy: Callable[[Power], float],
) -> FloatArray:
    """Visit the binary prefixes of all depths, first those of one branch: few powers are held."""
    needed = {k >> shift for k in depths for shift in range(k.bit_length())}
    found = {0: 0.0}
    pending = [(1, base)] if needed else []
    while pending:
        k, power = pending.pop()
        found[k] = log_energy(power)
        children = [child for child in (2 * k + 1, 2 * k) if child in needed]
        if not children:
            continue
        square = multiply(power, power)
        for child in children:
            pending.append((child, multiply(square, base) if child % 2 else square))
    return np.array([found[k] for k in depths])


def _parts(entries: Matrix) -> npt.NDArray[np.float64]:
    """Real and imaginary parts as one real array, without a copy."""
    return entries.view(np.float64)


def _scaled(W: Matrix) -> _Scaled:
    return _normalised(np.ascontiguousarray(W), 0, 0.0)


def _normalised(entries: Matrix, exponent: int, loss: float) -> _Scaled:
    """Bring the largest part to [1/2, 1); ``loss`` is absolute and on the scale of ``entries``."""
    peak = float(np.abs(_parts(entries)).max())
    if peak == 0.0:
        if loss > 0.0:
            raise _RangeLostError
        return _Scaled(entries, 0, 0.0)
    shift = math.frexp(peak)[1]
    if shift > 0 and _smallest_part(entries) < math.ldexp(_SMALLEST, shift):
        loss += math.ldexp(_SMALLEST, shift)
    if loss > _LOSS_ALLOWED * peak:
        raise _RangeLostError
    with np.errstate(under="ignore"):
        scaled = np.ldexp(_parts(entries), -shift).view(entries.dtype)
    return _Scaled(scaled, exponent + shift, math.ldexp(loss, -shift))


def _smallest_part(entries: Matrix) -> float:
    """Smallest part that is not 0, of a matrix that is not 0."""
    sizes = np.abs(_parts(entries))
    return float(np.min(sizes, where=sizes > 0.0, initial=np.inf))


def _multiply(left: _Scaled, right: _Scaled) -> _Scaled:
    n = len(left.entries)
    if not (left.entries.any() and right.entries.any()):
        return _Scaled(np.zeros_like(left.entries), 0, 0.0)
    loss = 2.0 * n * (left.loss + right.loss)
    if _smallest_part(left.entries) * _smallest_part(right.entries) < _SMALLEST:
        loss += 2.0 * n * _SMALLEST
    with np.errstate(under="ignore"):
        product = left.entries @ right.entries
    return _normalised(product, left.exponent + right.exponent, loss)


def _log_energy(power: _Scaled) -> float:
    with np.errstate(under="ignore"):
        squares = np.square(_parts(power.entries))
    mean = float(squares.sum()) / len(power.entries)
    return log_of_scaled(mean, 2 * power.exponent)


def log_of_scaled(value: float, exponent: int) -> float:
    """Return log(value * 2**exponent), exactly 0 for 1 and accurate near it."""
    if value == 0.0:
        return -math.inf
    mantissa, shift = math.frexp(value)
    if mantissa < math.sqrt(0.5):
        mantissa, shift = 2.0 * mantissa, shift - 1
    return math.log(mantissa) + (shift + exponent) * _LOG2
