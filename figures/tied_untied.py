"""Draw one W at every step against fresh ones: sqrt(n) against n."""

from pathlib import Path

from sigprop import gallery

for path in gallery.draw("tied_untied", Path(__file__).parent):
    print(path.name)
