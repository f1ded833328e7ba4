"""Files appear whole or not at all."""

import os
import stat
import threading

import pytest

from sigprop import _files
from sigprop._files import check_writable, make_folder, write_file, write_files


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_write_and_replace(tmp_path):
    target = tmp_path / "result.json"
    write_file(target, "one")
    write_file(str(target), b"two")
    assert target.read_bytes() == b"two"
    assert names_in(tmp_path) == ["result.json"]


def test_text_is_utf8_without_translation(tmp_path):
    write_file(tmp_path / "a", "n → ∞\n")
    assert (tmp_path / "a").read_bytes() == "n → ∞\n".encode()


def test_permissions_follow_the_umask(tmp_path):
    write_file(tmp_path / "ours", "")
    (tmp_path / "plain").write_text("")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ours", "plain")]
    assert modes[0] == modes[1]


def test_several_files_or_none(tmp_path):
    (tmp_path / "old").write_text("old")
    with pytest.raises(OSError, match="cannot write"):
        write_files({tmp_path / "old": "new", tmp_path / "missing" / "file": "new"})
    assert (tmp_path / "old").read_text() == "old"
    assert names_in(tmp_path) == ["old"]


def test_a_crash_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "result"
    target.write_text("old")

    def full_disk(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_files.os, "fsync", full_disk)
    with pytest.raises(OSError, match=r"cannot write .*result: No space left on device"):
        write_file(target, "new")
    assert target.read_text() == "old"
    assert names_in(tmp_path) == ["result"]


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        write_file(tmp_path, "")
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        check_writable(tmp_path)


def test_symbolic_links_are_followed(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "store" / "real")
    write_file(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "store" / "real").read_text() == "text"


def test_a_pipe_is_written_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    check_writable(pipe)
    write_file(pipe, "through")
    reader.join(timeout=10)
    assert received == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_make_folder(tmp_path):
    assert make_folder(tmp_path / "a" / "b").is_dir()
    assert names_in(tmp_path / "a" / "b") == []
    (tmp_path / "file").write_text("")
    for blocked in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match=f"cannot write .*{blocked.name}"):
            make_folder(blocked)


def test_check_writable_leaves_nothing(tmp_path):
    check_writable(tmp_path / "later")
    (tmp_path / "now").write_text("kept")
    check_writable(tmp_path / "now")
    assert names_in(tmp_path) == ["now"]
    assert (tmp_path / "now").read_text() == "kept"
    with pytest.raises(OSError, match="cannot write"):
        check_writable(tmp_path / "missing" / "later")
