r"""Modes of state-space layers: :math:`h' = A h + B u` with A = -alpha + i omega, discretised.

With step size Delta the layer is :math:`h_t = \bar A h_{t-1} + \bar B u_t`,

- "zoh": :math:`\bar A = e^{\Delta A}`, :math:`\bar B = (e^{\Delta A} - 1)/A`;
- "bilinear": :math:`\bar A = \frac{1 + \Delta A/2}{1 - \Delta A/2}`,
  :math:`\bar B = \frac{\Delta}{1 - \Delta A/2}`;
- "euler": :math:`\bar A = e^{\Delta A}`, :math:`\bar B = \Delta`.

White inputs give the stationary energy :math:`(\cosh\alpha\Delta - \cos\omega\Delta)/(|A|^2
\sinh\alpha\Delta)`, exactly :math:`\Delta/2\alpha` whatever omega, and :math:`\Delta^2/(1 -
e^{-2\alpha\Delta})`.  Constant ones give :math:`1/|A|^2` for zoh and bilinear, whatever Delta.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import FloatArray, as_positive_float
from sigprop.recurrences import one_mode
from sigprop.recurrences.log_uniform import LONGEST_PANEL, LogUniformLaw, PanelLimitError
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.random_modes import law_lags, law_rho
from sigprop.theory.input_laws import InputLaw

ComplexArray = npt.NDArray[np.complex128]

INITS = ("lin", "inv", "real", "legs")
DISCRETIZATIONS = ("zoh", "bilinear", "euler")

MAX_EVALUATIONS = 10**7
"""Largest number of step sizes at which the modes of a layer are evaluated for one depth."""

SMALLEST_STEP = 1e-100
"""Smallest step size: its square, the energy of an input, is far from underflow."""

_STEPWISE = 64  # depths up to which the recursion is used: no cancellation, a pass per step
_FORGOTTEN = 40.0  # exp(-40) is below a rounding
_PHASE = 12.0  # turn of a panel, radians; 20 nodes integrate exp(i 12 x) to 1e-15
_RESONANCE = 1.5  # panels over the distance to the next resonance


def as_steps(dt_min: Any, dt_max: Any) -> tuple[float, float]:
    """Return the ends of the step sizes, `SMALLEST_STEP` <= dt_min <= dt_max."""
    low = as_positive_float("dt_min", dt_min)
    high = as_positive_float("dt_max", dt_max)
    if low < SMALLEST_STEP:
        raise ValueError(f"dt_min must be at least {SMALLEST_STEP:g}, got {low!r}")
    if low > high:
        raise ValueError(f"dt_min must be at most dt_max, got {low!r} and {high!r}")
    return low, high


def initial_modes(init: str, state_size: int) -> ComplexArray:
    r"""Return the N/2 stored eigenvalues A of an initialisation.

    Parameters
    ----------
    init : {"lin", "inv", "real", "legs"}
        :math:`-\tfrac12 + i\pi n`; :math:`-\tfrac12 + i\frac{N}{\pi}(\frac{N}{2n+1} - 1)`;
        :math:`-(n+1)`; and the eigenvalues :math:`-\tfrac12 + i\omega_n`, omega > 0, of the
        normal part of HiPPO-LegS.
    state_size : int
        N, even.

    Returns
    -------
    ndarray of complex128, shape (N/2,)

    Examples
    --------
    >>> initial_modes("lin", 4).round(6).tolist(), initial_modes("legs", 4).imag.round(6).tolist()
    ([(-0.5+0j), (-0.5+3.141593j)], [4.603293, 0.556501])
    """
    n = np.arange(state_size // 2, dtype=np.float64)
    if init == "legs":
        return legs_normal_modes(state_size)[0]
    modes = np.full(n.size, -0.5 + 0j)
    if init == "real":
        modes = -(n + 1.0).astype(np.complex128)
    elif init == "lin":
        modes.imag = math.pi * n
    else:
        modes.imag = (state_size / math.pi) * (state_size / (2.0 * n + 1.0) - 1.0)
    return modes


@lru_cache(maxsize=8)
def legs_normal_modes(state_size: int) -> tuple[ComplexArray, ComplexArray]:
    r"""Return eigenvalues and eigenvectors of the normal part of HiPPO-LegS, omega > 0.

    The normal part is :math:`A + P P^T` with :math:`P_n = \sqrt{n + 1/2}`: -1/2 on the
    diagonal, and off it the antisymmetric :math:`\mp\tfrac12\sqrt{(2n+1)(2k+1)}`.

    Returns
    -------
    modes : ndarray of complex128, shape (N/2,)
        Fastest first; read-only, as the vectors are.
    vectors : ndarray of complex128, shape (N, N/2)
        Orthonormal columns; their phases are those of the eigensolver.
    """
    root = np.sqrt(2.0 * np.arange(state_size) + 1.0)
    half = 0.5 * np.outer(root, root)
    skew = np.triu(half, 1) - np.tril(half, -1)
    values, vectors = np.linalg.eigh(-1j * skew)
    kept = np.arange(state_size - 1, (state_size + 1) // 2 - 1, -1)
    modes, chosen = -0.5 + 1j * values[kept], vectors[:, kept]
    modes.setflags(write=False)
    chosen.setflags(write=False)
    return modes, chosen


def log_transition(modes: ComplexArray, dt: FloatArray, discretization: str) -> ComplexArray:
    r"""Return :math:`\ln\bar A = -\nu + i\theta` with full relative accuracy of nu.

    Notes
    -----
    Bilinear: :math:`\nu = \operatorname{artanh}(\alpha\Delta/(1 + |\Delta A/2|^2))`.
    """
    w = np.asarray(dt * modes)
    if discretization != "bilinear":
        return w
    half = 0.5 * w
    size = 1.0 + half.real**2 + half.imag**2
    with np.errstate(divide="ignore"):
        nu = np.arctanh(-2.0 * half.real / size)
    theta = np.arctan2(half.imag, 1.0 + half.real) + np.arctan2(half.imag, 1.0 - half.real)
    return -np.minimum(nu, one_mode.LARGEST_DECAY) + 1j * theta


def input_factor(modes: ComplexArray, dt: FloatArray, discretization: str) -> ComplexArray:
    r"""Return :math:`\bar B` of modes with B = 1."""
    if discretization == "zoh":
        return np.asarray(np.expm1(dt * modes) / modes)
    if discretization == "bilinear":
        return np.asarray(dt / (1.0 - 0.5 * dt * modes))
    return np.asarray(dt + 0.0 * modes)


def input_energy(modes: ComplexArray, dt: FloatArray, discretization: str) -> FloatArray:
    r"""Return :math:`|\bar B|^2` without cancellation.

    For zoh as :math:`4 e^{-\alpha\Delta} (\sinh^2(\alpha\Delta/2) + \sin^2(\omega\Delta/2))
    /|A|^2`.

    Examples
    --------
    >>> energy = input_energy(np.array([-0.5 + 3j]), np.array([0.01]), "zoh")
    >>> bool(abs(energy[0] - abs(input_factor(-0.5 + 3j, 0.01, "zoh")) ** 2) < 1e-18)
    True
    """
    alpha, omega = -modes.real, modes.imag
    if discretization == "zoh":
        half = 0.5 * alpha * dt
        size = (0.5 * np.expm1(-2.0 * half)) ** 2 + np.exp(-2.0 * half) * np.sin(
            0.5 * omega * dt
        ) ** 2
        return np.asarray(4.0 * size / (alpha**2 + omega**2))
    if discretization == "bilinear":
        size = (1.0 + 0.5 * alpha * dt) ** 2 + (0.5 * omega * dt) ** 2
        return np.asarray(dt**2 / size)
    return np.asarray(dt**2 + 0.0 * alpha)


def ar1_energies(log_eigenvalue: ComplexArray, rho: float, depth: float) -> FloatArray:
    r"""Return S_t of modes for AR(1) inputs in closed form, -1 < rho < 1, rho not 0.

    Notes
    -----
    With z = rho lambda there are two forms, whose cost does not grow with t: by lags,

    .. math:: S_t = \frac{1}{1-q}\Big\{1 - q^{t+1} + 2\operatorname{Re}\Big[\sum_{j=1}^t z^j
              - q z \sum_{j=0}^{t-1} z^j q^{t-1-j}\Big]\Big\},

    which loses digits where lambda and rho are far apart and both long remembered, and by the
    independent innovations of the inputs, for which it is the other way round,

    .. math:: S_t = |c_t|^2 + (1-\rho^2) \sum_{k<t} |c_k|^2, \qquad
              c_k = \frac{\lambda^{k+1} - \rho^{k+1}}{\lambda - \rho}.

    The second is used where :math:`|\lambda-\rho| > 1 - q + 1 - \rho^2 + 1/t`; the first, up
    to depth 64, as a recursion. The relative error is a few roundings, that of the angle
    :math:`t \theta`, and in the first form at most a rounding over :math:`(1-q)\,t`.

    Examples
    --------
    >>> mode = np.array([np.log(0.97) + 0.2j])
    >>> ar1_energies(mode, 0.8, 10.0).round(10).tolist()
    [38.2401571718]
    >>> float(np.exp(one_mode.log_coloured_energies(mode, 0.8 ** np.arange(11), np.array([10.0])))
    ...       .round(10)[0, 0])
    38.2401571718
    """
    if depth == 0.0:
        return np.ones(log_eigenvalue.size)
    gaps = -np.expm1(2.0 * log_eigenvalue.real) + (1.0 - rho) * (1.0 + rho)
    with np.errstate(under="ignore"):
        apart = np.abs(np.exp(log_eigenvalue) - rho) > gaps + 1.0 / depth
        energies = np.empty(log_eigenvalue.size)
        energies[apart] = _ar1_by_innovations(log_eigenvalue[apart], rho, depth)
        by_lags = _ar1_stepwise if depth <= _STEPWISE else _ar1_by_lags
        energies[~apart] = by_lags(log_eigenvalue[~apart], rho, depth)
    return energies


def _ar1_stepwise(log: ComplexArray, rho: float, depth: float) -> FloatArray:
    lags = rho ** np.arange(depth + 1.0)
    stepwise: FloatArray = one_mode.log_coloured_energies(log, lags, np.array([depth]))[0]
    return np.exp(stepwise)


def _ar1_by_lags(log: ComplexArray, rho: float, depth: float) -> FloatArray:
    log_q = 2.0 * log.real
    turn = log.imag
    if rho < 0.0:  # half a turn more, kept small: lambda may be close to rho
        turn = np.remainder(turn, 2.0 * math.pi) - math.pi
    log_z = math.log(abs(rho)) + log.real + 1j * turn
    first = np.exp(log_z) * _geometric(log_z, depth)
    second = np.exp(log_q + log_z) * _mixed(log_z, log_q, depth)
    risen = -np.expm1((depth + 1.0) * log_q)
    return np.asarray((risen + 2.0 * (first - second).real) / -np.expm1(log_q))


def _ar1_by_innovations(log: ComplexArray, rho: float, depth: float) -> FloatArray:
    log_q, size = 2.0 * log.real, math.log(abs(rho))
    eigenvalue = np.exp(log)
    power = math.copysign(1.0, rho) ** depth * math.exp(depth * size)  # rho^t
    last = np.abs(one_mode.powers(log, depth + 1.0) - rho * power) ** 2
    own = np.exp(log_q) * np.expm1(depth * log_q) / np.expm1(log_q)
    distance = (1.0 - rho) - rho * np.expm1(log)  # 1 - rho lambda
    cross = rho * eigenvalue * (1.0 - power * one_mode.powers(log, depth)) / distance
    innovations = (1.0 - rho) * (1.0 + rho) * (own - 2.0 * cross.real)
    innovations -= rho * rho * math.expm1(2.0 * depth * size)
    return np.asarray((last + innovations) / np.abs(eigenvalue - rho) ** 2)


@dataclass(frozen=True, eq=False)
class ModeMixture:
    r"""Modes with step sizes drawn log-uniformly: means over the modes and the steps.

    Parameters
    ----------
    modes : ndarray of complex128, shape (m,)
        Eigenvalues A, real parts < 0.
    power : ndarray of float64, shape (m,)
        Energies :math:`|B_n|^2` of the input of every mode.
    steps : LogUniformLaw
        Law of Delta.
    discretization : {"zoh", "bilinear", "euler"}
        How the modes are discretised.
    """

    modes: ComplexArray
    power: FloatArray
    steps: LogUniformLaw
    discretization: str

    def rule(self) -> MomentRule:
        """Return decays and weights; the weights sum to the mean energy of one input."""
        fastest = self.modes[np.argmax(np.abs(self.modes.imag))]
        # Decays do not oscillate with Delta, the input energies of zoh do.
        turns = 1.0 if self.discretization == "zoh" else 0.0
        dt, weight = self.steps.rule(lambda x: self._longest(fastest, x, turns, math.inf))
        a = self.modes[:, np.newaxis]
        shares = (self.power / self.modes.size)[:, np.newaxis] * weight
        shares = shares * input_energy(a, dt, self.discretization)
        if self.discretization != "bilinear" and np.ptp(self.modes.real) == 0.0:
            return MomentRule(2.0 * dt * self.modes[0].real, shares.sum(axis=0))
        log_q = 2.0 * log_transition(a, dt, self.discretization).real
        return MomentRule(log_q.ravel(), shares.ravel())

    def mean_decay(self, lags: FloatArray) -> FloatArray:
        """Return E q^k."""
        dt, weight = self.steps.rule()
        a = np.unique(self.modes)[:, np.newaxis]
        share = np.array([np.mean(self.modes == mode) for mode in a[:, 0]])[:, np.newaxis]
        log_q = 2.0 * log_transition(a, dt, self.discretization).real
        return MomentRule(log_q.ravel(), (share * weight).ravel()).impulse(lags)

    def coloured_energy(self, depths: FloatArray, law: InputLaw) -> FloatArray:
        r"""Return the mean energy for inputs that are not white, at every depth.

        Notes
        -----
        Mode by mode a sum over Delta that resolves the turns of :math:`\lambda^t` as long as
        they count, and the resonances of :math:`1 - \rho\lambda`.
        """
        result = np.empty(depths.size)
        for place, depth in enumerate(depths.ravel()):
            remembered = min(depth + 1.0, _memory(law))

            def energy(log: ComplexArray, depth: float = depth) -> FloatArray:
                return _mode_energies(log, law, depth)

            result[place] = self._mean(energy, remembered, law)
        return result.reshape(depths.shape)

    def coloured_stationary(self, law: InputLaw) -> float:
        """Return the limit of `coloured_energy`."""
        if law == "constant" and self.discretization != "euler":
            return float(np.mean(self.power / np.abs(self.modes) ** 2))
        remembered = _memory(law) if law_rho(law) is None else 1.0

        def energy(log: ComplexArray) -> FloatArray:
            return one_mode.stationary_energies(log, law)

        return self._mean(energy, remembered, law)

    def _mean(
        self, energy: Callable[[ComplexArray], FloatArray], turns: float, law: InputLaw
    ) -> float:
        """Return the mean over modes and steps of power times input energy times ``energy``."""
        total = 0.0
        rho = law_rho(law)
        narrowing = math.inf if not rho else -math.log(abs(rho))
        evaluations = 0
        distinct = np.unique(self.modes)
        for mode in distinct[np.argsort(-np.abs(distinct.imag))]:  # the costly ones first
            power = float(self.power[self.modes == mode].sum()) / self.modes.size

            def longest(x: FloatArray, mode: complex = mode) -> FloatArray:
                return self._longest(mode, x, turns, narrowing)

            dt, weight = self.steps.rule(longest)
            evaluations += dt.size
            if evaluations > MAX_EVALUATIONS:
                raise PanelLimitError(f"the mean takes more than {MAX_EVALUATIONS} evaluations")
            a = np.array([mode])
            log = log_transition(a, dt, self.discretization)
            energies = energy(log) * input_energy(a, dt, self.discretization)
            total += power * float(weight @ energies)
        return total

    def _longest(self, mode: complex, dt: FloatArray, turns: float, narrowing: float) -> FloatArray:
        """Return the longest panel in ln Delta that resolves phases and resonances."""
        w = dt * mode
        rate = np.abs(w)  # |d ln(lambda)/d ln(Delta)|
        if self.discretization == "bilinear":
            rate = rate / np.abs(1.0 - 0.25 * w * w)
        nu = -log_transition(np.array([mode]), dt, self.discretization).real
        distance = nu + narrowing
        fading = _FORGOTTEN / (nu if math.isinf(narrowing) else distance)
        with np.errstate(divide="ignore"):
            phases = _PHASE / (rate * np.maximum(np.minimum(turns, fading), 1e-300))
            resonances = _RESONANCE * distance / rate
        panel: FloatArray = np.minimum(LONGEST_PANEL, np.minimum(phases, resonances))
        return panel


def _memory(law: InputLaw) -> float:
    """Return the number of lags of an autocorrelation array, inf for other laws."""
    return math.inf if law_rho(law) is not None else float(law_lags(law, 2**31).size)


def _mode_energies(log: ComplexArray, law: InputLaw, depth: float) -> FloatArray:
    """Return S_t of modes for inputs that are not white."""
    if law == "constant":
        return np.exp(one_mode.log_constant_energies(log, depth))
    rho = law_rho(law)
    if rho:
        return ar1_energies(log, rho, depth)
    if depth <= _STEPWISE:
        lags = law_lags(law, int(depth))
        stepwise: FloatArray = one_mode.log_coloured_energies(log, lags, np.array([depth]))[0]
        return np.exp(stepwise)
    return _array_energies(log, law_lags(law, int(depth)), depth)


def _array_energies(log: ComplexArray, lags: FloatArray, depth: float) -> FloatArray:
    r"""Return :math:`\sum_d R(d) \operatorname{Re}\lambda^{|d|} (1-q^{t-|d|+1})/(1-q)`."""
    log_q = 2.0 * log.real
    total = -np.expm1((depth + 1.0) * log_q)
    for d in range(1, lags.size):
        if lags[d]:
            with np.errstate(under="ignore"):
                left = -np.expm1((depth - d + 1.0) * log_q)
            total = total + 2.0 * lags[d] * one_mode.powers(log, d).real * left
    return total / -np.expm1(log_q)


def _geometric(log_z: ComplexArray, count: float) -> ComplexArray:
    """Return the sum of z^j over j = 0..count-1, for any z."""
    single = np.expm1(log_z)
    neutral = single == 0.0
    sums = np.expm1(count * log_z) / np.where(neutral, 1.0, single)
    return np.asarray(np.where(neutral, count, sums))


def _mixed(log_z: ComplexArray, log_q: FloatArray, count: float) -> ComplexArray:
    """Return the sum of z^j q^(count-1-j): the larger of the two to the power, times ratios."""
    leading = np.where(log_z.real >= log_q, log_z, log_q)
    ratio = np.where(log_z.real >= log_q, log_q - log_z, log_z - log_q)
    return np.asarray(np.exp((count - 1.0) * leading) * _geometric(ratio, count))
