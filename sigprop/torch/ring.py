r"""Eigenvalues of the LRU on a ring: :math:`\lambda = e^{-\nu + i\theta}`, r^2 and phase uniform.

With :math:`a = r_{min}^2`, :math:`b = r_{max}^2` and U uniform on (0, 1),

.. math:: \nu = -\tfrac12 \ln\bigl(1 - [(1-b) + (1-U)(b-a)]\bigr), \quad
    \theta = U' \theta_{max} ,

in float64, so that :math:`1 - |\lambda|` keeps its digits close to the unit circle.
"""

from __future__ import annotations

import numpy as np
from torch import Generator, Tensor

from sigprop._arguments import FloatArray
from sigprop.recurrences.phase import FULL_PHASE
from sigprop.recurrences.ring import RingLaw
from sigprop.torch.tensors import (
    COMPLEX,
    REAL,
    as_fillable,
    as_generator,
    as_max_phase,
    fill_,
    share_entries,
    uniforms,
)


def ring_(
    nu_log: Tensor,
    theta_log: Tensor,
    r_min: float = 0.0,
    r_max: float = 1.0,
    max_phase: float = FULL_PHASE,
    generator: Generator | None = None,
) -> tuple[Tensor, Tensor]:
    r"""Fill the parameters of :math:`\lambda = \exp(-e^{\nu_{log}} + i e^{\theta_{log}})`.

    Parameters
    ----------
    nu_log, theta_log : Tensor, real, of one shape
        Logarithms of decay and phase; changed in place. They must not share entries.
    r_min, r_max : float
        Ends of the ring, 0 <= r_min <= r_max <= 1, with r_max > 0 and r_min < 1: decays 0 and
        infinity have no logarithm.
    max_phase : float
        Phases are uniform on (0, max_phase), 0 < max_phase <= 2 pi.
    generator : torch.Generator, optional
        Source of randomness; the global one of the CPU if None.

    Returns
    -------
    tuple of Tensor
        The same tensors; dtype and device are kept, and no gradient is recorded.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    Drawn in float64 and cast. All radii are drawn first, then all phases.

    The cast moves a decay by up to :math:`|\nu_{log}|\,\epsilon/2` of itself, and a radius close
    to r_min or r_max out of the ring by as much of its :math:`-\ln r`: at r = .99 by 2e-4 in
    bfloat16, 2e-5 in float16 and 3e-9 in float32.

    References
    ----------
    arXiv 2303.06349, Lemma 3.2.

    Examples
    --------
    >>> import torch
    >>> nu_log, theta_log = torch.empty(8), torch.empty(8)
    >>> pair = ring_(nu_log, theta_log, 0.9, 0.999, generator=torch.Generator().manual_seed(0))
    >>> radius = torch.exp(-torch.exp(nu_log))
    >>> bool(((radius > 0.9) & (radius < 0.999)).all()), pair[0] is nu_log
    (True, True)
    """
    decay_log = as_fillable("nu_log", nu_log, REAL)
    phase_log = as_fillable("theta_log", theta_log, REAL)
    if decay_log.shape != phase_log.shape:
        raise ValueError(
            "nu_log and theta_log must have one shape, got shapes "
            f"{tuple(decay_log.shape)} and {tuple(phase_log.shape)}"
        )
    if share_entries(decay_log, phase_log):
        raise ValueError("nu_log and theta_log must be two tensors, got entries that both share")
    ring, phase = RingLaw(r_min, r_max), as_max_phase(max_phase)
    if ring.r_max == 0.0 or ring.r_min == 1.0:
        raise ValueError(
            "r_min must be below 1 and r_max above 0, for decays that have a logarithm, "
            f"got r_min={ring.r_min!r} and r_max={ring.r_max!r}"
        )
    decay, angle = _draw(tuple(decay_log.shape), ring, phase, generator)
    return fill_("nu_log", decay_log, np.log(decay)), fill_("theta_log", phase_log, np.log(angle))


def ring_eigenvalues_(
    tensor: Tensor,
    r_min: float = 0.0,
    r_max: float = 1.0,
    max_phase: float = FULL_PHASE,
    generator: Generator | None = None,
) -> Tensor:
    r"""Fill a complex tensor with eigenvalues on the ring, :math:`\lambda = e^{-\nu+i\theta}`.

    Parameters
    ----------
    tensor : Tensor, complex
        Eigenvalues, of any shape; changed in place.
    r_min, r_max : float
        Ends of the ring, 0 <= r_min <= r_max <= 1.
    max_phase : float
        Phases are uniform on (0, max_phase), 0 < max_phase <= 2 pi.
    generator : torch.Generator, optional
        Source of randomness; the global one of the CPU if None.

    Returns
    -------
    Tensor
        The same tensor; dtype and device are kept, and no gradient is recorded.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above.

    Notes
    -----
    The numbers are those of `ring_` with the same generator. Rounding moves moduli by 1e-7 in
    complex64, across r_max too: within 1e-6 of the unit circle take `ring_`.

    Examples
    --------
    >>> import torch
    >>> eigenvalues = ring_eigenvalues_(torch.empty(5, dtype=torch.complex128), 0.5, 0.75)
    >>> bool((eigenvalues.abs() < 0.75).all())
    True
    """
    eigenvalues = as_fillable("tensor", tensor, COMPLEX)
    ring, phase = RingLaw(r_min, r_max), as_max_phase(max_phase)
    decay, angle = _draw(tuple(eigenvalues.shape), ring, phase, generator)
    return fill_("tensor", eigenvalues, np.exp(-decay) * np.exp(1j * angle))


def _draw(
    shape: tuple[int, ...], ring: RingLaw, max_phase: float, generator: Generator | None
) -> tuple[FloatArray, FloatArray]:
    """Draw decays nu and phases theta."""
    source = as_generator(generator)
    gaps = ring.gap + (1.0 - uniforms(shape, source)) * ring.span  # 1 - r^2
    with np.errstate(divide="ignore"):  # the ring r_max = 0
        decay: FloatArray = -0.5 * np.log1p(-gaps)
    return decay, max_phase * uniforms(shape, source)
