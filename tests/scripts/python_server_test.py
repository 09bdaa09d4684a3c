#!/usr/bin/env python3
"""tensorloom.ContractServer: Runs as of tl.contract, without a process for each. Usage: python_server_test.py DIRECTORY with
the testbenches"""
import os
import pickle
import signal
import sys
import tempfile
import unittest

import numpy as np

import package_path  # noqa: F401
import tensorloom as tl

os.environ["TENSORLOOM_BIN"] = os.path.abspath(sys.argv.pop(1))


def operands(*shapes):
    random = np.random.default_rng(1)
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


class ServerTest(unittest.TestCase):
    def test_runs_are_those_of_contract(self):
        a, b = operands((6, 7), (7, 5))
        with tl.ContractServer(operand="f32", layout="offchip") as server:
            for _ in range(2):
                served, alone = server.contract("ij,jk->ki", a, b), tl.contract("ij,jk->ki", a, b, operand="f32", layout="offchip")
                self.assertEqual((served.cycles, served.time_ns, served.energy_pj), (alone.cycles, alone.time_ns, alone.energy_pj))
                self.assertEqual(served.result.tobytes(), alone.result.tobytes())
                self.assertEqual(repr(served), repr(alone))
                self.assertEqual(served.latency.tolist(), alone.latency.tolist())
                self.assertEqual(served.text.split("simulation")[0], alone.text.split("simulation")[0])

    def test_a_run_is_saved_and_pickled(self):
        a, b = operands((3, 4), (4, 5))
        with tl.ContractServer() as server, tempfile.TemporaryDirectory() as folder:
            run = server.contract("ij,jk->ik", a, b)
            run.save(folder)
            loaded, copied = tl.load(folder), pickle.loads(pickle.dumps(run))
            for other in (loaded, copied):
                self.assertEqual((other.cycles, other.energy_pj), (run.cycles, run.energy_pj))
                self.assertEqual(other.result.tobytes(), run.result.tobytes())

    def test_operands_may_change_afterwards(self):
        a, b = operands((3, 4), (4, 5))
        with tl.ContractServer() as server:
            run = server.contract("ij,jk->ik", a, b)
            a[:] = 0
            self.assertTrue(np.any(np.load(__import__("io").BytesIO(run.files["a.npy" if "a.npy" in run.files else "input1.npy"]))))

    def test_bad_input_leaves_it_running(self):
        a, b = operands((3, 4), (4, 5))
        with tl.ContractServer() as server:
            first = server.contract("ij,jk->ik", a, b)
            process = server.process
            for call, text in ((lambda: server.contract("ij,jk->ikz", a, b), "contract: "), (lambda: server.contract("ij,jk->ik", a, a), "contract: ")):
                with self.assertRaises(tl.ProgramFailed) as caught:
                    call()
                self.assertEqual(caught.exception.status, 2)
                self.assertIn(text, str(caught.exception))
                self.assertNotIn("\n", str(caught.exception))
            with self.assertRaises(tl.InputProblem):
                server.contract("ij,jk->ik", a, b * 1j)
            self.assertEqual(server.contract("ij,jk->ik", a, b).cycles, first.cycles)
            self.assertIs(server.process, process)

    def test_options_of_one_contraction_are_refused(self):
        for options, word in (({"einsum": "i,i->"}, "--einsum"), ({"fidelity": "detailed"}, "--fidelity"), ({"vcd": "x"}, "--vcd"),
                              ({"config": "x.yaml"}, "--config"), ({"layouts": "ideal"}, "did you mean 'layout'?")):
            with self.assertRaises(tl.InputProblem) as caught:
                tl.ContractServer(**options)
            self.assertIn(word, str(caught.exception))
        with self.assertRaises(tl.InputProblem):
            tl.contract(serve=True)

    def test_options_of_the_program_are_checked_with_the_first_contraction(self):
        a, b = operands((3, 4), (4, 5))
        with tl.ContractServer(clock=900) as server, self.assertRaises(tl.ProgramFailed) as caught:
            server.contract("ij,jk->ik", a, b)
        self.assertEqual(caught.exception.status, 2)
        self.assertIn("--clock", str(caught.exception))

    def test_a_server_that_was_ended_starts_again(self):
        a, b = operands((3, 4), (4, 5))
        with tl.ContractServer() as server:
            run = server.contract("ij,jk->ik", a, b)
            os.kill(server.process.pid, signal.SIGKILL)
            server.process.wait()
            with self.assertRaises(tl.ProgramFailed):
                server.contract("ij,jk->ik", a, b)
            self.assertEqual(server.contract("ij,jk->ik", a, b).cycles, run.cycles)

    def test_a_forked_process_has_a_server_of_its_own(self):
        a, b = operands((3, 4), (4, 5))
        with tl.ContractServer() as server:
            run = server.contract("ij,jk->ik", a, b)
            child = os.fork()
            if child == 0:
                try:
                    same = server.contract("ij,jk->ik", a, b).cycles == run.cycles
                    server.close()
                finally:
                    os._exit(0 if same else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(server.contract("ij,jk->ik", a, b).cycles, run.cycles)

    def test_no_process_is_left(self):
        a, b = operands((3, 4), (4, 5))
        server = tl.ContractServer()
        server.contract("ij,jk->ik", a, b)
        process = server.process
        server.close()
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
