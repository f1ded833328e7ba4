r"""float64 second moments of traces at any width, O(N^3) for all pairs with i + j = N.

With :math:`B_j = W^j W^{j*}` and W = G/sqrt(n) this file computes

.. math:: Y_{ij} = n^{-2}\,(E[\mathrm{tr} B_i\, \mathrm{tr} B_j] + E[\mathrm{tr} B_i B_j]) - 1
   = 2 \sum_\lambda w_{ij}(\lambda)\,\bigl(e^{x_\lambda} - 1\bigr), \qquad
   x_\lambda = \sum_{box} \log(1 + content/n),

where the -1 costs no digits because the weights sum to 1/2.  A double hook has
:math:`e^x = u v`, u from its arms (D, alpha) and v from its legs (E, beta), so that at
fixed (D, E) the sum over alpha + beta = N + 2 is an entry of a matrix product; and
:math:`uv - 1 = (u - 1) v + (v - 1)` keeps small x exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory import _trace_weights as weights
from sigprop.theory._special import half_log_ratio, log_rising

_LARGEST_LOG = 500.0
"""Beyond this log the products of contents are scaled down by the largest of them."""


class PairSums(NamedTuple):
    """Y, or (1 + Y) exp(-log_scale) where log_scale > 0; one value per difference."""

    values: FloatArray
    log_scale: float


def log_factors(n: float, size: int) -> tuple[FloatArray, FloatArray]:
    """Return the sums over c <= m of log(1 + c/n) and log(1 - c/n), m < size; -inf from n on."""
    depth = np.arange(float(size))
    width = np.full(size, n)
    rising = log_rising(width, depth)
    falling = np.full(size, -np.inf)
    inside = depth < n
    falling[inside] = rising[inside] - 2.0 * half_log_ratio(width[inside], depth[inside])
    return rising, falling


class _Rows(NamedTuple):
    """Matrices over (difference, sum): exp of the logs, expm1 of them, and 1; 0 off the range."""

    value: FloatArray
    excess: FloatArray
    present: FloatArray


def _rows(logs: FloatArray, differences: FloatArray, sums: FloatArray, shift: float) -> _Rows:
    """Pair the logs at (high, low) with high - low = difference and high + low + 1 = sum."""
    low = ((sums - 1.0 - differences[:, None]) / 2.0).astype(np.int64)
    present = low >= 0
    low = np.where(present, low, 0)
    high = np.where(present, low + differences[:, None].astype(np.int64), 0)
    paired = logs[high] + logs[low] - shift
    return _Rows(
        np.where(present, np.exp(paired), 0.0),
        np.where(present, np.expm1(paired), 0.0),
        present.astype(np.float64),
    )


def _alpha_sums(
    D: FloatArray, E: FloatArray, boxes: int, logs: tuple[FloatArray, FloatArray], shift: float
) -> FloatArray:
    """Sum 1, alpha^2, alpha beta and beta^2 times e^x - 1 (or the scaled e^x) over alpha.

    Rows are the D, columns the E: alpha has the parity of D + 1, beta that of E + 1.
    """
    alpha = np.arange(D[0] + 1, boxes - 1, 2.0)
    beta = boxes - alpha
    arms = _rows(logs[0], D, alpha, shift)
    legs = _rows(logs[1], E, beta, 0.0)
    sums = np.empty((4, len(D), len(E)))
    for index, factor in enumerate((np.ones_like(alpha), alpha * alpha, alpha * beta, beta * beta)):
        if shift > 0.0:
            sums[index] = (arms.value * factor) @ legs.value.T
        else:
            sums[index] = (arms.excess * factor) @ legs.value.T
            sums[index] += (arms.present * factor) @ legs.excess.T
    return sums


def _contracted(form: weights.QuadraticForm, sums: FloatArray) -> FloatArray:
    return np.asarray(sum(c * s for c, s in zip(form, sums, strict=True)))


def _double_hooks(
    first: int,
    boxes: int,
    differences: Sequence[int],
    logs: tuple[FloatArray, FloatArray],
    shift: float,
) -> FloatArray:
    """Sum 2w (e^x - 1) over the double hooks with D of one parity, for each difference."""
    D = np.arange(first, boxes - 2, 2.0)
    E = np.arange(1 + (boxes - 1 - first) % 2, boxes - 2, 2.0)
    rows, columns = np.meshgrid(D, E, indexing="ij")
    fits = rows + columns + 2 <= boxes
    rows, columns = rows[fits], columns[fits]
    sums = _alpha_sums(D, E, boxes, logs, shift)[:, fits]
    sums *= 32.0 / weights.corner_product(rows, columns, boxes)
    with np.errstate(divide="ignore", invalid="ignore"):  # off the regions, where they are not used
        constant, offset, square = (
            _contracted(form, sums) for form in weights.middle_forms(rows, columns)
        )
        inside = _contracted(weights.inside_form(rows, columns), sums)
    result = _on_edges(rows, columns, sums, differences)
    for index, d in enumerate(differences):
        middle = weights.in_middle(rows, columns, d)
        terms = constant[middle] + 0.25 * d * d * square[middle]
        terms += 0.25 * (columns[middle] - d) ** 2 * offset[middle]
        result[index] += terms.sum() + inside[weights.is_inside(rows, columns, d)].sum()
    return result


def _on_edges(
    D: FloatArray, E: FloatArray, sums: FloatArray, differences: Sequence[int]
) -> FloatArray:
    """Sum over the edges of the regions: each (D, E) is on those at d = D + E and |D - E|."""
    wanted = np.asarray(differences, dtype=np.float64)
    result = np.zeros(len(wanted))
    for d in (D + E, np.abs(D - E)):
        held = np.isin(d, wanted)
        forms = weights.edge_forms(D[held], E[held], d[held])
        terms = _contracted(forms, sums[:, held])
        result += np.bincount(np.searchsorted(wanted, d[held]), terms, len(wanted))
    return result


def pair_sums(n: float, total: int, differences: Sequence[int]) -> PairSums:
    """Return Y for i + j = total and each j - i in differences, at width n."""
    boxes = total + 2
    logs = log_factors(n, boxes)
    largest = float(logs[0][-1])
    shift = largest if largest > _LARGEST_LOG else 0.0
    legs, smaller = np.meshgrid(
        np.arange(float(boxes)), (total - np.asarray(differences, dtype=np.float64)) / 2.0 + 1.0
    )
    hooks = logs[0][::-1] + logs[1] - shift
    products = np.exp(hooks) if shift > 0.0 else np.expm1(hooks)
    values = 2.0 * weights.float_hook_weights(boxes - 1.0 - legs, legs, smaller) @ products
    for first in range(1, min(3, boxes - 2)):
        values += _double_hooks(first, boxes, differences, logs, shift)
    return PairSums(values, shift)
