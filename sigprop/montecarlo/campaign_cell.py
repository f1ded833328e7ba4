"""One cell of a campaign: what is simulated, where it is looked at, and by which method."""

from __future__ import annotations

from dataclasses import dataclass

from sigprop._arguments import as_choice, as_integer
from sigprop.montecarlo import chunks, direct, krylov, planning, simulation
from sigprop.montecarlo.streams import cell_key
from sigprop.recurrences.protocol import Recurrence


@dataclass(frozen=True)
class CampaignCell:
    """A recurrence and the depths that are recorded along its trajectories.

    Parameters
    ----------
    recurrence : Recurrence
        Such as ``GaussianRNN(64)``.
    depths : int or sequence of int
        Depths >= 0, increasing. They are part of what names the random streams: other
        depths make another cell with other trajectories.
    method : {"auto", "krylov", "direct"}
        How to simulate; "auto" picks the plain sampler with the smaller matrices.
    samples : int, optional
        Number of trajectories, if not that of the campaign.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind or range above, or the method does not apply.

    Examples
    --------
    >>> from sigprop.recurrences import GaussianRNN
    >>> print(CampaignCell(GaussianRNN(64), [4, 8]))
    GaussianRNN(width=64, field='complex', gain=1.0) at depths 4, 8 by krylov
    """

    recurrence: Recurrence
    depths: tuple[int, ...]
    method: str = "auto"
    samples: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.recurrence, Recurrence):
            raise TypeError(
                "recurrence must be a recurrence such as GaussianRNN(64), "
                f"got {self.recurrence!r} of type {type(self.recurrence).__name__}"
            )
        depths = tuple(simulation.as_depths(self.depths))
        object.__setattr__(self, "depths", depths)
        object.__setattr__(self, "method", _resolved(self.recurrence, depths, self.method))
        if self.samples is not None:
            object.__setattr__(self, "samples", as_integer("samples", self.samples, 1))

    def __str__(self) -> str:
        depths = ", ".join(map(str, self.depths))
        if len(self.depths) > 6:
            depths = f"{self.depths[0]}, ..., {self.depths[-1]} ({len(self.depths)} of them)"
        return f"{self.recurrence!r} at depths {depths} by {self.method}"

    @property
    def key(self) -> str:
        """Hash of the recurrence, the depths and the method: 32 hexadecimal digits."""
        words = cell_key(self.recurrence, self.depths, self.method)
        return "".join(f"{word:08x}" for word in words)


def _resolved(recurrence: Recurrence, depths: tuple[int, ...], method: str) -> str:
    """Return the method that "auto" stands for, if it applies."""
    name = as_choice("method", method, ("auto", *chunks.SAMPLERS))
    if name == "auto":
        name = planning.plain_method(recurrence, list(depths))
    if name == "krylov":
        if not krylov.applies(recurrence):
            raise ValueError(f"method 'krylov' does not apply to {recurrence!r}; use 'direct'")
        if depths[-1] > krylov.MAX_DEPTH:
            raise ValueError(
                f"depths must be at most {krylov.MAX_DEPTH} for method 'krylov', got {depths[-1]}"
            )
    elif recurrence.width > direct.MAX_WIDTH:
        raise ValueError(
            f"width must be at most {direct.MAX_WIDTH} for method 'direct', got {recurrence.width}"
        )
    return name
