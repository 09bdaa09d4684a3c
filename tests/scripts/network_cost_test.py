#!/usr/bin/env python3
"""Costs of PyTorch modules: multiply-adds by hand, cycles of the programs alone, sums, refusals. Skipped where torch is not
installed; the programs for the vector unit need numpy alone. Usage: network_cost_test.py DIRECTORY with the testbenches"""
import contextlib
import io
import json
import math
import os
import re
import sys
import tempfile
import textwrap
import unittest

import jsonschema
import numpy as np

import package_path
import tensorloom as tl
from tensorloom import report_command
from tensorloom.network_cost import vector_kernels as kernels
from tensorloom.network_cost.elementwise_kernels import ELEMENTWISE, Operands
from tensorloom.network_cost.vector_programs import Device, DoesNotFit, Kernel, program_of
from tensorloom.schemas import load_schema

os.environ["TENSORLOOM_BIN"] = os.path.abspath(sys.argv.pop(1))
try:
    import torch
    from torch import nn
    from tensorloom.pytorch import BTLinear, HTLinear, TRLinear, TTLinear, TTMLinear, TTMLSTM, cost
except ImportError:
    torch = None
LANES, SIDE, ENGINES = 64, 4, 16  # of the default device


def bf16(values):
    """Rounded to nearest, ties to even."""
    bits = np.asarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000).view(np.float32)


def page():
    with open(os.path.join(package_path.ROOT, "docs", "network_cost.md"), encoding="utf-8") as file:
        return file.read()


def run_program(kernel, rows, **options):
    """The run of a kernel's program with `contract`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.asm")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program_of(kernel, rows, Device(overlap="no_overlap" not in options)).text)
        return tl.contract(**{"einsum": "i,i->i", "sizes": {"i": 1}, "program": path, "no_check": True, **options})


class VectorProgramTest(unittest.TestCase):
    """Operands of contract are the first tensors of a program, and its result is the next one: programs run on real numbers."""

    def setUp(self):
        self.random = np.random.default_rng(1)

    def numbers(self, *shape):
        return bf16(self.random.standard_normal(shape))

    def test_rows_are_computed_block_by_block(self):
        for rows, width in ((1, 1), (3, 48), (50, 7), (1000, 96), (4097, 64)):
            with self.subTest(rows=rows, width=width):
                kernel = Kernel(16)
                x, y = kernel.load(width), kernel.load(width)
                kernel.store(kernel.op("mul", y, kernel.op("sub", x, kernel.spread(kernel.by_row("max_block", x), width))), 32)
                a, b = self.numbers(rows, width), self.numbers(rows, width)
                run = run_program(kernel, rows, einsum="ij,ij->ij", a=a, b=b, sizes=None)
                np.testing.assert_array_equal(run.result, b * (a - a.max(axis=1, keepdims=True)))

    def test_float32_tensors_pass_as_they_are(self):
        kernel = Kernel(32)
        x, y = kernel.load(1), kernel.load(1)
        kernel.store(kernel.op("add", x, y))
        a, b = (self.random.standard_normal(70001).astype(np.float32) for _ in "ab")
        run = run_program(kernel, 70001, a=a, b=b, sizes=None, operand="f32")
        np.testing.assert_array_equal(run.result, a + b)

    def test_windows_of_a_picture_are_its_pixels(self):
        for kernel_size, stride, padding, out in (((3, 3), 2, 1, (6, 8)), ((2, 2), 2, 0, (6, 8)), ((3, 2), 1, 0, (10, 15))):
            with self.subTest(kernel_size=kernel_size, padding=padding):
                picture = np.maximum(self.numbers(5, 12, 16), 0)  # the rim has zeros
                windows = kernels.Windows((12, 16), kernel_size, (stride, stride), (padding, padding), (1, 1), out)
                kernel = kernels.pooled(16, windows, True)
                kernel.load(192 * windows.places)  # the second operand, which nothing reads
                run = run_program(kernel, 5, einsum="ij,ijk->ik", store="bf16", a=picture.reshape(5, 192), sizes=None,
                                  b=np.zeros((5, 192, windows.places), dtype=np.float32))
                rim = np.pad(picture, ((0, 0), (padding, padding), (padding, padding)))
                expected = np.max([rim[:, y:y + (out[0] - 1) * stride + 1:stride, x:x + (out[1] - 1) * stride + 1:stride]
                                   for y in range(kernel_size[0]) for x in range(kernel_size[1])], axis=0)
                np.testing.assert_array_equal(run.result.reshape(5, *out), expected)

    def test_a_matrix_is_transposed(self):
        for rows, columns in ((12, 16), (7, 5), (64, 64)):
            kernel = kernels.transposed(16, rows, columns)
            kernel.load(rows * columns)
            x = self.numbers(3, rows * columns)
            run = run_program(kernel, 3, einsum="ij,ij->ij", store="bf16", a=x, b=np.zeros_like(x), sizes=None)
            np.testing.assert_array_equal(run.result.reshape(3, columns, rows), x.reshape(3, rows, columns).transpose(0, 2, 1))

    def test_cycles_of_instructions_are_those_of_the_closed_form(self):
        """docs/mmv.md: ceil(n / lanes) + depth; conversion 4, relu 1, exp 16, REPL 2."""
        kernel = Kernel(16)
        x = kernel.load(1)
        kernel.store(kernel.op("exp", kernel.op("relu", x)))
        run = run_program(kernel, 1000, no_overlap=True)
        self.assertEqual(run.summary["cycles_by_cause"]["vector"], 4 * math.ceil(1000 / LANES) + 4 + 1 + 16 + 4)

    def test_the_page_has_the_numbers_of_instructions(self):
        """As the device counts them, of a program of one block."""
        def counted(kernel):
            return run_program(kernel, 1).summary["events"]["vector_instruction"]

        found = {"softmax": (counted(kernels.softmax(16, 8)), counted(kernels.gradient_of_softmax(16, 8))),
                 # Rows that repeat: each is unpacked and spread before the first block.
                 "layer_norm": (counted(kernels.layer_norm(16, 8, True, True)) - 4,
                                counted(kernels.gradient_of_layer_norm(16, 8, True)) - 2),
                 "sgd": (counted(kernels.update(16, "sgd")), None), "adam": (counted(kernels.update(16, "adam")), None)}
        for name in ("relu", "add", "mul", "sigmoid", "tanh", "gelu", "silu"):
            forward, backward = ELEMENTWISE[name]
            kernel, gradient = Kernel(16), Kernel(16)
            kernel.store(forward(kernel, *(kernel.load(1) for _ in backward)))
            if backward[0]:
                gradient.store(backward[0](gradient, Operands(lambda _, own=gradient: own.load(1), len(backward))))
            found[name] = counted(kernel), counted(gradient) if backward[0] else 0
        rows = re.findall(r"^\| `(\w+)` \| (\d+) \| ?(\d*) ?\|", page(), re.M)
        self.assertEqual({name: (int(forward), int(backward) if backward else None) for name, forward, backward in rows}, found)

    def test_transfers_take_the_rate_of_the_memory(self):
        run = run_program(kernels.copy(16), 1_000_000)
        bound = 2 * 2e6 / 25.6
        self.assertTrue(bound < run.cycles < 1.15 * bound, run.cycles)

    def test_a_row_that_has_no_room_is_refused(self):
        with self.assertRaisesRegex(DoesNotFit,
                                    "a row of 200,000 numbers takes .* bytes of intermediates, and the unified memory has 524,288"):
            program_of(kernels.softmax(16, 200000), 3, Device())


def nodes_of(run):
    """Name -> row of the table."""
    table = run.table("nodes")
    return {str(row["node"]): row for row in table}


@unittest.skipUnless(torch, "no torch (python3-torch): costs of modules are not tested")
class ModuleTest(unittest.TestCase):
    def refused(self, module, sample, **options):
        with self.assertRaises(tl.TensorLoomError) as caught:
            cost(module, sample, **options)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def test_a_layer_costs_what_its_contractions_cost(self):
        run = cost(nn.Linear(40, 24, bias=False), torch.randn(6, 5, 40), optimizer=None)
        sizes = {"b": 30, "i": 40, "o": 24}
        forward = tl.contract("bi,oi->bo", sizes=sizes, layout="offchip", store="bf16", no_check=True)
        weights = tl.contract("bo,bi->oi", sizes=sizes, layout="offchip", no_check=True)
        row = nodes_of(run)["linear"]
        self.assertEqual((row["forward_cycles"], row["weight_gradient_cycles"], row["backward_cycles"]),
                         (forward.cycles, weights.cycles, 0))
        self.assertAlmostEqual(run.energy_pj, forward.energy_pj + weights.energy_pj, delta=1e-6 * run.energy_pj)

    def test_multiply_adds_are_those_of_a_count_by_hand(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(12, 20), nn.Linear(20, 7, bias=False)
                self.convolution = nn.Conv1d(5, 6, 3, groups=1, bias=False)

            def forward(self, x):
                y = torch.relu(self.first(x))                        # 4 x 5 x 20
                z = self.second(y)                                   # 4 x 5 x 7
                scores = torch.einsum("bid,bjd->bij", y, y)          # 4 x 5 x 5
                return torch.bmm(scores, z), self.convolution(y)     # 4 x 6 x 18

        rows = nodes_of(cost(Net(), torch.randn(4, 5, 12), optimizer=None))
        first, second = 20 * 12 * 20, 20 * 20 * 7
        scores, mixed, convolution = 4 * 5 * 5 * 20, 4 * 5 * 5 * 7, 4 * 6 * 18 * 5 * 3
        self.assertEqual(rows["first"]["macs"], 2 * first + 20 * 20)  # no dX; the bias: dY times ones
        self.assertEqual(rows["second"]["macs"], 3 * second)
        self.assertEqual(rows["einsum"]["macs"], 3 * scores)
        self.assertEqual(rows["bmm"]["macs"], 3 * mixed)
        self.assertEqual(rows["convolution"]["macs"], 3 * convolution)
        forward = nodes_of(cost(Net(), torch.randn(4, 5, 12), training=False))
        self.assertEqual([forward[name]["macs"] for name in ("first", "second", "einsum", "bmm", "convolution")],
                         [first, second, scores, mixed, convolution])

    def test_parts_sum_to_totals(self):
        module = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.GELU(), nn.MaxPool2d(2), nn.Flatten(),
                               nn.Linear(64, 10),
                               nn.LayerNorm(10), nn.Softmax(-1))
        run = cost(module, torch.randn(3, 2, 8, 8))
        summary = run.summary
        for table in ("nodes", "parts", "latency"):
            self.assertEqual(run.table(table)["cycles"].sum(), run.cycles)
        for column, table in (("macs", "nodes"), ("macs", "parts"), ("mac", "latency")):
            self.assertEqual(run.table(table)[column].sum(), summary["macs"])
        for column, table in (("energy_pJ", "nodes"), ("energy_pJ", "parts"), ("total_pJ", "energy")):
            self.assertAlmostEqual(run.table(table)[column].sum() / run.energy_pj, 1, 9)
        self.assertEqual(sum(phase["cycles"] for phase in summary["phases"].values()), run.cycles)
        self.assertEqual(sum(summary["cycles_by_cause"].values()), run.cycles)
        self.assertAlmostEqual(sum(value for name, value in summary["energy_pJ"].items() if name != "total") / run.energy_pj, 1, 9)
        self.assertEqual(summary["nodes"], {"simulated": 7, "without_work": 3, "not_modelled": 0})
        self.assertLess(summary["programs"]["simulated"], summary["programs"]["runs"])
        jsonschema.Draft201909Validator(load_schema("network_cost-summary")).validate(summary)

    def test_the_example_of_the_page_prints_what_it_shows(self):
        module = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, 10), nn.LogSoftmax(1))
        run = cost(module, torch.zeros(64, 784))
        self.assertIn(textwrap.indent(run.text, "    "), page())

    def test_equal_layers_are_simulated_once(self):
        one = cost(nn.Sequential(nn.Linear(16, 16)), torch.randn(4, 16), training=False)
        four = cost(nn.Sequential(*(nn.Linear(16, 16) for _ in range(4))), torch.randn(4, 16), training=False)
        self.assertEqual(four.cycles, 4 * one.cycles)
        self.assertEqual(four.summary["programs"], {"runs": 8, "simulated": 2})

    def test_views_cost_nothing_and_say_why(self):
        class Views(nn.Module):
            def forward(self, x):
                return x.view(6, 4).transpose(0, 1)[1:3].unsqueeze(0), nn.functional.dropout(x, 0.5, False)

        run = cost(Views(), torch.randn(2, 3, 4))
        self.assertEqual(run.cycles, 0)
        for row in run.table("nodes"):
            self.assertEqual((row["status"], row["cycles"]), ("no work", 0))
            self.assertTrue(row["reason"])

    def test_a_permuted_operand_is_read_in_its_order(self):
        class Attention(nn.Module):
            def forward(self, x):
                return torch.matmul(x.transpose(1, 2), x.permute(0, 2, 3, 1))

        run = cost(Attention(), torch.randn(2, 6, 4, 8), training=False)
        alone = tl.contract("bihd,bjhd->bhij", sizes={"b": 2, "i": 6, "h": 4, "d": 8, "j": 6}, layout="offchip", store="bf16",
                            no_check=True)
        self.assertEqual(run.cycles, alone.cycles)

    def test_what_has_no_program_is_named_with_its_share(self):
        class Other(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer, self.recurrent = nn.Linear(8, 8, bias=False), nn.LSTM(8, 4)

            def forward(self, x):
                return torch.cumsum(self.recurrent(self.layer(x))[0], 0)

        run = cost(Other(), torch.randn(5, 3, 8), training=False)
        rows, left = nodes_of(run), run.summary["not_modelled"]
        macs = 15 * (16 * 8 + 16 * 4)
        self.assertEqual((rows["recurrent"]["status"], rows["recurrent"]["macs"]), ("not modelled", macs))
        self.assertTrue(np.isnan(rows["recurrent"]["cycles"]))
        self.assertIn("cumsum", str(rows["cumsum"]["reason"]))
        self.assertEqual((left["nodes"], left["uncounted"]), (["recurrent", "cumsum"], 1))
        self.assertAlmostEqual(left["macs_share"], macs / (macs + 15 * 64))
        self.assertIn("not modelled", run.text)

    def test_only_gradients_that_a_step_needs_are_costed(self):
        module = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
        module[0].requires_grad_(False)
        rows = nodes_of(cost(module, torch.randn(4, 8)))
        self.assertEqual([rows["_0"][f"{phase}_cycles"] for phase in ("backward", "weight_gradient", "update")], [0, 0, 0])
        self.assertEqual(rows["_1"]["backward_cycles"], 0)
        self.assertGreater(rows["_1"]["weight_gradient_cycles"], 0)

    def test_a_frozen_module_passes_a_gradient_on(self):
        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.attention = nn.Linear(8, 8), nn.MultiheadAttention(8, 2, batch_first=True)
                self.attention.requires_grad_(False)

            def forward(self, x):
                y = self.first(x)
                return self.attention(y, y, y)[0]

        row = nodes_of(cost(Attention(), torch.randn(3, 4, 8)))["attention"]
        self.assertEqual((row["weight_gradient_cycles"], row["update_cycles"]), (0, 0))
        projections, products = 12 * 8 * 8, 3 * 4 * 4 * 8
        self.assertEqual(row["macs"], 2 * 4 * projections + 3 * 2 * products)

    def test_a_value_with_two_users_adds_up_its_gradients(self):
        class Residual(nn.Module):
            def __init__(self, residual):
                super().__init__()
                self.first, self.second, self.residual = nn.Linear(8, 8), nn.Linear(8, 8), residual

            def forward(self, x):
                x = self.first(x)
                return self.second(x) + x if self.residual else self.second(x)

        rows = [nodes_of(cost(Residual(residual), torch.randn(4, 8)))["first"] for residual in (False, True)]
        self.assertEqual(rows[0]["backward_cycles"], 0)
        self.assertGreater(rows[1]["backward_cycles"], 0)

    def test_a_tensorized_layer_costs_what_its_step_costs(self):
        class Tensorized(nn.Module):
            model_layer = {"format": "ttm", "rows": (4, 4), "cols": (4, 6), "ranks": (3,), "blocks": 1, "order": "mn",
                                "bias": False}

            def __init__(self):
                super().__init__()
                self.core = nn.Parameter(torch.randn(4, 6))

            def forward(self, x):
                return x[:, :16]

        options = {"format": "ttm", "rows": (4, 4), "cols": (4, 6), "ranks": (3,), "batch": 10, "no_check": True}
        run = cost(nn.Sequential(Tensorized()), torch.randn(10, 24))
        step = tl.tnn_step(dx="off", **options)
        row = nodes_of(run)["_0"]
        self.assertEqual((run.cycles, run.summary["macs"]), (step.cycles, step.summary["macs"]))
        self.assertEqual(row["weight_gradient_cycles"], step.summary["phases"]["wg"]["cycles"])
        forward = cost(nn.Sequential(Tensorized()), torch.randn(10, 24), training=False)
        self.assertEqual(forward.cycles, tl.tnn_step(phases="fp", dx="off", **options).cycles)

    def test_layers_of_this_package_cost_what_their_steps_cost(self):
        for layer in (TTLinear(8, 12, 3, order="nm", bias=False), TTMLinear(8, 12, 3, bias=False), TRLinear(8, 12, 2, bias=False),
                      HTLinear(8, 12, 3, bias=False), BTLinear(8, 12, 2, blocks=3, bias=False)):
            with self.subTest(layer=layer):
                described = layer.model_layer()
                described.pop("bias")
                step = tl.tnn_step(**described, batch=10, dx="off", no_check=True)
                run = cost(nn.Sequential(layer), torch.randn(10, 8))
                self.assertEqual((run.cycles, run.summary["macs"]), (step.cycles, step.summary["macs"]))

    def test_an_lstm_of_this_package_is_named_as_not_modelled(self):
        class Recurrent(nn.Module):
            def __init__(self):
                super().__init__()
                self.recurrent, self.last = TTMLSTM(8, 4), nn.Linear(4, 2)

            def forward(self, x):
                return self.last(self.recurrent(x)[0])

        run = cost(Recurrent(), torch.randn(3, 5, 8))
        self.assertEqual(run.summary["not_modelled"]["nodes"], ["recurrent"])
        self.assertEqual(str(nodes_of(run)["recurrent"]["reason"]), "no program for a module TTMLSTM")

    def test_a_module_stays_as_it_is(self):
        module = nn.Sequential(nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 4)).train()
        before = {name: value.clone() for name, value in module.state_dict().items()}
        torch.manual_seed(3)
        expected = torch.rand(1)
        torch.manual_seed(3)
        cost(module, torch.randn(4, 8, generator=torch.Generator().manual_seed(1)), training=False)
        self.assertEqual(float(torch.rand(1)), float(expected))
        self.assertTrue(all(inner.training for inner in module.modules()))
        for name, value in module.state_dict().items():
            self.assertTrue(torch.equal(value, before[name]), name)
        self.assertIsNone(module[2].weight.grad)

    def test_options_are_those_of_the_device(self):
        module, sample = nn.Linear(16, 16, bias=False), torch.randn(8, 16)
        wide = cost(module, sample, training=False, operand="f32", memory="sram", engines=4)
        alone = tl.contract("bi,oi->bo", sizes={"b": 8, "i": 16, "o": 16}, layout="offchip", operand="f32", memory="sram",
                            engines=4, no_check=True)
        self.assertEqual((wide.cycles, wide.summary["configuration"]["memory"]), (alone.cycles, "sram"))

    def test_bad_input_is_one_line(self):
        class Branches(nn.Module):
            def forward(self, x):
                return x if x.sum() > 0 else -x

        layer, x = nn.Linear(4, 2), torch.randn(3, 4)
        self.assertRegex(self.refused(Branches(), x),
                         r"^cost: Branches cannot be traced by torch.fx: TraceError: .*\(network_cost_test.py:\d+\)$")
        self.assertRegex(self.refused(layer, torch.randn(3, 5)),
                         r"^cost: node 'linear' \(linear\) fails on the sample: RuntimeError: .*shapes")
        self.assertRegex(self.refused(layer, (x, x)), "^cost: the sample has 2 inputs, expected 1 for Linear")
        self.assertRegex(self.refused(layer, {"y": x}), "^cost: the sample has 'y', expected arguments of Linear: input")
        self.assertRegex(self.refused(layer, x.to_sparse()), "expected a dense tensor")
        self.assertRegex(self.refused(None, x), "^cost: the module is NoneType, expected a torch.nn.Module$")
        self.assertRegex(self.refused(layer, x, optimizer="lion"),
                         "^cost: optimizer is 'lion', expected one of 'sgd', 'momentum', 'adam', None$")
        self.assertRegex(self.refused(layer, x, training=1), "^cost: training is 1, expected True or False$")
        self.assertRegex(self.refused(layer, x, lane=3), "unknown option 'lane', did you mean 'lanes'")
        self.assertRegex(self.refused(layer, x, einsum="i,i->i"), "--einsum is not an option of a network's cost")
        self.assertRegex(self.refused(layer, x, engines=5), "--engines is '5', expected 4, 16 or 64")
        self.assertRegex(self.refused(layer, x, workers=0), "^cost: workers is 0, expected an integer of at least 1$")

    def test_a_run_is_saved_read_and_drawn(self):
        run = cost(nn.Sequential(nn.Linear(16, 8), nn.Tanh()), torch.randn(4, 16))
        with tempfile.TemporaryDirectory() as folder:
            saved, page = os.path.join(folder, "run"), os.path.join(folder, "page.html")
            run.save(saved)
            read = tl.load(saved)
            self.assertEqual((read.summary, read.cycles, read.text), (json.loads(json.dumps(run.summary)), run.cycles, run.text))
            self.assertEqual(list(read.table("nodes")["node"]), ["input_1", "_0", "_1", "output"])
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertFalse(report_command.run(["--output", page, saved]))
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertIn("What does this network cost", text)
        self.assertIn("FETTA, 16 engines of 4 x 4: Sequential, training step, sgd", text)
        self.assertIn("_0: ", text)


if __name__ == "__main__":
    unittest.main()
