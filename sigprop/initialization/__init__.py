"""Which gain is safe at my width and length, how long may a sequence be, what do defaults do.

`safe_gain` and `safe_length` bound a quantile of the energy of one draw of W, or the mean;
`unit_energy_gain` restores the energy of infinite width; `framework_defaults` says what the
defaults of PyTorch, Keras, Flax and Equinox do; `gain_report` puts it on one page.
"""

from sigprop.initialization.frameworks import (
    DEFAULTS,
    DefaultRow,
    FrameworkDefault,
    framework_defaults,
)
from sigprop.initialization.gains import SafeGain, safe_gain, unit_energy_gain
from sigprop.initialization.lengths import SafeLength, safe_length
from sigprop.initialization.report import GainReport, gain_report, paste_lines

__all__ = [
    "DEFAULTS",
    "DefaultRow",
    "FrameworkDefault",
    "GainReport",
    "SafeGain",
    "SafeLength",
    "framework_defaults",
    "gain_report",
    "paste_lines",
    "safe_gain",
    "safe_length",
    "unit_energy_gain",
]
