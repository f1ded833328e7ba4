"""Draw the error of every asymptotic form against exact values."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("asymptotic_errors", Path(__file__).parent):
    print(path.name)
