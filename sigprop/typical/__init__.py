"""Typical energies: quantiles for one draw of the weights, and the gains that fix them."""

from sigprop.typical.exceedance import Exceedance, exceedance
from sigprop.typical.gains import TypicalGain, typical_gain
from sigprop.typical.quantiles import EnergyQuantiles, energy_quantiles
from sigprop.typical.radius import spectral_radius_cdf, spectral_radius_quantiles

__all__ = [
    "EnergyQuantiles",
    "Exceedance",
    "TypicalGain",
    "energy_quantiles",
    "exceedance",
    "spectral_radius_cdf",
    "spectral_radius_quantiles",
    "typical_gain",
]
