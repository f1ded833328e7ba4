"""Recurrences by name, with the options that each takes: what the command line builds."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

from sigprop._arguments import as_choice
from sigprop.recurrences.protocol import Recurrence

_CLASSES = {
    "rnn": ("gaussian", "GaussianRNN"),
    "gaussian_lru": ("gaussian", "GaussianLRU"),
    "lru": ("diagonal_lru", "DiagonalLRU"),
    "rotrnn": ("rotrnn", "RotRNN"),
    "s4d": ("s4d", "S4D"),
    "s4": ("s4", "S4"),
    "s5": ("s5", "S5"),
    "ginibre_spectrum": ("ginibre_spectrum", "GinibreSpectrum"),
    "feedforward": ("feedforward_product", "FeedforwardProduct"),
}

NAMES = tuple(_CLASSES)
"""Names that `by_name` knows."""

_DEFAULTS: dict[str, dict[str, Any]] = {
    "rnn": {"width": 256},
    "gaussian_lru": {"width": 256},
    "lru": {"width": 256},
    "rotrnn": {"heads": 8, "head_size": 32},
    "ginibre_spectrum": {"width": 256},
    "feedforward": {"widths": (256,) * 33},
}


def family(name: str) -> Any:
    """Return the class of a name.

    Examples
    --------
    >>> family("lru").__name__
    'DiagonalLRU'
    """
    module, class_name = _CLASSES[as_choice("name", name, NAMES)]
    return getattr(importlib.import_module(f"sigprop.recurrences.{module}"), class_name)


def option_names(name: str) -> tuple[str, ...]:
    """Return the options that a recurrence takes, in order.

    Examples
    --------
    >>> option_names("lru")[:4]
    ('width', 'r_min', 'r_max', 'max_phase')
    """
    fields = [field.name for field in dataclasses.fields(family(name)) if field.init]
    preset = ["preset"] if hasattr(family(name), "from_preset") else []
    inputs = [field for field in fields if field == "inputs"]
    return tuple([field for field in fields if field != "inputs"] + preset + inputs)


def by_name(name: str, **options: Any) -> Recurrence:
    """Return a recurrence by its name.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    **options
        What its class takes; ``preset`` the name of a task for "lru". What is not given has
        the default of the class; sizes without one are 256 units (8 heads of 32 for
        "rotrnn", 32 layers for "feedforward").

    Returns
    -------
    Recurrence

    Raises
    ------
    TypeError, ValueError
        If there is no such name or option, or the class refuses a value.

    Examples
    --------
    >>> by_name("lru", preset="PathX").r_max
    0.9999
    >>> by_name("rotrnn", heads=2).head_size
    32
    """
    kind = family(name)
    known = option_names(name)
    for option in options:
        if option not in known:
            raise ValueError(f"{option} is no option of {name!r}; it takes {', '.join(known)}")
    if "preset" in options:
        task = options.pop("preset")
        return kind.from_preset(task, **options)  # type: ignore[no-any-return]
    return kind(**(_DEFAULTS.get(name, {}) | options))  # type: ignore[no-any-return]


def parameters(recurrence: Any) -> dict[str, Any]:
    """Return the options of a recurrence with their values, plain types."""
    return {
        field.name: getattr(recurrence, field.name)
        for field in dataclasses.fields(recurrence)
        if field.init
    }
