"""Plots: each takes data and a Matplotlib ``Axes`` and returns that ``Axes``.

Nothing here computes, simulates, opens a figure or touches pyplot, so plots work
without a display, in threads, and inside any figure of the user's.
"""

from sigprop.plots.audits import energy_profile
from sigprop.plots.bands import Bands, energy_bands
from sigprop.plots.curve import FLAGGED, Curve, Running
from sigprop.plots.curves import convergence, sampled_energies, scaling_collapse
from sigprop.plots.forms import Form, form_errors
from sigprop.plots.lines import compared_lines
from sigprop.plots.planes import Marks, energy_plane
from sigprop.plots.steps import PredictedBand, energies_over_time
from sigprop.plots.style import COLOURS, DASHES, MARKERS
from sigprop.plots.triangles import number_triangle

__all__ = [
    "COLOURS",
    "DASHES",
    "FLAGGED",
    "MARKERS",
    "Bands",
    "Curve",
    "Form",
    "Marks",
    "PredictedBand",
    "Running",
    "compared_lines",
    "convergence",
    "energies_over_time",
    "energy_bands",
    "energy_plane",
    "energy_profile",
    "form_errors",
    "number_triangle",
    "sampled_energies",
    "scaling_collapse",
]
