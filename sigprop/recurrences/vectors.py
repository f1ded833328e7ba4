"""Random vectors of mean square one per unit, E||x||^2 = n: how a start or an input is drawn.

- ``"gaussian"``: independent proper normals of the field, E|x_i|^2 = 1;
- ``"real_gaussian"``: independent real normals of variance 1, for complex weights too;
- ``"sphere"``: uniform on the sphere ||x||^2 = n of the field;
- ``"fixed"``: sqrt(n) e_1, not random.

The first three have E x x* = I. Numbers are drawn in float64, vector after vector.
"""

from __future__ import annotations

import math

import numpy as np

from sigprop.recurrences.protocol import State

VECTORS = ("gaussian", "real_gaussian", "sphere", "fixed")


_SCALARS = {"complex": np.complex128, "real": np.float64}


def normals(rng: np.random.Generator, shape: tuple[int, ...], field: str) -> State:
    """Return independent proper normals of the field, E|z|^2 = 1."""
    if field == "real":
        return rng.standard_normal(shape)
    pairs = rng.standard_normal((*shape, 2))
    pairs *= math.sqrt(0.5)
    return pairs.view(np.complex128)[..., 0]


def fixed_vectors(shape: tuple[int, ...], field: str) -> State:
    """Return the vector sqrt(n) e_1 along the last axis of ``shape``."""
    fixed: State = np.zeros(shape, dtype=_SCALARS[field])
    fixed[..., 0] = math.sqrt(shape[-1])
    return fixed


def vectors(law: str, rng: np.random.Generator, shape: tuple[int, ...], field: str) -> State:
    """Return vectors along the last axis of ``shape``, drawn by one of the laws `VECTORS`.

    Parameters
    ----------
    law : {"gaussian", "real_gaussian", "sphere", "fixed"}
        Law of one vector; they are independent.
    rng : numpy.random.Generator
        Source of the normals; "fixed" takes none.
    shape : tuple of int
        Shape (..., n).
    field : {"complex", "real"}
        Field of the vectors.

    Returns
    -------
    ndarray of complex128 or float64

    Examples
    --------
    >>> x = vectors("sphere", np.random.default_rng(0), (5, 3), "complex")
    >>> np.linalg.norm(x, axis=1).round(12) ** 2
    array([3., 3., 3., 3., 3.])
    """
    if law == "fixed":
        return fixed_vectors(shape, field)
    if law == "real_gaussian":
        return normals(rng, shape, "real").astype(_SCALARS[field])
    drawn = normals(rng, shape, field)
    if law == "sphere":
        drawn /= np.linalg.norm(drawn, axis=-1, keepdims=True)
        drawn *= math.sqrt(shape[-1])
    return drawn
