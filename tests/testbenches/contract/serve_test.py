"""contract --serve: many contractions in one process, each with the bits, the cycles and the energy of a process of its own,
whatever came before it; and what is wrong with a request."""
import json
import os
import resource
import shlex
import subprocess

import numpy as np

from contract_program import BAD_INPUT, RIGHT, ContractTest, load_json
from testbench_program import program_path

OF_A_PROCESS = ("simulation", "configuration")  # its wall time and options; all else is the same
DEVICES = ("", "--memory sram --layout conflicted", "--layout offchip --operand f32 --clock 0.7",
           "--dram hbm2e-3200 --objective edp", "--no-overlap --engines 4 --store bf16 --leakage 2",
           "--layout offchip --reordering transfers --bank-bytes 4096")
CONTRACTIONS = (("ij,jk->ik", (20, 24), (24, 12)), ("bij,bjk->bik", (3, 5, 7), (3, 7, 9)), ("i,j->ji", (40,), (30,)),
                ("i,i->", (100,), (100,)), ("abc,cad->bd", (8, 9, 10), (10, 8, 11)), ("ij,jk->ik", (64, 96), (96, 80)))


class Server:
    """A process that serves; the protocol in the test's own words."""

    def __init__(self, line, directory, **limits):
        self.process = subprocess.Popen([program_path("contract"), "--serve", *shlex.split(line)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=directory, **limits)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def send(self, request, *arrays):
        text = request if isinstance(request, bytes) else json.dumps(request).encode()
        self.process.stdin.write(text + b"\n" + b"".join(np.asarray(array, "<f4").tobytes() for array in arrays))
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer, self.process.stdout.read(answer["bytes"])

    def contract(self, einsum, a, b, summary=True):
        answer, data = self.send({"einsum": einsum, "shapes": [a.shape, b.shape], "summary": summary}, a, b)
        return answer, np.frombuffer(data, "<f4").reshape(answer["shape"]) if "shape" in answer else None

    def end(self):
        """(status, stderr) after the end of the requests."""
        out, err = self.process.communicate(timeout=60)
        assert not out
        return self.process.returncode, err.decode()


class Serve(ContractTest):
    def operands(self, a, b, seed):
        random = np.random.default_rng(seed)
        return random.uniform(-1, 1, a).astype(np.float32), random.uniform(-1, 1, b).astype(np.float32)

    def of_process(self, line, einsum, a, b):
        """Summary and result of a process of its own."""
        self.save("a.npy", a)
        self.save("b.npy", b)
        self.succeeds(f"{line} --einsum '{einsum}' --input a.npy,b.npy --output c.npy --quiet --out files")
        return load_json(self.path("files/summary.json")), self.load("c.npy")

    def test_every_contraction_is_that_of_a_process_of_its_own(self):
        for line in DEVICES:
            with self.subTest(line), Server(line, self.directory) as server:
                expected = [self.of_process(line, einsum, *self.operands(a, b, seed))
                            for seed, (einsum, a, b) in enumerate(CONTRACTIONS)]
                for seed in (*range(len(CONTRACTIONS)), 2, 0, 0, 5, 1):
                    einsum, a, b = CONTRACTIONS[seed]
                    answer, result = server.contract(einsum, *self.operands(a, b, seed))
                    summary, values = expected[seed]
                    self.assertEqual(answer["status"], RIGHT)
                    self.assertEqual((answer["cycles"], answer["simulated_time_ns"], answer["energy_pJ"]),
                                     (summary["cycles"], summary["simulated_time_ns"], summary["energy_pJ"]["total"]))
                    self.assertEqual(list(answer["summary"]), list(summary))
                    for field in set(summary).difference(OF_A_PROCESS):
                        self.assertEqual(answer["summary"][field], summary[field], f"{einsum}: {field}")
                    self.assertEqual(result.tobytes(), values.tobytes(), einsum)
                    self.assertEqual(answer["summary"]["configuration"]["einsum"], einsum)
                self.assertEqual(server.end(), (RIGHT, ""))

    def test_operands_and_results_may_be_files(self):
        a, b = self.operands((5, 6), (6, 7), 1)
        summary, values = self.of_process("", "ij,jk->ik", a, b)
        with Server("", self.directory) as server:
            answer, data = server.send({"einsum": "ij,jk->ik", "input": ["a.npy", "b.npy"], "output": "d.npy", "summary": True})
            self.assertEqual((answer["status"], answer["bytes"], data), (RIGHT, 0, b""))
            self.assertEqual(answer["summary"]["cycles"], summary["cycles"])
            self.assertEqual(answer["summary"]["configuration"]["options_given"],
                             {"einsum": "ij,jk->ik", "input": "a.npy,b.npy", "output": "d.npy"})
        self.assertEqual(self.load("d.npy").tobytes(), values.tobytes())

    def test_nothing_of_a_contraction_is_left_for_the_next(self):
        a, b = self.operands((33, 47), (47, 29), 3)
        with Server("--allow-nonfinite", self.directory) as server:
            _, before = server.contract("ij,jk->ik", a, b)
            server.contract("ij,jk->ik", np.full((64, 64), np.inf), np.full((64, 64), np.nan))
            answer, after = server.contract("ij,jk->ik", a, b)
        self.assertTrue(answer["summary"]["check"]["passed"])
        self.assertEqual(before.tobytes(), after.tobytes())

    def test_a_request_may_do_without_the_check(self):
        large = np.array([[3e38, 3e38, -3e38, -3e38]], np.float32)  # 0, but the device's sums overflow
        request = {"einsum": "ij,jk->ik", "shapes": [[1, 4], [4, 1]], "summary": True}
        with Server("--operand f32", self.directory) as server:
            for check, status in ((True, 1), (False, RIGHT), (True, 1)):
                answer, data = server.send({**request, "check": check}, large, np.ones((4, 1)))
                self.assertEqual((answer["status"], len(data)), (status, 4))
                self.assertEqual(answer["summary"]["check"]["passed"], False if check else None)
                self.assertEqual("error" in answer, check)

    def test_goes_on_after_bad_input(self):
        a, b = self.operands((3, 4), (4, 5), 1)
        spoilt = a.copy()
        spoilt[1, 2] = np.nan
        with Server("", self.directory) as server:
            for einsum, left, word in (("ij,jk->ikz", a, "z"), ("ij->ij", a, "einsum"), ("ij,jk->ik", a[:, :3], "4"),
                                       ("ij,jk->ik", spoilt, "the first operand: element (1,2) is nan"),
                                       ("ij,jk->ik", np.full_like(a, 3.4e38), "expected a number in the range of bf16")):
                answer, _ = server.contract(einsum, left, b)
                self.assertEqual(answer["status"], BAD_INPUT, einsum)
                self.assertIn(word, answer["error"])
                self.assertNotIn("\n", answer["error"])
            for request in ({"einsum": "ij,jk->ik", "input": ["no.npy", "b.npy"]},
                            {"einsum": "ij,jk->ik", "shapes": [[3, 4], [4, 5]], "output": "no/c.npy"}):
                answer, _ = server.send(request, *((a, b) if "shapes" in request else ()))
                self.assertEqual(answer["status"], BAD_INPUT)
            answer, result = server.contract("ij,jk->ik", a, b)
            self.assertEqual(answer["status"], RIGHT)
            self.assert_contraction(result, "ij,jk->ik", a, b)
            self.assertEqual(server.end(), (RIGHT, ""))

    def test_ends_with_what_is_no_request(self):
        for text, word in ((b"contract", "expected a line of JSON"), (b"[1]", "expected a line of JSON"),
                           (b"{}", "neither of shapes and input"), (b'{"shapes": [[1], [1]]}', "no einsum"),
                           (b'{"einsum": "i,i->", "shapes": [[1], [1]], "size": 3}', "'size'"),
                           (b'{"einsum": "i,i->", "shapes": [[1], [1]], "summary": 1}', "expected true or false"),
                           (b'{"einsum": 3, "shapes": [[1], [1]]}', "expected a text"),
                           (b'{"einsum": "i,i->", "shapes": [[1]]}', "two operands"),
                           (b'{"einsum": "i,i->", "shapes": [[1], [0]]}', "sizes from 1"),
                           (b'{"einsum": "i,i->", "shapes": [[1], 1]}', "list"),
                           (b'{"einsum": "i,i->", "shapes": [[1], [-1]]}', "sizes from 1"),
                           (b'{"einsum": "i,i->", "input": ["a", "b"], "shapes": [[1], [1]]}', "both"),
                           (b'{"einsum": "i,i->", "shapes": [[99999, 99999], [1]]}', "up to 2147483647 elements")):
            with self.subTest(text), Server("", self.directory) as server:
                answer, _ = server.send(text)
                self.assertEqual(answer["status"], BAD_INPUT)
                self.assertIn(word, answer["error"])
                status, err = server.end()
                self.assertEqual(status, BAD_INPUT)
                self.assertEqual(err, f"contract: {answer['error']}\n")

    def test_ends_with_operands_that_do_not_fit_in_memory(self):
        """Their elements, which follow, are no requests."""
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))  # 4 GiB of it are reserved for the SRAM
        with Server("", self.directory, preexec_fn=little_memory) as server:
            answer, _ = server.send({"einsum": "i,i->", "shapes": [[10**9], [10**9]]}, np.zeros(1000))
            self.assertEqual(answer["status"], BAD_INPUT)
            self.assertIn("expected smaller tensors", answer["error"])
            self.assertEqual(server.end(), (BAD_INPUT, f"contract: {answer['error']}\n"))

    def test_an_operand_that_ends_early_is_bad_input(self):
        done = subprocess.run([program_path("contract"), "--serve"], input=b'{"einsum": "i,i->", "shapes": [[2], [2]]}\n1234567890',
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(b"found 2 bytes of an operand, expected 8", done.stderr)

    def test_options_of_one_contraction_are_refused(self):
        self.save("a.npy", np.ones((2, 2)))
        self.save_text("p.asm", "halt\n")
        for options in ("--einsum i,i-\\>", "--sizes i=2", "--input a.npy,a.npy", "--output c.npy", "--out files", "--vcd wave",
                        "--seed 3", "--program p.asm", "--save-program q", "--profile"):
            with self.subTest(options):
                self.fails_with(BAD_INPUT, f"--serve {options}", options.split()[0], "--serve")
        self.fails_with(BAD_INPUT, "--serve --fidelity detailed", "--fidelity", "expected fast with --serve")
        self.assertEqual(os.listdir(self.directory), sorted(["a.npy", "p.asm"]))

    def test_a_cycle_of_requests_holds_its_memory(self):
        a, b = self.operands((16, 16), (16, 16), 1)
        with Server("--no-check", self.directory) as server:
            def resident():
                with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
                    return int(file.read().split()[1]) * 4096
            for _ in range(200):
                server.contract("ij,jk->ik", a, b, summary=False)
            before = resident()
            for _ in range(800):
                server.contract("ij,jk->ik", a, b, summary=False)
            self.assertLess(resident() - before, 1 << 20)

