r"""The gain at which one draw of the weights keeps its energy.

A gain g moves every quantile of log E_k by 2 k log g, so that the q-quantile of E_k meets a
target at

.. math:: g = \exp\Big( \frac{\log(\mathrm{target}) - x_q}{2k} \Big),

x_q the quantile of log E_k at gain 1. At great depth it tends to 1/r_q, the reciprocal of
the quantile of the spectral radius.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from sigprop._arguments import as_finite_float, as_integer, as_positive_float
from sigprop.typical.quantiles import energy_quantiles


@dataclass(frozen=True)
class TypicalGain:
    """The gain at which the q-quantile of E_k is the target.

    Attributes
    ----------
    n, k : int
        Width and depth.
    field : str
        "complex" or "real".
    q : float
        Level; 0.5 for the median.
    target : float
        Energy that the quantile meets.
    gain : float
        Factor on weights with :math:`E|W_{ij}|^2 = 1/n`.
    error : float
        Stated error of the gain, from that of the quantile.
    method : str
        As for `EnergyQuantiles`.

    Examples
    --------
    >>> typical_gain(64, 32).gain < 1.0
    True
    """

    n: int
    k: int
    field: str
    q: float
    target: float
    gain: float
    error: float
    method: str

    def __float__(self) -> float:
        return self.gain

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data: None for what is not finite."""
        record = asdict(self)
        record["error"] = self.error if math.isfinite(self.error) else None
        return record

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> TypicalGain:
        """Return the gain of a record made by `to_dict`."""
        return cls(**{**record, "error": math.inf if record["error"] is None else record["error"]})


def typical_gain(
    n: Any, k: Any, *, field: str = "complex", q: Any = 0.5, target: Any = 1.0
) -> TypicalGain:
    r"""Return the gain at which the q-quantile of the energy after k steps is the target.

    Parameters
    ----------
    n, k : int
        Width and depth, as for `energy_quantiles`; k >= 1.
    field : {"complex", "real"}, optional
        Field of the weights.
    q : float, optional
        Level from .005 to .995; the median by default.
    target : float, optional
        Energy per unit that the quantile meets, > 0.

    Returns
    -------
    TypicalGain
        With ``.gain``, ``.error`` and ``.method``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or out of its range; if k = 0, which no gain moves.

    Notes
    -----
    The error e of the quantile leaves a relative error of exp(e/(2k)) - 1 in the gain: some
    1e-3 at n = 1024 and any depth beyond 100.

    Examples
    --------
    >>> complex_weights, real_weights = (
    ...     typical_gain(1024, 16384, field=field) for field in ("complex", "real")
    ... )
    >>> round(complex_weights.gain, 3), round(real_weights.gain, 3)
    (0.975, 0.978)
    """
    k = as_integer("k", k, 1)
    level = as_finite_float("q", q)
    energy = as_positive_float("target", target)
    law = energy_quantiles(n, k, level, field=field)
    gain = math.exp((math.log(energy) - law.values[0]) / (2.0 * k))
    error = gain * math.expm1(min(law.errors[0] / (2.0 * k), 700.0))
    return TypicalGain(law.n, k, field, level, energy, gain, error, law.method)
