"""Draw what one draw of W does, and where sampling loses the mean."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("mean_typical", Path(__file__).parent):
    print(path.name)
