"""Initialisers and a monitor of state energies for PyTorch; needs the extra ``sigprop[torch]``.

`gaussian_recurrent_`, `ring_`, `ring_eigenvalues_` and `rotation_` fill tensors in place, in the
style of ``torch.nn.init``; `EnergyMonitor` records the energies of a running recurrence and lays
them over theory.
"""

try:
    import torch as _torch  # noqa: F401  (tells whether there is one)
except ImportError as error:
    raise ImportError(
        "sigprop.torch needs PyTorch, which is not installed: pip install 'sigprop[torch]'"
    ) from error

from sigprop.torch.gaussian import gaussian_recurrent_
from sigprop.torch.monitor import EnergyMonitor
from sigprop.torch.prediction import PredictedEnergies, predict_energies
from sigprop.torch.ring import ring_, ring_eigenvalues_
from sigprop.torch.rotation import rotation_

__all__ = [
    "EnergyMonitor",
    "PredictedEnergies",
    "gaussian_recurrent_",
    "predict_energies",
    "ring_",
    "ring_eigenvalues_",
    "rotation_",
]
