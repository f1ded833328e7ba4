"""Recurrence families: each knows its energies, how to draw its weights and how to take a step.

A family is a small frozen object with the attributes and methods of `Recurrence`.
Everything here is plain NumPy; the simulation engine is in `sigprop.montecarlo`.
"""

from sigprop.recurrences.converters import lru_to_rotrnn, rotrnn_to_lru
from sigprop.recurrences.diagonal import DiagonalLayer
from sigprop.recurrences.diagonal_lru import DiagonalLRU
from sigprop.recurrences.feedforward_product import FeedforwardProduct
from sigprop.recurrences.gaussian import GaussianLRU, GaussianRNN
from sigprop.recurrences.ginibre_spectrum import GinibreSpectrum
from sigprop.recurrences.layer import LayerRecurrence, from_layer
from sigprop.recurrences.protocol import Recurrence
from sigprop.recurrences.registry import by_name
from sigprop.recurrences.rotary import RotationLayer
from sigprop.recurrences.rotations import Rotation
from sigprop.recurrences.rotrnn import RotRNN
from sigprop.recurrences.s4 import S4
from sigprop.recurrences.s4d import S4D
from sigprop.recurrences.s5 import S5
from sigprop.recurrences.structured import NoFormulaError, StructuredRecurrence

__all__ = [
    "S4",
    "S4D",
    "S5",
    "DiagonalLRU",
    "DiagonalLayer",
    "FeedforwardProduct",
    "GaussianLRU",
    "GaussianRNN",
    "GinibreSpectrum",
    "LayerRecurrence",
    "NoFormulaError",
    "Recurrence",
    "RotRNN",
    "Rotation",
    "RotationLayer",
    "StructuredRecurrence",
    "by_name",
    "from_layer",
    "lru_to_rotrnn",
    "rotrnn_to_lru",
]
