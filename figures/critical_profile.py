"""Draw the scaling collapse onto the critical profile into this folder."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("critical_profile", Path(__file__).parent):
    print(path.name)
