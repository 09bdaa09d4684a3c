#!/usr/bin/env python3
"""tensorloom.pytorch as a backend of opt_einsum and tensorly, neither of which is in the distribution: what they call is
written down here. Skipped where torch is not installed. Usage: python_torch_backend_test.py DIRECTORY with the testbenches

opt_einsum (github.com/dgasmith/opt_einsum, commit 2ebc7b809cf0e1f584fe70bc90d2c0e6b5b7c521)
    opt_einsum/backends/dispatch.py    a function is getattr(importlib.import_module(backend), name); without `einsum` there it
                                       contracts by tensordot and transpose where it can
    opt_einsum/contract.py             tensordot(x, y, axes=(places of x, places of y)), transpose(x, axes), and
                                       einsum(equation, *operands) with one or two operands; keywords of einsum only where they
                                       are no defaults

tensorly (github.com/tensorly/tensorly, commit acc439e9f9662c2b10ccdb53e5e88a0a40090525)
    tensorly/backend/__init__.py       BackendManager.register_backend_method(name, function): of the current backend
    tensorly/backend/core.py           register_method: an attribute of its class, staticmethod(function); found there by
                                       getattr(backend, name) with each call
    tensorly/backend/pytorch_backend.py, tenalg   tensordot(a, b, axes=2), also axes=([-1], [0]); transpose(tensor, axes=None);
                                       dot(a, b) of numpy; matmul(a, b) of stacks of matrices

tensorly-torch (github.com/tensorly/torch, commit 25c915d554476d62dfc80c91de8e50fcd3d13542)
    tltorch/functional/factorized_linear.py, factorized_tensordot.py   tl.einsum(equation, tensor, *factors) with all factors at
                                       once; cores of a block tensor train have ranks of 1 at both ends, which are in no other
                                       operand; the rank of CP is in all factors
"""
import importlib
import os
import sys
import unittest

import package_path  # noqa: F401
import tensorloom as tl

os.environ["TENSORLOOM_BIN"] = os.path.abspath(sys.argv.pop(1))
try:
    import torch
    from tensorloom.pytorch import device_options, recorded, register
except ImportError:
    torch = None


def by_opt_einsum(backend, operands, steps):
    """The calls of opt_einsum's inner loop. steps: (places, modes that are summed, equation of the step, whether by tensordot)."""
    functions = {name: getattr(importlib.import_module(backend), name) for name in ("tensordot", "transpose", "einsum")}
    left = list(operands)
    for places, summed, equation, by_tensordot in steps:
        taken = [left.pop(place) for place in sorted(places, reverse=True)]
        if not by_tensordot:
            left.append(functions["einsum"](equation, *taken))
            continue
        inputs, result = equation.split("->")
        first, second = inputs.split(",")
        axes = tuple(first.find(mode) for mode in summed), tuple(second.find(mode) for mode in summed)
        made = functions["tensordot"](*taken, axes=axes)
        found = "".join(mode for mode in first + second if mode not in summed)
        if found != result:
            made = functions["transpose"](made, tuple(found.index(mode) for mode in result))
        left.append(made)
    return left[0]


class Tensorly:
    """As much of tensorly as register() and a layer use: a backend's functions, found by name with each call."""

    class backend:  # noqa: N801 (the module)
        class BackendManager:
            @classmethod
            def register_backend_method(cls, name, function):
                setattr(Tensorly.PyTorchBackend, name, staticmethod(function))

    class PyTorchBackend:
        @staticmethod
        def einsum(*_):
            raise AssertionError("not registered")

    def __getattr__(self, name):
        return lambda *arguments, **keywords: getattr(Tensorly.PyTorchBackend(), name)(*arguments, **keywords)


@unittest.skipUnless(torch, "no torch (python3-torch): the backend is not tested")
class BackendTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        options = device_options(operand="f32")
        options.__enter__()
        self.addCleanup(options.__exit__, None, None, None)

    def assert_near(self, ours, expected):
        self.assertEqual((ours.shape, ours.dtype), (expected.shape, expected.dtype))
        self.assertLess(float((ours - expected).abs().max()), 1e-4 * max(1.0, float(expected.abs().max())))

    def test_calls_of_opt_einsum(self):
        x, y, z = (torch.randn(size, requires_grad=True) for size in ((3, 4), (4, 5, 3), (5, 2)))
        with recorded() as runs:
            # contract("ab,bca,cd->da"): bca,cd by tensordot and transpose, the rest by einsum
            result = by_opt_einsum("tensorloom.pytorch", (x, y, z), [((1, 2), "c", "cd,bca->dba", True), ((0, 1), "b", "dba,ab->da", False)])
        expected = torch.einsum("ab,bca,cd->da", x, y, z)
        self.assert_near(result, expected)
        self.assertEqual(len(runs), 2)
        for ours, other in zip(torch.autograd.grad(result.sum(), (x, y, z)), torch.autograd.grad(expected.sum(), (x, y, z))):
            self.assert_near(ours, other)
        # of one operand, and an outer product
        self.assert_near(by_opt_einsum("tensorloom.pytorch", (x,), [((0,), "b", "ab->a", False)]), x.sum(1))
        self.assert_near(by_opt_einsum("tensorloom.pytorch", (z, x), [((0, 1), "", "ab,cd->abcd", True)]), torch.einsum("ab,cd->abcd", x, z))

    def test_tensordot_takes_axes_as_numpy_and_torch_do(self):
        from tensorloom.pytorch import tensordot
        a, b = torch.randn(3, 4, 5), torch.randn(4, 5, 3)
        for axes in (0, 1, 2, ([1, 2], [0, 1]), ((-1,), (1,)), (2, 1), ([0], [-1]), ([], []), ([0, 1, 2], [2, 0, 1])):
            if axes == 1:
                self.assert_near(tensordot(a, b.permute(1, 0, 2), axes=1), torch.tensordot(a, b.permute(1, 0, 2), 1))
                continue
            dims = tuple([part] if isinstance(part, int) else list(part) for part in axes) if isinstance(axes, tuple) else axes
            expected = torch.tensordot(a, b, dims=dims)
            self.assert_near(tensordot(a, b, axes=axes), expected)
            self.assert_near(tensordot(a, b, dims=axes), expected)
        self.assert_near(tensordot(a, b), torch.tensordot(a, b))

    def test_transpose_takes_axes_as_numpy_does(self):
        from tensorloom.pytorch import transpose
        a = torch.randn(2, 3, 4)
        self.assertTrue(torch.equal(transpose(a), a.permute(2, 1, 0)))
        self.assertTrue(torch.equal(transpose(a, (1, 0, 2)), a.permute(1, 0, 2)))
        self.assertTrue(torch.equal(transpose(a, axes=[-1, 0, 1]), a.permute(2, 0, 1)))

    def test_matmul_and_dot_are_those_of_torch_and_tensorly(self):
        from tensorloom.pytorch import dot, matmul
        for a, b in (((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (6, 4, 5)), ((4,), (2, 4, 5))):
            a, b = torch.randn(a), torch.randn(b)
            self.assert_near(matmul(a, b), torch.matmul(a, b))
        a, b = torch.randn(2, 3, 4), torch.randn(5, 4, 2)
        self.assert_near(dot(a, b), torch.tensordot(a, b, dims=([-1], [-2])))
        self.assert_near(dot(torch.tensor(2.0), a), 2 * a)
        self.assert_near(dot(a, torch.randn(4, 3) * 0 + 1), a @ torch.ones(4, 3))

    def test_layers_of_tensorly_torch(self):
        tensorly = Tensorly()
        register(tensorly)
        batch = 6
        # BlockTT of 2 x 3 by 4 x 2: cores [r0, m, n, r1], ranks 1, 3, 1
        factors = [torch.randn(size, requires_grad=True) for size in ((1, 2, 4, 3), (3, 3, 2, 1))]
        x = torch.randn(batch, 4, 2)
        with recorded() as runs:
            y = tensorly.einsum("abc,fdbg,gech->ade", x, *factors)
        self.assert_near(y, torch.einsum("abc,fdbg,gech->ade", x, *factors))
        self.assertEqual((len(runs), runs.host), (2, []))  # ranks of 1 take no sum
        for ours, expected in zip(torch.autograd.grad(y.sum(), factors), torch.autograd.grad(torch.einsum("abc,fdbg,gech->ade", x, *factors).sum(), factors)):
            self.assert_near(ours, expected)
        # CP: weights, and a factor for each mode of rows and columns, with the rank in all of them
        cp = [torch.randn(5), *(torch.randn(size, 5) for size in (2, 3, 4, 2))]
        self.assert_near(tensorly.einsum("bcd,a,ea,fa,ca,da->bef", x, *cp), torch.einsum("bcd,a,ea,fa,ca,da->bef", x, *cp))
        # Tucker: a core and its factors
        tucker = [torch.randn(2, 2, 3, 2), *(torch.randn(sizes) for sizes in ((2, 2), (3, 2), (4, 3), (2, 2)))]
        equation = "ijk,abcd,ea,fb,jc,kd->ief"
        self.assert_near(tensorly.einsum(equation, x, *tucker), torch.einsum(equation, x, *tucker))
        # a mode product: the matrix times an unfolding; and tenalg.tensordot: a product of stacks
        matrix = torch.randn(5, 8)
        self.assert_near(tensorly.dot(matrix, x.reshape(6, 8).T), matrix @ x.reshape(6, 8).T)
        self.assert_near(tensorly.matmul(torch.randn(2, 3, 4) * 0 + 1, torch.ones(2, 4, 5)), torch.full((2, 3, 5), 4.0))
        self.assert_near(tensorly.tensordot(factors[0], factors[1], ([-1], [0])), torch.tensordot(factors[0], factors[1], ([-1], [0])))
        self.assert_near(tensorly.transpose(x, [2, 0, 1]), x.permute(2, 0, 1))

    def test_what_is_wrong_is_one_line(self):
        from tensorloom.pytorch import dot, matmul, tensordot, transpose
        a, b = torch.randn(3, 4), torch.randn(4, 5)
        for call, text in ((lambda: tensordot(a, b, axes=3), "tensordot: the axes are 3, expected a number from 0 to 2, or two lists"),
                           (lambda: tensordot(a, b, axes=([1], [0, 1])), "tensordot: 1 and 2 axes are given, expected as many for each tensor"),
                           (lambda: tensordot(a, b, axes=([2], [0])), "tensordot: the axes of the first tensor are [2], expected different ones of 2"),
                           (lambda: tensordot(a, b, axes=([0, 0], [0, 1])), "tensordot: the axes of the first tensor are [0, 0], expected different"),
                           (lambda: tensordot(a, b, axes=None), "tensordot: the axes are None"),
                           (lambda: tensordot(a, b, axes="ab"), "tensordot: the axes are 'ab', expected a number, or a list for each tensor"),
                           (lambda: tensordot(a, a, axes=([1], [0])), "has size 3 of mode"),
                           (lambda: tensordot(a, b.double()), "einsum: operand 2 is torch.float64, expected float32"),
                           (lambda: transpose(a, (0, 0)), "transpose: the axes are [0, 0], expected each of 2 once"),
                           (lambda: transpose(3), "transpose: the operand is int, expected a tensor of torch"),
                           (lambda: matmul(a, torch.tensor(1.0)), "matmul: operand 2 is a scalar, expected a vector or more"),
                           (lambda: dot(a, a), "has size 3 of mode")):
            with self.assertRaises(tl.InputProblem) as caught:
                call()
            self.assertIn(text, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # which says what is skipped, and why
