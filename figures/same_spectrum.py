"""Draw a Gaussian matrix against the diagonal of its eigenvalues."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("same_spectrum", Path(__file__).parent):
    print(path.name)
