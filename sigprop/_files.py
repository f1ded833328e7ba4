"""Files that appear whole or not at all.

Everything is written beside its target under a temporary name and moved into
place when complete, so that a full disk, a crash or a kill leaves the earlier
file as it was.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path


def write_file(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write one file atomically; text is written as UTF-8.

    Parameters
    ----------
    path : str or os.PathLike
        Target; an existing regular file is replaced, a symbolic link is followed,
        and a device or pipe such as ``/dev/stdout`` is written directly.
    content : bytes or str
        The whole content.

    Raises
    ------
    OSError
        If the folder is missing or cannot be written; the target is then unchanged.
    """
    write_files({path: content})


def write_files(contents: Mapping[str | os.PathLike[str], bytes | str]) -> None:
    """Write several files, each atomically, and none before all are safely on disk.

    Parameters
    ----------
    contents : mapping of path to bytes or str
        Targets and their contents.

    Raises
    ------
    OSError
        If any of them cannot be written; no target is then changed.
    """
    targets = {Path(os.path.realpath(path)): _encoded(text) for path, text in contents.items()}
    with _temporary_names() as temporary:
        for target, data in targets.items():
            if target.is_dir():
                raise IsADirectoryError(f"cannot write {target}: it is a folder")
            if not _is_special(target):
                temporary[target] = _write_beside(target, data)
        for target, data in targets.items():
            if target in temporary:
                os.replace(temporary.pop(target), target)
            else:
                target.write_bytes(data)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder ``path``, made if missing, after checking that it can be written.

    Meant to be called before a long computation whose result goes there.

    Raises
    ------
    OSError
        If it is not a folder or cannot be made or written.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove(_write_beside(folder / "check", b""))
    except OSError as error:
        raise _explained(error, folder) from error
    return folder


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OSError if a file cannot be written at ``path``; write nothing.

    Meant to be called before a long computation whose result goes there.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {target}: it is a folder")
    if not _is_special(target):
        _remove(_write_beside(target, b""))


def _encoded(content: bytes | str) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _is_special(target: Path) -> bool:
    """Tell a device or a pipe, which must not be replaced, from a file or a free name."""
    return target.exists() and not target.is_file()


def _write_beside(target: Path, data: bytes) -> Path:
    """Write ``data`` under a fresh hidden name in the target's folder, with the user's umask."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        _remove(temporary)
        raise _explained(error, target) from error
    return temporary


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _explained(error: OSError, target: Path) -> OSError:
    """Return an error of the same class that names the file the user asked for."""
    if error.errno is None:
        return error
    return type(error)(f"cannot write {target}: {error.strerror}")


@contextlib.contextmanager
def _temporary_names() -> Iterator[dict[Path, Path]]:
    """Collect temporary files by target and remove those still there at the end."""
    names: dict[Path, Path] = {}
    try:
        yield names
    finally:
        for temporary in names.values():
            _remove(temporary)
