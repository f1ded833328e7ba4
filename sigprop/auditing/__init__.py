"""Is this weight matrix safe at my length?  Measured energies of given weights against theory.

`audit` takes arrays and state dicts, `audit_file` checkpoint files.  For each recurrent matrix
they measure the energy of its powers in the log domain, compare it with a random matrix of the
same gain, and say in words what to change.
"""

from sigprop.auditing.auditor import DEPTHS, MAX_DEPTH, audit, audit_file
from sigprop.auditing.reading import load_tensors
from sigprop.auditing.report import Audit, TensorAudit

__all__ = [
    "DEPTHS",
    "MAX_DEPTH",
    "Audit",
    "TensorAudit",
    "audit",
    "audit_file",
    "load_tensors",
]
