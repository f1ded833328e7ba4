"""Draw the regimes over width and depth, and the layers that people use."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("regime_map", Path(__file__).parent):
    print(path.name)
