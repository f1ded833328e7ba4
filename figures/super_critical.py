"""Draw exact super-critical energies against the published form."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("super_critical", Path(__file__).parent):
    print(path.name)
