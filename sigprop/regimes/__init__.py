r"""Which regime does (n, t) belong to, with the numbers behind each boundary.

Three descriptions of the LRU energy :math:`S_{n,t}` compete, and each is used where its
relative error is within a tolerance:

- sub-critical, infinite width: :math:`S \approx t + 1`;
- critical profile: :math:`S \approx \sqrt n\, I((t+1)/\sqrt n)`;
- super-critical: :math:`S \approx Q_{n,t}\,(1+y)/y` with :math:`y = (t+1)/n`.

The excess S/(t+1) - 1 and the error of the profile grow with depth, and the error of the
super-critical form has a single minimum and then rises to zero, so every boundary is
found exactly by bisection on float64 energies.

For real weights the first two descriptions are the same, with the errors of the real
energies.  The super-critical form is :math:`Q^{\mathbb C}(1+y)/y + R(1+2y)/(2y)` with
:math:`R = \frac{1}{2t+1} \prod_{j \le t} (1 + 2j/n)`, the part of the real outlier
eigenvalues; its error is not monotone, so the last depth at which it fails is looked for on a
grid before it is bisected.
"""

from sigprop.regimes.boundaries import MIN_TOL, Boundaries, breakdown_depth, regime_boundaries
from sigprop.regimes.classification import NAMES, Regime, classify, regime_map

__all__ = [
    "MIN_TOL",
    "NAMES",
    "Boundaries",
    "Regime",
    "breakdown_depth",
    "classify",
    "regime_boundaries",
    "regime_map",
]
