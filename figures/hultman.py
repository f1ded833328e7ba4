"""Draw the Hultman numbers, their law, and the genus expansion."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("hultman", Path(__file__).parent):
    print(path.name)
