"""Runs a program to its end: keeps its output, shows its progress, and ends it when the caller is interrupted."""
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
GRACE_S = 2  # between SIGTERM and SIGKILL


class Processes:
    """Programs that are running, in several threads; stop() ends them and prevents further starts."""

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
    """The exception that ends_cleanly() raises for a signal."""


@contextlib.contextmanager
def ends_cleanly():
    """Signals that end Python at once (SIGTERM of a batch system, SIGHUP of a terminal) act like an interruption, so
    that programs end and folders are removed; then they end Python. The caller's handlers and other threads are not
    changed."""
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
    """Ends a program by SIGTERM, on which a testbench removes half-written files; then by SIGKILL."""
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
    """Reads stderr to its end; rewritten lines (progress) go to the bar."""
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
    """(stdout, stderr) of the program, run in this folder. ProgramFailed with its error line when its exit status is
    not 0. An active bar makes stderr a terminal, on which programs report their progress."""
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
        raise ProgramFailed(program, status, last_line(told) or f"{program}: {meaning_of(status, text)}", text)
    return text, told


def meaning_of(status, text):
    """What a status means, in one line, for a program that printed this text and no error message."""
    if status < 0:
        return f"ended by {signal.Signals(-status).name}"
    if status != 1:
        return f"ended with status {status}"
    why = [" ".join(line.split()) for line in text.split("\n") if line.split()[:1] in (["check"], ["error"])]
    return f"the result is wrong: {'; '.join(why) or last_line(text) or 'it printed nothing'}"
