"""What all plots share: colours, markers and dashes, one of each for every curve."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's colours, which the colour-blind tell apart."""

MARKERS = ("o", "s", "^", "D", "v", "P")
"""One shape for each colour, so that a grey print can be read too."""

DASHES: tuple[str | tuple[float, tuple[float, ...]], ...] = (
    "-",
    (0.0, (5.0, 1.5)),
    (0.0, (1.2, 1.2)),
    (0.0, (6.0, 1.5, 1.2, 1.5)),
    (0.0, (3.0, 1.0)),
    (0.0, (6.0, 1.5, 1.2, 1.5, 1.2, 1.5)),
)
"""One pattern for each colour, where lines lie close and have no markers."""
