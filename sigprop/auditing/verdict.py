"""What the numbers of one matrix mean in words, and what they do not cover."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from sigprop.auditing.magnitude import as_text
from sigprop.auditing.measures import Measures
from sigprop.auditing.prediction import Prediction

SAFE_FACTOR = 10.0
"""An energy is called safe while it is between 1/10 and 10 of the input's."""

_SAFE_LOG = math.log(SAFE_FACTOR)
_ROUNDING = 1e-9
_NEARLY_NORMAL = 0.1
_NEAR = 0.1

NOT_COVERED = (
    "the linear recurrence h -> W h alone: inputs, biases, non-linearity, normalisation and "
    "further training change what a running network does"
)
GATE_NOT_COVERED = (
    "one gate's block as a matrix on its own: in the cell it is squashed and multiplied with "
    "the other gates, and inputs, biases and training change what a running network does"
)
DIAGONAL_NOT_COVERED = (
    "the diagonal recurrence h -> lambda h alone: input and output maps, normalisers, "
    "non-linearity and training change what a running network does"
)


class Profile(NamedTuple):
    """Depths in growing order, and the logarithm of the energy at each."""

    depths: Sequence[int]
    log_energy: Sequence[float]


def parts_at(profile: Profile, prediction: Prediction) -> tuple[int, str] | None:
    """Return the first depth outside the band, beyond its error, and on which side."""
    for depth, value, _, low, high, error in zip(*profile, *prediction, strict=True):
        if low is None or high is None or error is None:
            continue
        if value < low - error - _ROUNDING:
            return depth, "below"
        if value > high + error + _ROUNDING:
            return depth, "above"
    return None


def dense_verdict(profile: Profile, prediction: Prediction, measures: Measures, n: int) -> str:
    """Say whether a matrix is safe, how it compares with a random one, and what to change."""
    return " ".join(
        [_state(profile), _comparison(profile, prediction, measures, n), *_advice(profile)]
    )


def diagonal_verdict(profile: Profile, log_radius: float, log_state: float) -> str:
    """Say whether a diagonal recurrence is safe and what to change."""
    stable = "inside" if log_radius < 0.0 else "on" if log_radius == 0.0 else "outside"
    where = f"The largest modulus is {as_text(log_radius, digits=6)}, {stable} the unit circle."
    driven = (
        f"Driven by white inputs of unit variance its state has energy {as_text(log_state)} "
        f"after {_steps(profile.depths[-1])}."
    )
    return " ".join([_state(profile), where, driven, *_diagonal_advice(profile)])


def _state(profile: Profile) -> str:
    """Return the first sentence: safe or not, and from where."""
    last, log_last = profile.depths[-1], profile.log_energy[-1]
    unsafe = _first_unsafe(profile)
    if unsafe is None:
        return f"Safe up to {_steps(last)}: the energy stays within a factor {SAFE_FACTOR:g} of 1."
    depth, value = unsafe
    if log_last == -math.inf:
        gone = next(k for k, v in zip(*profile, strict=True) if v == -math.inf)
        return f"Unsafe at {_steps(last)}: nothing is left of the state from depth {gone} on."
    if value > 0.0:
        peak = max(profile.log_energy)
        top = profile.depths[list(profile.log_energy).index(peak)]
        words = f"the energy passes {SAFE_FACTOR:g} by depth {depth}"
        words += f" and is {as_text(peak)} at its highest, at depth {top}"
        words += f"; it is {as_text(log_last)} at the end" if top != last else ""
        return f"Unsafe at {_steps(last)}, it grows: {words}."
    return (
        f"Unsafe at {_steps(last)}, it fades: the energy is below 1/{SAFE_FACTOR:g} "
        f"by depth {depth} and {as_text(log_last)} at the end."
    )


def _comparison(profile: Profile, prediction: Prediction, measures: Measures, n: int) -> str:
    """Return the second: inside the band of a random matrix, or where it leaves it and why."""
    if all(low is None for low in prediction.low):
        return "There is no gain to compare a random matrix of."
    band = "the 5 % to 95 % band of independent Gaussian entries of the same gain"
    parting = parts_at(profile, prediction)
    structure = _structure(measures, n)
    if parting is None:
        return f"Its energies are inside {band}{', but ' if structure else ''}{structure}."
    depth, side = parting
    reason = f" ({structure})" if structure else ""
    return f"Its energies are {side} {band} from depth {depth}{reason}."


def _structure(measures: Measures, n: int) -> str:
    """Return what sets the matrix apart from one of independent entries, if that is plain."""
    if _is_outlier(measures):
        eigenvalue = _in_words(measures.relative_eigenvalue, measures.log_gain_squared / 2.0)
        return f"its entries have a mean, an eigenvalue {eigenvalue}: subtract the mean"
    if n > 1 and measures.departure_from_normality < _NEARLY_NORMAL:
        return "it is nearly normal, like an orthogonal or symmetric matrix"
    return ""


def _is_outlier(measures: Measures) -> bool:
    """Tell whether a mean sticks out of the noise: there is an eigenvalue where it would be."""
    mean = abs(measures.relative_mean)
    distance = abs(measures.relative_eigenvalue - measures.relative_mean)
    return mean > max(1.0 + _ROUNDING, 0.5 * measures.relative_radius) and distance < _NEAR * mean


def _in_words(value: complex, log_unit: float) -> str:
    """Say where an eigenvalue is: near a real number, or at about which modulus."""
    size = as_text(math.log(abs(value)) + log_unit)
    if abs(value.imag) > _ROUNDING * abs(value):
        return f"of modulus {size}"
    return f"near -{size}" if value.real < 0.0 else f"near {size}"


def _advice(profile: Profile, weights: str = "W") -> list[str]:
    """Return what to change: gain, length, normalisation; nothing if all is well."""
    unsafe = _first_unsafe(profile)
    if unsafe is None:
        return []
    last, log_last = profile.depths[-1], profile.log_energy[-1]
    if log_last == -math.inf:
        return ["No gain helps: initialise it anew, or keep a skip connection."]
    factor = as_text(-log_last / (2.0 * last), digits=6)
    advice = f"Multiply {weights} by {factor} for energy 1 at depth {last}"
    safe = [k for k in profile.depths if 0 < k < unsafe[0]]
    advice += f", or stay within {_steps(safe[-1])}" if safe else ""
    return [f"{advice}, or normalise the state at every step."]


def _diagonal_advice(profile: Profile) -> list[str]:
    """Return what to change; a memory that fades is not mended by eigenvalues beyond 1."""
    unsafe = _first_unsafe(profile)
    if unsafe is None or unsafe[1] > 0.0:
        return _advice(profile, "the eigenvalues")
    return ["For a longer memory bring the moduli closer to 1, not beyond."]


def _first_unsafe(profile: Profile) -> tuple[int, float] | None:
    """First depth whose energy is not within the safe factor of 1, and its logarithm."""
    for depth, value in zip(*profile, strict=True):
        if abs(value) > _SAFE_LOG:
            return depth, value
    return None


def _steps(depth: int) -> str:
    return f"{depth} step" if depth == 1 else f"{depth} steps"
