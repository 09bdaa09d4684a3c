#!/usr/bin/env python3
"""PyTorch's contractions on the simulated device beside its own, forward and backward. Skipped where torch is not installed
(it is large, so that scripts/setup does not install it). Usage: python_torch_test.py DIRECTORY with the testbenches"""
import os
import sys
import unittest

import package_path  # noqa: F401
import tensorloom as tl

os.environ["TENSORLOOM_BIN"] = os.path.abspath(sys.argv.pop(1))
try:
    import torch
    from tensorloom.pytorch import einsum, recorded
except ImportError:
    torch = None


@unittest.skipUnless(torch, "no torch (python3-torch): contractions of PyTorch are not tested")
class ContractionTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def both(self, equation, sizes, dtype=None, **options):
        """Result and gradients, of the device and of torch.einsum."""
        a, b = (torch.randn(size).to(dtype or torch.float32).requires_grad_() for size in sizes)
        found = []
        for contraction in (lambda: einsum(equation, a, b, **options), lambda: torch.einsum(equation, a, b)):
            a.grad = b.grad = None
            result = contraction()
            weights = torch.linspace(-1, 1, result.numel()).reshape(result.shape).to(result.dtype)
            (result * weights).sum().backward()
            found.append((result.detach(), a.grad, b.grad))
        return found

    def test_results_and_gradients_are_those_of_torch(self):
        for equation, sizes in (("ij,jk->ik", ((3, 4), (4, 5))), ("bij,bjk->bik", ((2, 3, 4), (2, 4, 5))),
                                ("abc,cad->bd", ((3, 4, 5), (5, 3, 2))), ("ij,ij->", ((3, 4), (3, 4))),
                                ("i,j->ji", ((3,), (4,))), ("ij,jk", ((3, 4), (4, 5))), ("ij,ij->ij", ((3, 4), (3, 4)))):
            with self.subTest(equation):
                for ours, expected in zip(*self.both(equation, sizes, operand="f32")):
                    self.assertEqual((ours.shape, ours.dtype), (expected.shape, expected.dtype))
                    self.assertLess(float((ours - expected).abs().max()), 1e-5)

    def test_gradients_are_differences_of_the_result(self):
        a, b = torch.randn(3, 4, requires_grad=True), torch.randn(4, 2)
        einsum("ij,jk->ik", a, b, operand="f32").sum().backward()
        step = 0.5  # of a function that is linear any step will do
        for place in ((0, 0), (1, 3), (2, 1)):
            moved = a.detach().clone()
            moved[place] += step
            with torch.no_grad():
                slope = (einsum("ij,jk->ik", moved, b, operand="f32").sum() - einsum("ij,jk->ik", a, b, operand="f32").sum()) / step
            self.assertAlmostEqual(float(slope), float(a.grad[place]), 4)

    def test_operands_are_rounded_unless_asked_otherwise(self):
        (ours, *gradients), (expected, *_) = self.both("ij,jk->ik", ((3, 40), (40, 5)))
        self.assertGreater(float((ours - expected).abs().max()), 1e-4)
        self.assertLess(float((ours - expected).abs().max()), 0.2)
        (ours, *gradients), (expected, *others) = self.both("ij,jk->ik", ((3, 4), (4, 5)), torch.bfloat16)
        self.assertEqual([tensor.dtype for tensor in (ours, *gradients)], [torch.bfloat16] * 3)
        for mine, other in zip((ours, *gradients), (expected, *others)):
            self.assertTrue(torch.allclose(mine.float(), other.float(), rtol=0.02, atol=0.05))

    def test_records_within_each_other_each_have_theirs(self):
        a, b = torch.randn(2, 3), torch.randn(3, 2)
        with recorded() as outer:
            with recorded() as inner:
                einsum("ij,jk->ik", a, b)
            einsum("ij,jk->ik", a, b)
        self.assertEqual((len(outer), len(inner)), (2, 1))

    def test_operands_are_tensors(self):
        for operand, kind in ((torch.ones(3, 2).numpy(), "ndarray"), ([[1.0]], "list"), (3.0, "float")):
            with self.assertRaises(tl.InputProblem) as caught:
                einsum("ij,jk->ik", torch.ones(2, 3), operand)
            self.assertEqual(str(caught.exception), f"einsum: an operand is {kind}, expected a tensor of torch")

    def test_every_contraction_is_recorded(self):
        a, b = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5)
        with recorded() as runs:
            y = einsum("ij,jk->ik", a, b)
            y.sum().backward()
        self.assertEqual([run.summary["configuration"]["einsum"] for run in runs], ["ij,jk->ik", "ik,jk->ij"])  # b needs none
        self.assertTrue(all(run.cycles > 0 and run.energy_pj > 0 for run in runs))
        einsum("ij,jk->ik", a, b)
        self.assertEqual(len(runs), 2)

    def test_a_layer_learns_on_the_device(self):
        x, target = torch.randn(32, 6), torch.randn(6, 3)
        weight, losses = torch.zeros(6, 3, requires_grad=True), []
        for _ in range(12):
            loss = ((einsum("bi,io->bo", x, weight) - x @ target) ** 2).mean()
            loss.backward()
            losses.append(float(loss))
            with torch.no_grad():
                weight -= 0.8 * weight.grad
                weight.grad = None
        self.assertLess(losses[-1], 0.1 * losses[0])

    def test_what_the_device_cannot_do_is_refused(self):
        a = torch.randn(3, 4)
        for call, text in ((lambda: einsum("ij,jk->ik", a.double(), a), "expected float32, bfloat16 or float16"),
                           (lambda: einsum("ij->ij", a, a), "has 1 operands, expected two"),
                           (lambda: einsum("ij,jk->ik", a, a), "contract: "),
                           (lambda: einsum("ij,kj->ik", a, a, mappings="auto"), "did you mean 'mapping'?")):
            with self.assertRaises(tl.TensorLoomError) as caught:
                call()
            self.assertIn(text, str(caught.exception))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # which says what is skipped, and why
