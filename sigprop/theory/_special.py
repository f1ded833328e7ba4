r"""Elementary functions that factorial products are made of, without cancellation.

With :math:`y = m/n`, both factorial products over :math:`n^m`,

.. math:: r_m = \prod_{j \le m} (1 + j/n), \qquad f_m = \prod_{j \le m} (1 - j/n),

follow from Stirling's formula with remainder :math:`\mu`:

.. math:: \log r_m = n \varphi(y) + \tfrac12 \log(1+y) + \mu(n+m) - \mu(n),
   \qquad \varphi(y) = (1+y)\log(1+y) - y.

Differences of ``gammaln`` would lose every digit at large n; here each term is
evaluated to its own last digit, and the large one also in double-double.
"""

from __future__ import annotations

import functools
from decimal import Context, Decimal

import numpy as np

from sigprop._arguments import FloatArray

# mu(z) = sum_i B_2i / (2i (2i-1) z^(2i-1)).  At z = 16 the first term left out is below 2e-18.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_STIRLING_FROM = 16.0

# Odd reciprocals: sum_j s^(2j) / (2j+3).  With s <= 1/3 the terms left out are below 1e-17.
_ODD = tuple(1.0 / (2 * j + 3) for j in range(16))

# phi(y) = y^2/2 - y^3 sum_j (-y)^j / ((j+2)(j+3)) and log(1+y) = y - y^2 sum_j (-y)^j / (j+2);
# for y < 1/64 the terms left out are below 1e-21.
_PHI_BEYOND_SQUARE = tuple((-1.0) ** j / ((j + 2) * (j + 3)) for j in range(12))
_LOG_BEYOND_LINEAR = tuple((-1.0) ** j / (j + 2) for j in range(12))

_TABLE_STEPS = 64
_TABLE_FIRST_OCTAVE, _TABLE_LAST_OCTAVE = -6, 8
TABLE_FROM, TABLE_TO = 2.0**_TABLE_FIRST_OCTAVE, 2.0 ** (_TABLE_LAST_OCTAVE + 1)


def horner(x: FloatArray, coefficients: tuple[float, ...]) -> FloatArray:
    """Evaluate sum_j coefficients[j] x^j."""
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total *= x
        total += coefficient
    return total


def phi(y: FloatArray) -> FloatArray:
    r"""Return :math:`\varphi(y) = (1+y)\log(1+y) - y` for y > -1, relative error a few ulp.

    Near zero from :math:`s = y/(2+y)`:
    :math:`\varphi = y s + 2(1+y)s^3(1/3 + s^2/5 + s^4/7 + \cdots)`.
    """
    near = (y > -0.5) & (y < 1.0)
    inner = np.where(near, y, 0.0)
    s = inner / (2.0 + inner)
    square = s * s
    series = inner * s + 2.0 * (1.0 + inner) * s * square * horner(square, _ODD)
    outer = np.where(near, 1.0, y)
    return np.where(near, series, (1.0 + outer) * np.log1p(outer) - outer)


def stirling_remainder(z: FloatArray) -> FloatArray:
    r"""Return the remainder of Stirling's formula for z >= 1, relative error a few ulp.

    :math:`\mu(z) = \log\Gamma(z+1) - (z+\tfrac12)\log z + z - \tfrac12\log 2\pi`.
    Below 16 it is shifted up by
    :math:`\mu(z) - \mu(z+1) = (z+\tfrac12)\log(1+1/z) - 1 = \sum_{j\ge1} s^{2j}/(2j+1)`,
    s = 1/(2z+1): all terms positive, so nothing cancels.
    """
    small = z < _STIRLING_FROM
    shift = np.zeros_like(z)
    if np.any(small):
        low = z[small]
        total = np.zeros_like(low)
        for _ in range(int(_STIRLING_FROM) - 1):
            square = 1.0 / (2.0 * low + 1.0) ** 2
            total = total + np.where(low < _STIRLING_FROM, square * horner(square, _ODD), 0.0)
            low = np.where(low < _STIRLING_FROM, low + 1.0, low)
        shift[small] = total
        z = z.copy()
        z[small] = low
    inverse = 1.0 / z
    return shift + inverse * horner(inverse * inverse, _STIRLING)


def log_rising(n: FloatArray, m: FloatArray) -> FloatArray:
    r"""Return :math:`\log r_m = \sum_{j \le m} \log(1 + j/n)` in plain float64."""
    y = m / n
    return n * phi(y) + 0.5 * np.log1p(y) + stirling_remainder(n + m) - stirling_remainder(n)


def half_log_ratio(n: FloatArray, m: FloatArray) -> FloatArray:
    r"""Return :math:`D = \tfrac12\log(r_m/f_m) = \sum_{j \le m} \mathrm{artanh}(j/n)`, m < n."""
    y = m / n
    smooth = 0.5 * n * (phi(y) + phi(-y)) + 0.5 * np.arctanh(y)
    pair = 0.5 * (stirling_remainder(n + m) + stirling_remainder(n - m))
    return smooth + (pair - stirling_remainder(n))


def _two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _split(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    scaled = 134217729.0 * a  # 2^27 + 1: Veltkamp's constant
    high = scaled - (scaled - a)
    return high, a - high


def _two_product(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


@functools.cache
def _anchor_table() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Values of phi(y) and log(1+y) in double-double at 64 anchors per octave."""
    context = Context(prec=45)
    phis, logs = [], []
    for octave in range(_TABLE_FIRST_OCTAVE, _TABLE_LAST_OCTAVE + 2):
        for step in range(_TABLE_STEPS):
            y = Decimal(2.0**octave * (1.0 + step / _TABLE_STEPS))
            log = context.ln(context.add(1, y))
            logs.append(log)
            phis.append(context.subtract(context.multiply(context.add(1, y), log), y))
    return (*_as_pairs(phis, context), *_as_pairs(logs, context))


def _as_pairs(values: list[Decimal], context: Context) -> tuple[FloatArray, FloatArray]:
    high = np.array([float(value) for value in values])
    low = [float(context.subtract(v, Decimal(h))) for v, h in zip(values, high, strict=True)]
    return high, np.array(low)


def _log_rising_near_zero(n: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Double-double log r_m for m/n below the table: m(m+1)/(2n) exactly, the rest is small."""
    product, product_error = _two_product(m, m + 1.0)
    high = product / (2.0 * n)
    back, back_error = _two_product(high, 2.0 * n)
    low = ((product - back) - back_error + product_error) / (2.0 * n)
    y = m / n
    cubic = -n * (y * y * y) * horner(y, _PHI_BEYOND_SQUARE)
    half_log = -0.5 * (y * y) * horner(y, _LOG_BEYOND_LINEAR)
    return high, low + (cubic + half_log + (stirling_remainder(n + m) - stirling_remainder(n)))


def _log_rising_by_anchor(n: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Double-double log r_m from the nearest anchor :math:`y_i`.

    :math:`n\varphi(y) = n\varphi(y_i) + h\log(1+y_i) + n(1+y_i)\varphi(v)` with
    :math:`h = m - n y_i` and :math:`v = h/(n(1+y_i))`: only the first two terms are large.
    """
    y = m / n
    mantissa, exponent = np.frexp(y)
    step = np.rint((2.0 * mantissa - 1.0) * _TABLE_STEPS).astype(np.int64)
    octave = exponent.astype(np.int64) - 1
    index = (octave - _TABLE_FIRST_OCTAVE) * _TABLE_STEPS + step
    anchor = np.ldexp(1.0 + step / _TABLE_STEPS, octave)
    phi_high, phi_low, log_high, log_low = (column[index] for column in _anchor_table())
    h = m - n * anchor
    main, main_error = _two_product(n, phi_high)
    slope, slope_error = _two_product(h, log_high)
    high, low = _two_sum(main, slope)
    low = low + (main_error + n * phi_low) + (slope_error + h * log_low)
    scale = n * (1.0 + anchor)
    rest = 0.5 * np.log1p(y) + stirling_remainder(n + m) - stirling_remainder(n)
    return high, low + (scale * phi(h / scale) + rest)


def log_rising_pair(n: FloatArray, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return :math:`\log r_m` as an unevaluated sum high + low.

    Absolute error about 1e-15 while :math:`\log r_m` is below 1000, which is where
    its exponential is a finite float; beyond, the relative error of plain float64.
    """
    y = m / n
    high, low = np.empty_like(y), np.zeros_like(y)
    near = y < TABLE_FROM
    # Beyond n = 1e8 a depth above the table's start has log r > 1000 anyway.
    anchored = ~near & (y < TABLE_TO) & (n < 1e8)
    plain = ~(near | anchored)
    for where, method in ((near, _log_rising_near_zero), (anchored, _log_rising_by_anchor)):
        if np.any(where):
            high[where], low[where] = method(n[where], m[where])
    if np.any(plain):
        high[plain] = log_rising(n[plain], m[plain])
    return high, low
