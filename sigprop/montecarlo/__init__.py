"""Simulation of recurrences: samplers, random streams, estimates that know their limits."""

from sigprop.montecarlo.estimate import Estimate
from sigprop.montecarlo.simulation import Cell, Simulation, simulate

__all__ = ["Cell", "Estimate", "Simulation", "simulate"]
