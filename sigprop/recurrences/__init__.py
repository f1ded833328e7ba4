"""Recurrence families: each knows its energies, how to draw its weights and how to take a step.

A family is a small frozen object with the attributes and methods of `Recurrence`.
Everything here is plain NumPy; the simulation engine is in `sigprop.montecarlo`.
"""

from sigprop.recurrences.diagonal import DiagonalLayer
from sigprop.recurrences.diagonal_lru import DiagonalLRU
from sigprop.recurrences.gaussian import GaussianLRU, GaussianRNN
from sigprop.recurrences.ginibre_spectrum import GinibreSpectrum
from sigprop.recurrences.layer import LayerRecurrence, from_layer
from sigprop.recurrences.protocol import Recurrence
from sigprop.recurrences.structured import NoFormulaError, StructuredRecurrence

__all__ = [
    "DiagonalLRU",
    "DiagonalLayer",
    "GaussianLRU",
    "GaussianRNN",
    "GinibreSpectrum",
    "LayerRecurrence",
    "NoFormulaError",
    "Recurrence",
    "StructuredRecurrence",
    "from_layer",
]
