"""A program, run to its end: what it prints is kept, its progress is shown, and nothing of it is left when the caller is
interrupted."""
import contextlib
import os
import re
import signal
import subprocess
import threading

from tensorloom.programs import ProgramFailed, last_line
from tensorloom.run_directory import InputProblem

PIECE = 65536
CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # sequences for terminals
GRACE_S = 2  # between the request to end and the end


class Processes:
    """Programs that run now, in several threads; stop() ends them, and those that would begin later do not."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = set()
        self.stopped = False

    def start(self, *arguments, **options):
        with self.lock:
            if self.stopped:
                raise InterruptedError("stopped")
            process = subprocess.Popen(*arguments, **options)
            self.running.add(process)
            return process

    def ended(self, process):
        with self.lock:
            self.running.discard(process)

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.terminate()


class Terminated(BaseException):
    """What ends_cleanly() makes of a signal."""


@contextlib.contextmanager
def ends_cleanly():
    """Signals that end Python at once (SIGTERM of a batch system, SIGHUP of a terminal) do what an interruption does, so that
    programs end and folders go, and then end Python. Handlers of the caller's are left alone, and so are other threads."""
    mine = [number for number in (signal.SIGTERM, signal.SIGHUP)
            if threading.current_thread() is threading.main_thread() and signal.getsignal(number) == signal.SIG_DFL]
    taken = []

    def take(number, _frame):
        taken.append(number)
        raise Terminated

    for number in mine:
        signal.signal(number, take)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, signal.SIG_DFL)
        if taken:
            os.kill(os.getpid(), taken[0])


def end(process):
    """By SIGTERM, which a testbench takes to leave no half-written file; then for good."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def read_all(file, pieces):
    with file:
        pieces.append(file.read())


def follow(descriptor, bar):
    """What stands on stderr, read until its end; a line that begins anew goes to the bar."""
    told = b""
    while True:
        try:
            piece = os.read(descriptor, PIECE)
        except OSError:  # a terminal whose other side is closed
            piece = b""
        if not piece:
            return CONTROL.sub("", told.decode("utf-8", "replace"))
        told += piece
        lines = CONTROL.sub("", piece.decode("utf-8", "replace")).replace("\n", "\r").split("\r")
        bar.show_told(lines[-1])


def execute(program, path, arguments, folder, bar, processes=None):
    """(stdout, stderr) of the program, run in this folder. ProgramFailed with its own line when it ends with another status
    than 0. A bar that shows makes stderr a terminal, on which programs tell their progress."""
    processes = processes or Processes()
    reading, writing = os.openpty() if bar.active else os.pipe()
    process, printed = None, []
    try:
        try:
            process = processes.start([path, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=writing)
        except OSError as error:
            if isinstance(error, InterruptedError):
                raise
            raise InputProblem(f"{path} cannot be run: {error.strerror}") from None
        finally:
            os.close(writing)
        reader = threading.Thread(target=read_all, args=(process.stdout, printed), daemon=True)
        reader.start()
        told = follow(reading, bar)
        status = process.wait()
        reader.join()
    finally:
        os.close(reading)
        if process:
            end(process)
            processes.ended(process)
    told = "\n".join(line for line in told.replace("\r", "\n").split("\n") if line.strip())
    text = printed[0].decode("utf-8", "replace")
    if status:
        raise ProgramFailed(program, status, last_line(told) or f"{program}: {meaning_of(status)}", text)
    return text, told


def meaning_of(status):
    if status < 0:
        return f"ended by {signal.Signals(-status).name}"
    return "the result is wrong, see the text of this error" if status == 1 else f"ended with status {status}"
