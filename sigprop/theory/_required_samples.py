"""How many draws a mean energy takes; re-exported by `sigprop.theory.fluctuations`."""

from __future__ import annotations

import math

from sigprop._arguments import as_positive_float
from sigprop.theory._relative_variance import relative_variance_with_error


def required_samples(
    n: int,
    depth: int,
    relative_error: float,
    model: str = "rnn",
    gain: float = 1.0,
    field: str = "complex",
) -> int:
    r"""Return the draws whose mean has this relative standard error, ceil(relvar / eps^2).

    Parameters
    ----------
    n, depth, model, gain, field
        One point, as for `relative_variance`.
    relative_error : float
        Wanted standard error over the mean, > 0.

    Returns
    -------
    int
        Number of independent draws, at least 1; of any size.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a number in its range.

    Notes
    -----
    The rule is sufficient, not necessary: beyond k/sqrt(n) of about 3 the second moment is
    carried by draws far rarer than those that carry the mean.  Nor is the sample's own
    standard error to be believed with fewer draws than this.

    Examples
    --------
    >>> required_samples(64, 8, 0.01)
    2015
    >>> required_samples(64, 6, 0.01, field="real")
    2631
    """
    error = as_positive_float("relative_error", relative_error)
    log_variance = relative_variance_with_error(n, depth, model, gain, field).log_value
    return max(1, _ceil_exp(log_variance - 2.0 * math.log(error)))


def _ceil_exp(log: float) -> int:
    """Return e^log rounded up, but for an excess within the error of the log."""
    if log < 700.0:
        return math.ceil(math.exp(log) * (1.0 - 1e-12))
    exponent = math.floor(log / math.log(2.0)) - 52
    return math.ceil(math.exp(log - exponent * math.log(2.0))) << exponent
