r"""Input laws: how the input of one step depends on that of the step before.

- ``"white"``: a fresh vector at every step;
- ``"constant"``: one vector per trajectory, the same at every step;
- ``("ar1", rho)``: :math:`x^{(t)} = \rho x^{(t-1)} + \sqrt{1 - \rho^2} \xi^{(t)}` with
  fresh normals, started in its stationary law, so that :math:`E x^{(s)} \bar x^{(t)} =
  \rho^{|t-s|}` for every entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sigprop._arguments import as_finite_float
from sigprop.recurrences.protocol import State

InputLaw = str | tuple[str, float]
"""``"white"``, ``"constant"`` or ``("ar1", rho)``."""


def as_input_law(name: str, value: Any) -> InputLaw:
    """Return a valid input law in plain types.

    Raises
    ------
    TypeError, ValueError
        If it is no such law, or rho is no number strictly between -1 and 1.

    Examples
    --------
    >>> as_input_law("inputs", ["ar1", np.float32(0.5)])
    ('ar1', 0.5)
    """
    if isinstance(value, str) and value in ("white", "constant"):
        return str(value)
    is_ar1 = isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[0], str)
    if not is_ar1 or value[0] != "ar1":
        raise ValueError(f"{name} must be 'white', 'constant' or ('ar1', rho), got {value!r:.60}")
    rho = as_finite_float(f"rho of {name}", value[1])
    if not -1.0 < rho < 1.0:
        raise ValueError(f"rho of {name} must lie strictly between -1 and 1, got {rho!r}")
    return "ar1", rho


def input_sequence(
    law: InputLaw, draw: Callable[[int], State], steps: int, previous: State | None = None
) -> State:
    """Return the inputs of some steps, shape (batch, steps, n).

    Parameters
    ----------
    law : InputLaw
        Dependence in time.
    draw : callable
        ``draw(m)`` returns m independent vectors for each trajectory, (batch, m, n).
    steps : int >= 1
        Number of steps.
    previous : ndarray, shape (batch, n), optional
        Inputs of the step before; None at the start of the trajectories.

    Returns
    -------
    ndarray, shape (batch, steps, n)
        A read-only view for constant inputs.
    """
    if law == "white":
        return draw(steps)
    if law == "constant":
        vector = draw(1) if previous is None else previous[:, np.newaxis]
        batch, _, width = vector.shape
        return np.broadcast_to(vector, (batch, steps, width))
    rho = float(law[1])
    innovation = math.sqrt((1.0 - rho) * (1.0 + rho))
    inputs = draw(steps)
    for step in range(steps):
        before = previous if step == 0 else inputs[:, step - 1]
        if before is not None:
            inputs[:, step] = innovation * inputs[:, step] + rho * before
    return inputs
