"""Files that are written completely or not at all."""
import os
import stat
import uuid

from tensorloom.run_directory import InputProblem


def write_whole(path, content, sync=False):
    """Writes these bytes, or leaves the file unchanged. Symbolic links are followed and stay. InputProblem if the file
    cannot be written, or if the path is something else: a directory, a device, a pipe, a socket.

    sync: the bytes are on the disk before the file is replaced."""
    try:
        write_beside(target_of(path), content, sync)
    except OSError as error:
        raise InputProblem(f"{path} cannot be written: {error.strerror}") from None


def target_of(path):
    """The file that a path leads to."""
    target = os.path.realpath(path)
    try:
        kind = os.stat(target).st_mode
    except FileNotFoundError:
        if os.path.islink(path):
            raise InputProblem(f"{path} cannot be written: it is a dangling symbolic link, expected a file") from None
        return target
    if not stat.S_ISREG(kind):
        found = "a directory" if stat.S_ISDIR(kind) else "a device, a pipe or a socket"
        raise InputProblem(f"{path} cannot be written: it is {found}, expected a file")
    return target


def write_beside(path, content, sync):
    folder, name = os.path.split(path)
    waiting = os.path.join(folder, f".{name[:100]}.{uuid.uuid4().hex}")
    try:
        with open(waiting, "xb") as file:
            file.write(content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(waiting, path)
    except BaseException:
        if os.path.exists(waiting):
            os.unlink(waiting)
        raise
