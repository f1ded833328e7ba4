"""Simulation of recurrences: samplers, random streams, estimates that know their limits."""

from sigprop.montecarlo.archive import Archive
from sigprop.montecarlo.campaign import Campaign, CampaignCell, CampaignResult, ChunkError
from sigprop.montecarlo.cell import Cell
from sigprop.montecarlo.estimate import Estimate
from sigprop.montecarlo.simulation import Simulation, simulate

__all__ = [
    "Archive",
    "Campaign",
    "CampaignCell",
    "CampaignResult",
    "Cell",
    "ChunkError",
    "Estimate",
    "Simulation",
    "simulate",
]
