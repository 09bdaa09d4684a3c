#!/usr/bin/env python3
"""Tensorized layers as modules of PyTorch: their matrices by einsums written here, their gradients, their decompositions, and
the same layers in a model of tnn_training. Skipped where torch is not installed. Usage: python_torch_modules_test.py
DIRECTORY with the testbenches"""
import copy
import io
import math
import os
import pickle
import sys
import unittest

import package_path  # noqa: F401
import tensorloom as tl

os.environ["TENSORLOOM_BIN"] = os.path.abspath(sys.argv.pop(1))
try:
    import torch
    from tensorloom.pytorch import BTLinear, HTLinear, TRLinear, TTLinear, TTMLinear, TTMLSTM, recorded
    LINEAR = (TTLinear, TTMLinear, TRLinear, HTLinear, BTLinear)
except ImportError:
    torch, LINEAR = None, ()

# The matrix of the cores, rows and columns of two factors (of ht of three), as docs/contraction_search.md has them.
MATRICES = {"tt": "au,ubv,vcw,wd->abcd", "ttm": "acu,ubd->abcd", "tr": "xau,ubv,vcw,wdx->abcd",
            "ht": "adl,bem,cfn,tlm,tn->abcdef", "bt": "kacq,kbdr,kqr->abcd"}
FACTORS = {"ht": ((2, 3, 4), (3, 2, 5))}
RANKS = {"tt": (2, 3, 4), "ttm": (3,), "tr": (2, 3, 2, 3), "ht": (2, 3, 2, 4), "bt": (2, 3)}


def layer_of(cls, **options):
    rows, cols = FACTORS.get(cls.format, ((4, 3), (5, 2)))
    return cls(math.prod(cols), math.prod(rows), rank=options.pop("rank", RANKS[cls.format]), rows=rows, cols=cols, **options)


@unittest.skipUnless(torch, "no torch (python3-torch): layers are not tested")
class LinearTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def test_the_matrix_is_that_of_its_cores(self):
        for cls in LINEAR:
            with self.subTest(cls.__name__):
                layer = layer_of(cls)
                *cores, bias = layer.model_parameters()
                expected = torch.einsum(MATRICES[cls.format], *cores).reshape(layer.out_features, layer.in_features)
                self.assertLess(float((layer.dense() - expected).abs().max()), 1e-5)
                x = torch.randn(3, 7, layer.in_features)
                with torch.no_grad():
                    bias += torch.randn_like(bias)
                expected = torch.nn.functional.linear(x, expected, bias)
                self.assertEqual(layer(x).shape, expected.shape)
                self.assertLess(float((layer(x) - expected).abs().max()), 1e-4)

    def test_the_other_order_has_columns_first(self):
        for cls, equation in ((TTLinear, "cu,udv,vaw,wb->abcd"), (TRLinear, "xcu,udv,vaw,wbx->abcd")):
            layer = layer_of(cls, order="nm")
            *cores, _ = layer.model_parameters()
            self.assertEqual([core.shape[-2 if core.ndim == 3 else 0] for core in cores][0], 5)
            expected = torch.einsum(equation, *cores).reshape(12, 10)
            self.assertLess(float((layer.dense() - expected).abs().max()), 1e-5)

    def test_gradients_of_small_and_large_batches_are_those_of_the_dense_matrix(self):
        for cls in LINEAR:
            for batch in (1, 64):  # along the cores, or with the dense matrix
                with self.subTest(f"{cls.__name__} {batch}"):
                    layer = cls(48, 64, rank=3).double()
                    x = torch.randn(batch, 48, dtype=torch.float64, requires_grad=True)
                    found = torch.autograd.grad(layer(x).pow(2).sum(), [x, *layer.parameters()])
                    y = torch.nn.functional.linear(x, layer.dense(), layer.bias)
                    for ours, expected in zip(found, torch.autograd.grad(y.pow(2).sum(), [x, *layer.parameters()])):
                        self.assertLess(float((ours - expected).abs().max()), 1e-9 * max(1, float(expected.abs().max())))

    def test_gradients_are_differences(self):
        for cls in LINEAR:
            layer = layer_of(cls).double()
            x = torch.randn(2, layer.in_features, dtype=torch.float64)
            parameters = [parameter.detach().clone() for parameter in layer.model_parameters()]

            def loss(*values):
                layer.set_model_parameters(values)
                return layer(x).pow(2).sum()

            grads = torch.autograd.grad(layer(x).pow(2).sum(), layer.model_parameters())
            for place, (parameter, grad) in enumerate(zip(parameters, grads)):
                flat = parameter.detach().clone().reshape(-1)
                sides = []
                for step in (1e-5, -1e-5):
                    moved = flat.clone()
                    moved[-1] += step
                    sides.append(float(loss(*parameters[:place], moved.reshape(parameter.shape), *parameters[place + 1:])))
                self.assertAlmostEqual((sides[0] - sides[1]) / 2e-5, float(grad.reshape(-1)[-1]), delta=1e-5 * (1 + abs(float(grad.reshape(-1)[-1]))))

    def test_outputs_keep_the_variance_of_inputs(self):
        for cls in LINEAR:
            found = []
            for _ in range(8):
                layer = cls(256, 256, rank=16)
                found.append(float(layer(torch.randn(64, 256)).var()))
            self.assertLess(abs(sum(found) / 8 - 1), 0.35, f"{cls.__name__}: {found}")
            layer.reset_parameters(gain=0)
            self.assertEqual(float(layer.dense().abs().max()), 0)

    def test_a_layer_learns(self):
        x = torch.randn(128, 16)
        target = torch.tanh(x @ torch.randn(16, 12))
        for cls in LINEAR:
            net = torch.nn.Sequential(cls(16, 32, rank=6), torch.nn.Tanh(), cls(32, 12, rank=6))
            optimizer, losses = torch.optim.Adam(net.parameters(), lr=0.02), []
            for _ in range(120):
                loss = (net(x) - target).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(float(loss))
            self.assertLess(losses[-1], 0.3 * losses[0], cls.__name__)

    def test_on_the_simulated_device_a_layer_is_the_same(self):
        for cls in LINEAR:
            with self.subTest(cls.__name__):
                layer = layer_of(cls)
                simulated = copy.deepcopy(layer)
                simulated.simulated = {"operand": "f32"}
                x = torch.randn(4, layer.in_features)
                with recorded() as runs:
                    found = [simulated(x), *torch.autograd.grad(simulated(x).pow(2).sum(), simulated.model_parameters())]
                self.assertGreater(sum(run.cycles for run in runs), 0)
                for ours, expected in zip(found, [layer(x), *torch.autograd.grad(layer(x).pow(2).sum(), layer.model_parameters())]):
                    self.assertLess(float((ours - expected).abs().max()), 1e-4 * max(1, float(expected.abs().max())))

    def test_states_copies_and_pickles(self):
        for cls in LINEAR:
            layer, x = layer_of(cls), torch.randn(3, 30 if cls.format == "ht" else 10)
            layer(x)
            self.assertIn("bias", layer.state_dict())
            other = layer_of(cls)
            file = io.BytesIO()
            torch.save(layer.state_dict(), file)
            file.seek(0)
            other.load_state_dict(torch.load(file))
            for twin in (other, copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
                self.assertTrue(torch.equal(twin(x), layer(x)))
            self.assertEqual(layer_of(cls, bias=False).bias, None)
            self.assertEqual(layer_of(cls, dtype=torch.float64)(x.double()).dtype, torch.float64)

    def test_factors_by_default_are_as_equal_as_they_can_be(self):
        for sizes, rows, cols in (((768, 768), (8, 8, 12), (8, 8, 12)), ((784, 512), (8, 8, 8), (7, 8, 14)), ((64, 256), (16, 16), (8, 8)),
                                  ((16, 10), (2, 5), (4, 4)), ((7, 7), (1, 7), (1, 7))):
            matrix = TTMLinear(*sizes, rank=2).weight.matrix
            self.assertEqual((matrix.rows, matrix.columns), (rows, cols))
        self.assertEqual(TTMLinear(64, 256, rows="4x8x8").weight.matrix.columns, (4, 4, 4))

    def test_a_rank_for_all_is_what_each_mode_can_use(self):
        self.assertEqual(TTLinear(16, 10, rank=100).ranks, (2, 10, 4))
        self.assertEqual(HTLinear(16, 10, rank=100).ranks, (8, 8))
        self.assertEqual(TTLinear(16, 10, rank=(3, 12, 5)).ranks, (3, 12, 5))
        self.assertEqual(TTLinear(16, 10, rank=(1, 3, 12, 5, 1)).ranks, (3, 12, 5))
        self.assertEqual(TTMLinear(64, 256, rank=4).extra_repr(),
                         "in_features=64, out_features=256, rows=16x16, cols=8x8, ranks=4, bias=True, 1,024 of 16,384 weights")

    def test_what_no_layer_is_like(self):
        for call, text in ((lambda: TTLinear(16, 0), "TTLinear: out_features is 0, expected a whole number from 1"),
                           (lambda: TTLinear(16, 10, rank=0), "TTLinear: rank is 0, expected a whole number from 1"),
                           (lambda: TTMLinear(16, 10, rank=(2, 3)), "TTMLinear: 2 ranks, expected 1 (r1), or one for all"),
                           (lambda: TTMLinear(16, 10, rows=(2, 6)), "TTMLinear: rows 2x6 make 12, expected 10 outputs"),
                           (lambda: TTMLinear(16, 10, rows=(2, 5), cols=(16,)), "TTMLinear: 2 factors of rows and 1 of cols, expected as many of both"),
                           (lambda: HTLinear(16, 10, rows=(10,), cols=(16,)), "HTLinear: one factor of rows, expected at least two for a tree"),
                           (lambda: TTLinear(16, 10, rows="2xq"), "TTLinear: rows are"), (lambda: TTLinear(16, 10, order="rows"), "expected 'mn'"),
                           (lambda: BTLinear(16, 10, blocks=0), "BTLinear: blocks is 0"),
                           (lambda: TTLinear(16, 10)(torch.randn(3, 15)), "TTLinear: the input has 15 features, expected 16"),
                           (lambda: TTLinear.from_linear(3), "TTLinear.from_linear: found int, expected a torch.nn.Linear or a matrix, outputs x inputs"),
                           (lambda: TTLinear.from_linear(torch.full((2, 2), math.nan)), "TTLinear.from_linear: the matrix has an element that is not finite"),
                           (lambda: TTLinear(16, 10).set_model_parameters([1]), "TTLinear: 1 parameters are given, expected 5")):
            with self.assertRaises(tl.InputProblem) as caught:
                call()
            self.assertIn(text, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))


@unittest.skipUnless(torch, "no torch (python3-torch): decompositions are not tested")
class DecompositionTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(2)

    def relative(self, layer, dense):
        return float((layer.dense() - dense).norm() / dense.norm())

    def test_a_matrix_of_low_ranks_is_found(self):
        for cls in (TTLinear, TTMLinear, HTLinear):
            with self.subTest(cls.__name__):
                made = layer_of(cls).double()
                dense = made.dense().detach()
                self.assertLess(self.relative(layer_of_dense(cls, dense), dense), 1e-12)

    def test_full_ranks_are_exact_and_larger_ones_are_padded(self):
        dense = torch.nn.Linear(30, 24)
        for cls in LINEAR:
            with self.subTest(cls.__name__):
                options = {"rows": (2, 3, 4), "cols": (3, 2, 5)}
                layer = cls.from_linear(dense, rank=1000 if cls is not TRLinear else (1, 2, 6, 24, 10, 5), **options)
                self.assertLess(self.relative(layer, dense.weight), 1e-5)
                self.assertTrue(torch.equal(layer.bias, dense.bias))
                x = torch.randn(4, 30)
                self.assertLess(float((layer(x) - dense(x)).abs().max()), 1e-4)
        padded = TTMLinear.from_linear(dense, rank=(40,), rows=(4, 6), cols=(5, 6))
        self.assertEqual(padded.ranks, (40,))
        self.assertLess(self.relative(padded, dense.weight), 1e-5)

    def test_errors_are_within_those_of_the_unfoldings(self):
        """TT-SVD: the squared error is at most the sum of the squared errors of the unfoldings."""
        dense = torch.randn(24, 30, dtype=torch.float64)
        layer = TTMLinear.from_linear(dense, rank=(3, 5), rows=(2, 3, 4), cols=(3, 2, 5))
        tensor = dense.reshape(2, 3, 4, 3, 2, 5).permute(0, 3, 1, 4, 2, 5)
        bound = sum(float(torch.linalg.svdvals(tensor.reshape(size, -1))[rank:].pow(2).sum()) for size, rank in ((6, 3), (36, 5)))
        error = float((layer.dense() - dense).pow(2).sum())
        self.assertLessEqual(error, bound * (1 + 1e-9))
        self.assertGreater(error, bound / 2 * 0.5)  # of the largest of them at least

    def test_more_ranks_or_blocks_have_smaller_errors(self):
        dense = torch.randn(24, 30, dtype=torch.float64)
        for cls in LINEAR:
            errors = [self.relative(cls.from_linear(dense, rank=rank), dense) for rank in (1, 3, 5)]
            self.assertEqual(errors, sorted(errors, reverse=True), cls.__name__)
        errors = [self.relative(BTLinear.from_linear(dense, rank=3, blocks=blocks), dense) for blocks in (1, 2, 4, 8)]
        self.assertEqual(errors, sorted(errors, reverse=True))

    def test_blocks_of_a_block_term_matrix_are_found(self):
        made = BTLinear(16, 12, rank=2, rows=(3, 4), cols=(4, 4), blocks=2).double()
        dense = made.dense().detach()
        one = self.relative(BTLinear.from_linear(dense, rank=2, rows=(3, 4), cols=(4, 4), blocks=1), dense)
        two = self.relative(BTLinear.from_linear(dense, rank=2, rows=(3, 4), cols=(4, 4), blocks=2), dense)
        self.assertLess(two, one / 3)

    def test_type_and_options_are_those_of_the_dense_layer(self):
        dense = torch.nn.Linear(16, 12, bias=False, dtype=torch.float64)
        layer = TTLinear.from_linear(dense, rank=4)
        self.assertEqual((layer.bias, layer.weight.G1.dtype), (None, torch.float64))
        self.assertIsNotNone(TTLinear.from_linear(dense, rank=4, bias=True).bias)


def layer_of_dense(cls, dense):
    rows, cols = FACTORS.get(cls.format, ((4, 3), (5, 2)))
    return cls.from_linear(dense, rank=RANKS[cls.format], rows=rows, cols=cols)


@unittest.skipUnless(torch, "no torch (python3-torch): LSTMs are not tested")
class LstmTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)

    def test_full_ranks_are_the_lstm_of_torch(self):
        dense = torch.nn.LSTM(8, 16, batch_first=True)
        layer = TTMLSTM.from_lstm(dense, rank=1000)
        x, state = torch.randn(3, 5, 8), (torch.randn(1, 3, 16), torch.randn(1, 3, 16))
        for given in (None, state):
            ours, (h, c) = layer(x, given)
            expected, (h2, c2) = dense(x, given)
            for mine, other in ((ours, expected), (h, h2), (c, c2)):
                self.assertLess(float((mine - other).abs().max()), 1e-5)

    def test_gradients_of_all_parameters(self):
        layer = TTMLSTM(8, 16, rank=3).double()
        x = torch.randn(2, 4, 8, dtype=torch.float64)
        layer(x)[0].pow(2).sum().backward()
        for parameter in layer.parameters():
            place = tuple(size - 1 for size in parameter.shape)
            sides = []
            for step in (1e-5, -2e-5):
                with torch.no_grad():
                    parameter[place] += step
                sides.append(float(layer(x)[0].pow(2).sum()))
            self.assertAlmostEqual((sides[0] - sides[1]) / 2e-5, float(parameter.grad[place]), 6)
            with torch.no_grad():
                parameter[place] += 1e-5

    def test_what_no_lstm_is_like(self):
        for call, text in ((lambda: TTMLSTM(8, 16)(torch.randn(3, 8)), "TTMLSTM: the input has the shape (3, 8), expected batch x frames x 8"),
                           (lambda: TTMLSTM.from_lstm(torch.nn.LSTM(8, 16, num_layers=2)), "expected a torch.nn.LSTM of one layer and direction"),
                           (lambda: TTMLSTM(8, 16, hidden_rows=(5, 5)), "TTMLSTM, hidden: rows 5x5 make 25, expected 64 outputs")):
            with self.assertRaises(tl.InputProblem) as caught:
                call()
            self.assertIn(text, str(caught.exception))


@unittest.skipUnless(torch, "no torch (python3-torch): models are not tested")
class ModelTest(unittest.TestCase):
    """The description of a module is a layer of tnn_training with as many parameters."""

    def model(self, *layers):
        import json
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.yaml")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"data": "digits", "epochs": 1, "batch": 32, "optimizer": {"kind": "sgd", "rate": 0.01}, "layers": list(layers)}, file)
            return tl.tnn_training(model=path).summary

    def test_layers_of_every_format(self):
        for cls in LINEAR:
            with self.subTest(cls.__name__):
                hidden, output = cls(64, 48, rank=3), cls(48, 10, rank=2, bias=False)
                summary = self.model(hidden.model_layer(name="hidden", activation="relu"), output.model_layer(name="output"))
                count = sum(parameter.numel() for layer in (hidden, output) for parameter in layer.model_parameters())
                self.assertEqual(count, sum(parameter.numel() for layer in (hidden, output) for parameter in layer.parameters()))
                self.assertEqual(summary["parameters"], count)

    def test_an_lstm(self):
        layer, output = TTMLSTM(8, 32, rank=3, hidden_rank=2), TTMLinear(32, 10, rank=2)
        summary = self.model(layer.model_layer(8, name="rows"), output.model_layer(name="output"))
        self.assertEqual(summary["parameters"], sum(p.numel() for part in (layer, output) for p in part.model_parameters()))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # which says what is skipped, and why
