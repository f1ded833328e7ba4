"""Why PyTorch would not load a file: other objects in it, a program, or damage.

The pickle in it is looked through operation by operation, and nothing of it is carried out.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import zipfile
from pathlib import Path
from typing import IO

_PICKLES_OF_OLD_FILES = 4  # magic number, protocol, system, content


def refusal(file: Path, error: Exception) -> str:
    """Return the reason as the end of a sentence; empty if the file seems damaged."""
    if file.stat().st_size == 0:
        return "cut short or damaged (it is empty)"
    if zipfile.is_zipfile(file):
        return _refusal_of_archive(file, error)
    with open(file, "rb") as handle:
        start = handle.read(2)
        handle.seek(0)
        whole = _whole_pickles(handle)
    if start != b"PK" and whole == 0:
        return "cut short, or not a file of PyTorch"
    return _OBJECTS if isinstance(error, pickle.UnpicklingError) and whole in (1, 4) else ""


_OBJECTS = "it holds objects other than tensors, which are never loaded; save model.state_dict()"
_PROGRAM = "it holds a TorchScript program, which is never run; save model.state_dict()"


def _refusal_of_archive(file: Path, error: Exception) -> str:
    try:
        with zipfile.ZipFile(file) as archive:
            last_names = {name.rsplit("/", 1)[-1]: name for name in archive.namelist()}
            if "constants.pkl" in last_names:
                return _PROGRAM
            if "data.pkl" not in last_names:
                return "not a file of PyTorch"
            content = archive.read(last_names["data.pkl"])
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError):
        return ""
    whole = _whole_pickles(io.BytesIO(content))
    return _OBJECTS if isinstance(error, pickle.UnpicklingError) and whole == 1 else ""


def _whole_pickles(stream: IO[bytes]) -> int:
    """Return how many pickles one behind the other are whole, up to those of old files."""
    for count in range(_PICKLES_OF_OLD_FILES):
        try:
            for _ in pickletools.genops(stream):
                pass
        except Exception:  # whatever bytes that are no pickle make of its arguments
            return count
    return _PICKLES_OF_OLD_FILES
