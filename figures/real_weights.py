"""Draw the energies of real weights: one critical profile, twice the exponent."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("real_weights", Path(__file__).parent):
    print(path.name)
