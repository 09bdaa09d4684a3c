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


def write_all(files):
    """Writes these bytes by path; if one cannot be written, all files are unchanged."""
    waiting = []
    try:
        for path, content in files.items():
            try:
                target = target_of(path)
                waiting.append((name_beside(target), target, path))
                write_new(waiting[-1][0], content, False)
            except OSError as error:
                raise InputProblem(f"{path} cannot be written: {error.strerror}") from None
        for written, target, path in waiting:
            os.replace(written, target)
    finally:
        for written, _, _ in waiting:
            if os.path.exists(written):
                os.unlink(written)


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


def name_beside(path):
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:100]}.{uuid.uuid4().hex}")


def write_new(path, content, sync):
    with open(path, "xb") as file:
        file.write(content)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def write_beside(path, content, sync):
    waiting = name_beside(path)
    try:
        write_new(waiting, content, sync)
        os.replace(waiting, path)
    except BaseException:
        if os.path.exists(waiting):
            os.unlink(waiting)
        raise
