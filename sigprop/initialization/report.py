"""The gain report: what gain 1 would do, which gain is safe, and the line to paste."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from sigprop.initialization.gains import (
    as_length,
    as_quantile,
    as_width,
    safe_gain,
    unit_energy_gain,
)
from sigprop.theory import energy

_VANISHED = -20.0  # log energy: below 2e-9


@dataclass(frozen=True)
class GainReport:
    """Gains of one width and length; the attributes are the keys of the JSON record.

    Attributes
    ----------
    width, length : int
        What it is for.
    field : str
        Field of the weights.
    bound, quantile : float
        The safe gain keeps this quantile of the energy below the bound.
    mean_unit_gain : float
        Gain at which the mean energy at the end is 1.
    mean_unit_gain_log_energy : float
        Logarithm of the energy of a median draw at that gain.
    median_unit_gain : float
        Gain at which a median draw of W has energy 1 at the end.
    median_unit_gain_error : float
        How far that may be off.
    safe_gain, safe_gain_error : float
        Largest gain that keeps the quantile below the bound at each depth.
    safe_gain_log_energy : float
        Logarithm of the energy of a median draw at the end at the safe gain.
    safe_depth : int
        Depth at which it reaches the bound.
    method : str
        How the quantile was found.
    default_gain_energy : float
        Logarithm of the mean energy at the end at gain 1.
    default_gain_median : float
        Logarithm of the energy of a median draw at the end at gain 1.
    breakdown_depth : int
        First depth where S of the LRU at gain 1 is more than 10 % above infinite width.
    remark : str
        What mean and median mean here.
    paste : dict of str to str
        One line for PyTorch and for JAX that draws the weights at the safe gain.

    Examples
    --------
    >>> report = gain_report(64, 16, field="complex")
    >>> GainReport.from_dict(report.to_dict()) == report
    True
    """

    width: int
    length: int
    field: str
    bound: float
    quantile: float
    mean_unit_gain: float
    mean_unit_gain_log_energy: float
    median_unit_gain: float
    median_unit_gain_error: float
    safe_gain: float
    safe_gain_error: float
    safe_gain_log_energy: float
    safe_depth: int
    method: str
    default_gain_energy: float
    default_gain_median: float
    breakdown_depth: int
    remark: str
    paste: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for strict JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> GainReport:
        """Return the report whose `to_dict` is given."""
        return cls(**fields)


def gain_report(
    n: int, length: int, bound: float = 10.0, *, quantile: float = 0.95, field: str = "real"
) -> GainReport:
    """Return the gains of a dense recurrence of width n at a sequence length, and what to paste.

    Parameters
    ----------
    n : int
        Width, 1 to 10**9.
    length : int
        Length of the sequence, 1 to 10**7.
    bound : float
        Bound > 1 of the energy per unit.
    quantile : float
        Quantile of the energy of one draw of W that is to stay below the bound at each depth,
        .005 to .995.
    field : {"real", "complex"}
        Field of the weights.

    Returns
    -------
    GainReport

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Examples
    --------
    >>> report = gain_report(256, 64, field="complex")
    >>> report.mean_unit_gain < report.safe_gain < report.median_unit_gain
    True
    """
    from sigprop.regimes import breakdown_depth
    from sigprop.typical import energy_quantiles, typical_gain

    n, length = as_width(n), as_length("length", length)
    quantile = as_quantile("quantile", quantile)
    safe = safe_gain(n, length, bound, quantile=quantile, field=field)
    mean_gain = unit_energy_gain(n, length, field=field)
    median = typical_gain(n, length, field=field)
    log_median = float(energy_quantiles(n, length, (0.5,), field=field).values[0])
    at_mean_gain = log_median + 2.0 * length * math.log(mean_gain)
    return GainReport(
        width=n,
        length=length,
        field=field,
        bound=safe.bound,
        quantile=quantile,
        mean_unit_gain=mean_gain,
        mean_unit_gain_log_energy=at_mean_gain,
        median_unit_gain=float(median.gain),
        median_unit_gain_error=float(median.error),
        safe_gain=safe.gain,
        safe_gain_error=safe.gain_error,
        safe_gain_log_energy=log_median + 2.0 * length * math.log(safe.gain),
        safe_depth=safe.worst_depth,
        method=safe.method,
        default_gain_energy=float(energy.log_rnn_energy(n, length, field=field)),
        default_gain_median=log_median,
        breakdown_depth=int(breakdown_depth(n, field=field)),
        remark=_remark(at_mean_gain, log_median + 2.0 * length * math.log(safe.gain)),
        paste=paste_lines(n, safe.gain, field),
    )


def _remark(at_mean_gain: float, at_safe_gain: float) -> str:
    if at_mean_gain > -math.log(10.0):
        text = "mean and median draw agree within a factor 10: either gain will do"
    else:
        fate = "has all but vanished" if at_mean_gain < _VANISHED else "is well below the mean"
        text = (
            f"at mean_unit_gain a typical draw {fate} (log energy about {at_mean_gain:.0f}): the "
            "mean is carried by rare draws"
        )
    if at_safe_gain < _VANISHED:
        text += (
            f"; at safe_gain a median draw fades too (log energy about {at_safe_gain:.0f}): no "
            "gain holds most draws of an unnormalised layer between bounds at this length; use "
            "median_unit_gain with the state normalised, or orthogonal weights"
        )
    return text


def _rounded_down(gain: float) -> str:
    """Return a gain to eight decimals that is not above it: a bound stays one."""
    shown = f"{gain:.8f}"
    return shown if float(shown) <= gain else f"{float(shown) - 1e-8:.8f}"


def paste_lines(n: int, gain: float, field: str) -> dict[str, str]:
    """Return a line for PyTorch and one for JAX that draws an n x n matrix of this gain.

    Examples
    --------
    >>> paste_lines(64, 0.5, "real")["torch"]
    'torch.nn.init.normal_(rnn.weight_hh_l0, std=0.50000000 / 64**0.5)'
    """
    scale = f"{_rounded_down(gain)} / {n}**0.5"
    if field == "real":
        return {
            "torch": f"torch.nn.init.normal_(rnn.weight_hh_l0, std={scale})",
            "jax": f"W = {scale} * jax.random.normal(key, ({n}, {n}))",
        }
    return {
        "torch": f"W = {scale} * torch.randn({n}, {n}, dtype=torch.complex64)",
        "jax": f"W = {scale} * jax.random.normal(key, ({n}, {n}), dtype=jax.numpy.complex64)",
    }
