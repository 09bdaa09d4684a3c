"""Many contractions on one simulated FETTA: a process of `contract --serve` that is started once.

    with tl.ContractServer(operand="f32") as server:
        run = server.contract("ij,jk->ik", a, b)      # a Run as of tl.contract

A contraction costs its simulation and less than a millisecond, where a process of its own costs 15 ms and more. It has
the same bits, cycles and energy. The summary, tables (run.latency) and files (run.save()) are made when they are asked
for, by running the contraction once more.
"""
import json
import os
import subprocess
import tempfile
import threading
import weakref

import numpy as np

from tensorloom.arguments import Place, array_of, command_arguments, named_options
from tensorloom.execution import end
from tensorloom.programs import ProgramFailed, last_line, option_table
from tensorloom.run_directory import InputProblem
from tensorloom.simulation import Run
from tensorloom.testbenches import FUNCTIONS

PROGRAM = "contract"
OF_ONE_CONTRACTION = ("einsum", "sizes", "input", "output", "program", "max-cycles", "save-program", "profile", "seed", "vcd",
                      "address-trace", "config")
WAIT_S = 2  # for a server to end by itself
servers = weakref.WeakSet()


def can_serve(options):
    """Whether a server can have these options: those of one contraction or one simulation alone are not among them."""
    named = named_options(option_table(PROGRAM), options)
    return str(named.get("fidelity") or "fast") == "fast" and not any(named.get(name) for name in OF_ONE_CONTRACTION)


class ServedRun(Run):
    """A contraction of a server. Its result, cycles, time and energy are known; its summary, tables and files are made when
    they are asked for, by the same contraction: in the server, or in a process of its own."""

    def __init__(self, arguments, answer, result, operands, options):
        super().__init__(PROGRAM, arguments, None, {"result": "result.npy"})
        self._answer, self._result = answer, result
        self._operands, self._options = operands, options

    @property
    def files(self):
        if self._files is None:
            self._files = FUNCTIONS[PROGRAM](*self._asked(), **self._options).files
        return self._files

    @files.setter
    def files(self, files):
        self._files = files

    def _asked(self):
        if self._operands is None:
            raise InputProblem("contract: the run has no operands, expected them for its summary, tables and files: keep=True")
        return self._operands

    @property
    def outputs(self):
        return {"result": self._result}

    @property
    def summary(self):
        return self._once("summary", lambda: summary_of(self._asked(), self._options) if self._files is None
                          else json.loads(self._files["summary.json"]))

    @property
    def cycles(self):
        return self._answer["cycles"]

    @property
    def time_ns(self):
        return self._answer["simulated_time_ns"]

    @property
    def energy_pj(self):
        return self._answer["energy_pJ"]


class ContractServer:
    """A FETTA with these options of `contract`, for contractions of two tensors one after the other. Threads may share it;
    a process that is forked starts one of its own."""

    def __init__(self, **options):
        table = option_table(PROGRAM)
        if not can_serve(options):
            named = named_options(table, options)
            wrong = next((name for name in OF_ONE_CONTRACTION if named.get(name)), "fidelity")
            raise InputProblem(f"contract: --{wrong} is given for a server, expected it for a single contraction: tensorloom.contract()")
        self.options = options
        self.arguments = command_arguments(table, named_options(table, options), Place(os.getcwd(), os.getcwd()))
        self.path = table.path
        self.lock = threading.Lock()
        self.process = self.messages = self.of_process = None
        servers.add(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        """Ends its process; the next contraction starts another."""
        process, self.process = getattr(self, "process", None), None
        if process is None:
            return
        if self.of_process == os.getpid():
            for file in (process.stdin, process.stdout):
                try:
                    file.close()
                except OSError:
                    pass
            try:
                process.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                end(process)
        self.messages.close()

    def start(self):
        self.messages = tempfile.TemporaryFile()
        try:
            # A group of its own: an interruption of the terminal ends Python, which ends the server.
            self.process = subprocess.Popen([self.path, "--serve", *self.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.messages, start_new_session=True)
        except OSError as error:
            raise InputProblem(f"{self.path} cannot be run: {error.strerror}") from None
        self.of_process = os.getpid()

    def ask(self, request, *arrays):
        """(answer as JSON, its bytes) of a request and the arrays that follow it."""
        if self.process is None or self.of_process != os.getpid():
            self.start()
        try:
            sent = self.process.stdin
            sent.write(json.dumps(request).encode() + b"\n")
            for array in arrays:
                sent.write(memoryview(array.reshape(-1)).cast("B") if array.size else b"")
            sent.flush()
        except BrokenPipeError:
            pass  # it has answered, or said why not
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self.failed()
        told = bytes_told(line)
        result = self.process.stdout.read(told)
        if len(result) != told:
            raise self.failed()
        return line, result

    def failed(self):
        """The error of a server that has ended without an answer."""
        status = self.process.wait()
        self.messages.seek(0)
        told = last_line(self.messages.read().decode("utf-8", "replace"))
        return ProgramFailed(PROGRAM, status, told or f"contract: the server ended with status {status}")

    def contract(self, einsum, a, b, keep=True, check=True):
        """The contraction as a Run, like tensorloom.contract(). keep=False: it has no summary, tables and files, for which the
        operands are kept otherwise. check=False: the result is not compared with double precision."""
        answer, values = self.answer_of(einsum, a, b, check=check)
        operands = (einsum, *(np.array(operand, dtype=np.float32) for operand in (a, b))) if keep else None
        return ServedRun([f"--einsum={einsum}", *self.arguments], answer, values, operands, self.options)

    def answer_of(self, einsum, a, b, summary=False, check=True):
        """(answer, result) of the server."""
        a, b = (np.asarray(of_numbers(operand, which), order="C") for operand, which in ((a, "first"), (b, "second")))
        request = {"einsum": einsum, "shapes": [a.shape, b.shape], "summary": summary, "check": check}
        with self.lock:
            try:
                line, result = self.ask(request, a, b)
            except BaseException:  # an interruption, too: what is left of an answer is not the next one's
                if self.process is not None and self.of_process == os.getpid():
                    end(self.process)
                self.close()
                raise
        answer = json.loads(line)
        if answer["status"]:
            if answer["status"] not in (1, 2):
                self.close()
            raise ProgramFailed(PROGRAM, answer["status"], f"contract: {answer['error']}")
        return answer, np.frombuffer(result, dtype="<f4").reshape(answer["shape"])


def summary_of(operands, options):
    """The whole summary of a contraction, by a server of these options that runs, or one of its own."""
    server = next((server for server in servers if server.options == options and server.process is not None), None)
    if server:
        return server.answer_of(*operands, summary=True)[0]["summary"]
    with ContractServer(**options) as alone:
        return alone.answer_of(*operands, summary=True)[0]["summary"]


def of_numbers(value, which):
    array = array_of(value, f"contract: the {which} operand")
    if array.dtype.kind not in "biuf":
        raise InputProblem(f"contract: the {which} operand is an array of {array.dtype}, expected real numbers")
    return array.astype(np.float32, copy=False)


def bytes_told(line):
    """The number of bytes after an answer."""
    at = line.index(b'"bytes":') + len(b'"bytes":')
    return int(line[at:at + 20].split(b",")[0].split(b"}")[0])


def forget_in_child():
    for server in servers:
        server.lock = threading.Lock()
        if server.process is not None:
            for file in (server.process.stdin, server.process.stdout):  # those of the parent
                file.raw.close()
            server.process = None


os.register_at_fork(after_in_child=forget_in_child)
