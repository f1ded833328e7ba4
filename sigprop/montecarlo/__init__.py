"""Simulation of recurrences: samplers, random streams, estimates that know their limits."""

from sigprop.montecarlo.archive import Archive
from sigprop.montecarlo.campaign import Campaign, CampaignCell, CampaignResult, ChunkError
from sigprop.montecarlo.cell import Cell
from sigprop.montecarlo.estimate import Estimate
from sigprop.montecarlo.quantiles import QuantileEstimate, quantile_estimate
from sigprop.montecarlo.running import batch_means, running_estimates
from sigprop.montecarlo.simulation import Simulation, simulate, simulate_log_energies

__all__ = [
    "Archive",
    "Campaign",
    "CampaignCell",
    "CampaignResult",
    "Cell",
    "ChunkError",
    "Estimate",
    "QuantileEstimate",
    "Simulation",
    "batch_means",
    "quantile_estimate",
    "running_estimates",
    "simulate",
    "simulate_log_energies",
]
