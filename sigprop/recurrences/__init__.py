"""Recurrence families: each knows its energies, how to draw its weights and how to take a step.

A family is a small frozen object with the attributes and methods of `Recurrence`.
Everything here is plain NumPy; the simulation engine is in `sigprop.montecarlo`.
"""

from sigprop.recurrences.gaussian import GaussianLRU, GaussianRNN
from sigprop.recurrences.protocol import Recurrence

__all__ = ["GaussianLRU", "GaussianRNN", "Recurrence"]
