"""Draw the energies and the memory of LRU, RotRNN and S4D layers."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("structured", Path(__file__).parent):
    print(path.name)
