"""What computed a result: versions and platform."""

from __future__ import annotations

import importlib
import platform
from typing import Any

import numpy as np


def provenance() -> dict[str, str]:
    """Return versions of sigprop, NumPy, its BLAS and Python, and the platform.

    Examples
    --------
    >>> sorted(provenance())
    ['blas', 'machine', 'numpy', 'platform', 'python', 'sigprop']
    """
    return {
        "sigprop": package_version(),
        "numpy": np.__version__,
        "blas": _blas(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
    }


def package_version() -> str:
    """Return the version of sigprop."""
    # Imported by name: the package as a whole is above this floor of it.
    return str(importlib.import_module("sigprop").__version__)


def _blas() -> str:
    """Return name and version of the BLAS that NumPy was built with."""
    found: Any = np.show_config(mode="dicts")
    blas = found.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
