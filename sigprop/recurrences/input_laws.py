r"""Sequences of random inputs with the correlations of an input law.

The laws are those of `sigprop.theory.input_laws`:

- ``"white"``: a fresh vector at every step;
- ``"constant"``: one vector per trajectory, the same at every step;
- ``("ar1", rho)``: :math:`x^{(t)} = \rho x^{(t-1)} + \sqrt{1 - \rho^2} \xi^{(t)}` with
  fresh normals, started in its stationary law;
- an autocorrelation array of order q: normals on a circle of q steps more than are wanted,
  filtered by the root of the spectrum.  On the circle no correlation reaches around from the
  last step wanted to the first, so their covariance is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.recurrences.protocol import State
from sigprop.theory.input_laws import InputLaw, as_input_law, autocorrelation

__all__ = ["InputLaw", "as_input_law", "drawn_at_once", "input_sequence"]


def drawn_at_once(law: InputLaw) -> bool:
    """Tell whether all steps of a trajectory have to be drawn in one call.

    Examples
    --------
    >>> drawn_at_once(("ar1", 0.5)), drawn_at_once(("autocorrelation", (1.0, 0.5)))
    (False, True)
    """
    return law[0] == "autocorrelation"


def input_sequence(
    law: InputLaw, draw: Callable[[int], State], steps: int, previous: State | None = None
) -> State:
    """Return the inputs of some steps, shape (batch, steps, n).

    Parameters
    ----------
    law : InputLaw
        Dependence in time, as `as_input_law` returns it.
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

    Raises
    ------
    ValueError
        If ``previous`` is given for an autocorrelation array: the step before is not all
        that the next one depends on.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> law = as_input_law("inputs", [1.0, 0.5])
    >>> input_sequence(law, lambda m: rng.standard_normal((2, m, 3)), 4).shape
    (2, 4, 3)
    """
    if law == "white":
        return draw(steps)
    if law == "constant":
        vector = draw(1) if previous is None else previous[:, np.newaxis]
        batch, _, width = vector.shape
        return np.broadcast_to(vector, (batch, steps, width))
    if drawn_at_once(law):
        if previous is not None:
            raise ValueError(
                f"previous must be None for inputs {law!r:.60}: all steps are drawn at once"
            )
        return _filtered(law, draw, steps)
    rho = float(autocorrelation(law, 2)[1])
    innovation = math.sqrt((1.0 - rho) * (1.0 + rho))
    inputs = draw(steps)
    for step in range(steps):
        before = previous if step == 0 else inputs[:, step - 1]
        if before is not None:
            inputs[:, step] = innovation * inputs[:, step] + rho * before
    return inputs


def _filtered(law: InputLaw, draw: Callable[[int], State], steps: int) -> State:
    order = len(law[1]) - 1  # type: ignore[arg-type]
    noise = draw(steps + order)
    root = np.sqrt(_circle_spectrum(autocorrelation(law, order + 1), steps + order))
    waves = np.fft.fft(noise, axis=1) * root[:, np.newaxis]
    inputs = np.fft.ifft(waves, axis=1)[:, :steps]
    return inputs if np.iscomplexobj(noise) else inputs.real


def _circle_spectrum(values: FloatArray, size: int) -> FloatArray:
    """Return the spectrum at the frequencies of a circle, >= 0 but for rounding, which is cut."""
    circle = np.zeros(size)
    circle[: values.size] += values
    circle[size - values.size + 1 :] += values[:0:-1]
    return np.maximum(np.fft.fft(circle).real, 0.0)
