#!/usr/bin/env python3
"""PyTorch's contractions on the simulated device beside its own, forward and backward. Skipped where torch is not installed
(it is large, so that scripts/setup does not install it). Usage: python_torch_test.py DIRECTORY with the testbenches"""
import contextlib
import io
import os
import sys
import unittest

import package_path
import tensorloom as tl

os.environ["TENSORLOOM_BIN"] = os.path.abspath(sys.argv.pop(1))
try:
    import torch
    from tensorloom.pytorch import device_options, einsum, recorded
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

    def test_operands_are_dense_tensors_with_values(self):
        for operand, found in ((torch.ones(3, 2).numpy(), "is ndarray, expected a tensor of torch"),
                               ([[1.0]], "is list, expected a tensor of torch"), (3.0, "is float, expected a tensor of torch"),
                               (torch.ones(3, 2).to_sparse(), "is sparse (sparse_coo), expected a dense tensor: to_dense()"),
                               (torch.ones(3, 2).to_sparse_csr(), "is sparse (sparse_csr), expected a dense tensor: to_dense()"),
                               (torch.ones(3, 2, device="meta"), "is on the device meta, where tensors have no values, expected one with values"),
                               (torch.ones(3, 2).to(torch.complex64), "is torch.complex64, expected float32, bfloat16 or float16, as the "
                                                                      "device sums in float32")):
            with self.assertRaises(tl.InputProblem) as caught:
                einsum("ij,jk->ik", torch.ones(2, 3), operand)
            self.assertEqual(str(caught.exception), f"einsum: operand 2 {found}")

    def test_every_contraction_is_recorded(self):
        a, b = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5)
        with recorded() as runs:
            y = einsum("ij,jk->ik", a, b)
            y.sum().backward()
        self.assertEqual([run.summary["configuration"]["einsum"] for run in runs], ["ij,jk->ik", "ik,jk->ij"])  # b needs none
        self.assertTrue(all(run.cycles > 0 and run.energy_pj > 0 for run in runs))
        einsum("ij,jk->ik", a, b)
        self.assertEqual(len(runs), 2)

    def test_runs_are_those_of_contract(self):
        a, b = torch.randn(6, 7), torch.randn(7, 5)
        with recorded() as runs:
            einsum("ij,jk->ik", a, b, layout="offchip", clock=0.5)
        alone = tl.contract("ij,jk->ik", a, b, layout="offchip", clock=0.5)
        self.assertEqual((runs[0].cycles, runs[0].time_ns, runs[0].energy_pj), (alone.cycles, alone.time_ns, alone.energy_pj))
        self.assertEqual(runs[0].latency.tolist(), alone.latency.tolist())
        self.assertEqual(runs[0].result.tobytes(), alone.result.tobytes())

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
                           (lambda: einsum("ij->ij", a, a), "has 1 operand, expected 2, as many as tensors are given"),
                           (lambda: einsum("ij,jk->ik", a, a), "has size 3 of mode 'j' in operand 2, expected 4, as before"),
                           (lambda: einsum("ij,kj->ik", a, a, mappings="auto"), "did you mean 'mapping'?")):
            with self.assertRaises(tl.TensorLoomError) as caught:
                call()
            self.assertIn(text, str(caught.exception))


def gradients_of(loss, tensors):
    return torch.autograd.grad(loss, tensors, create_graph=True)


@unittest.skipUnless(torch, "no torch (python3-torch): gradients of any order are not tested")
class HigherOrderTest(unittest.TestCase):
    """Against torch.einsum of the same operands, in float32 on the device."""

    def setUp(self):
        torch.manual_seed(2)

    def assert_near(self, ours, expected, bound=1e-4):
        self.assertEqual((ours.shape, ours.dtype), (expected.shape, expected.dtype))
        self.assertLess(float((ours - expected).abs().max()), bound * max(1.0, float(expected.abs().max())))

    def orders(self, contract, x, w):
        """The loss, its gradient, the gradient of the square of that, and of the square of that one."""
        loss = contract("bi,io->bo", x, w).pow(3).sum()
        found = [loss]
        for _ in range(3):
            grads = gradients_of(found[-1] if found[-1].ndim == 0 else found[-1].pow(2).sum(), (x, w))
            found += grads
            found.append(sum(grad.pow(2).sum() for grad in grads))
        return found

    def test_gradients_of_gradients(self):
        x, w = (torch.randn(size).mul(0.5).requires_grad_() for size in ((3, 4), (4, 2)))
        ours = self.orders(lambda *a: einsum(*a, operand="f32"), x, w)
        for mine, expected in zip(ours, self.orders(torch.einsum, x, w)):
            self.assert_near(mine.detach(), expected.detach())

    def test_a_gradient_penalty_learns_as_in_torch(self):
        x, w = torch.randn(5, 4, requires_grad=True), torch.randn(4, 3, requires_grad=True)
        found = []
        for contract in (lambda *a: einsum(*a, operand="f32"), torch.einsum):
            w.grad = None
            y = torch.tanh(contract("bi,io->bo", x, w))
            grad, = torch.autograd.grad(y.sum(), x, create_graph=True)
            (grad.pow(2).sum() + y.sum()).backward()
            found.append(w.grad.clone())
        self.assert_near(*found)

    def test_hessians(self):
        x = torch.randn(3, requires_grad=True)
        matrix = torch.randn(3, 3)

        def form(contract):
            return torch.autograd.functional.hessian(lambda v: contract("i,ij,j->", v, matrix, v), x)

        self.assert_near(form(lambda *a: einsum(*a, operand="f32")), matrix + matrix.T)

    def test_bfloat16_operands_have_bfloat16_gradients(self):
        x, w = (torch.randn(size).to(torch.bfloat16).requires_grad_() for size in ((3, 4), (4, 2)))
        grad, = torch.autograd.grad(einsum("bi,io->bo", x, w).pow(2).sum(), x, create_graph=True)
        second, = torch.autograd.grad(grad.pow(2).sum(), w)
        self.assertEqual((grad.dtype, second.dtype), (torch.bfloat16, torch.bfloat16))


# equation, shapes
EQUATIONS = (("ij,jk,kl->il", (3, 4), (4, 5), (5, 2)), ("ij,jk,kl,lm->im", (3, 4), (4, 5), (5, 2), (2, 6)),
             ("bcd,a,ba,ca,da->", (2, 3, 4), (5,), (2, 5), (3, 5), (4, 5)), ("i,i,i->i", (4,), (4,), (4,)), ("i,j,k->kij", (2,), (3,), (4,)),
             ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)), ("...ij,jk", (6, 2, 3, 4), (4, 5)), ("i...,i...->...", (3, 1), (3, 5)),
             ("...j,jk->k", (2, 3, 4), (4, 5)), ("bA,Ac", (3, 4), (4, 2)), ("bijk,kl->bijl", (1, 3, 1, 4), (4, 5)),
             ("ij,jk->ik", (3, 1), (4, 5)), ("bij,bjk->bik", (1, 3, 4), (6, 4, 5)), ("ij,ij->ij", (3, 1), (1, 4)), ("ij,jk->ik", (1, 1), (1, 1)),
             ("ii->i", (3, 3)), ("ii", (3, 3)), ("ij->ji", (3, 4)), ("ij->", (3, 4)), ("ijk->ki", (2, 3, 4)), ("iij,jk->ik", (3, 3, 4), (4, 2)),
             ("ij,k->k", (3, 4), (5,)), (",ij->ij", (), (3, 4)), ("ij,,jk->ik", (3, 4), (), (4, 2)), (" i j , j k -> i k ", (3, 4), (4, 2)),
             ("abcdefghi,ax->xbcdefghi", (2,) * 9, (2, 3)), ("abcdefgh,abcdefgx->hx", (2,) * 8, (2,) * 8),
             ("ij,ij,ij->j", (3, 4), (3, 4), (3, 4)), ("ab,ac,ad->bcd", (3, 2), (3, 4), (3, 5)))


@unittest.skipUnless(torch, "no torch (python3-torch): equations are not tested")
class EquationTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)

    def both(self, equation, shapes, **options):
        tensors = [torch.randn(shape, requires_grad=True) for shape in shapes]
        found = []
        for contract in (lambda *a: einsum(*a, operand="f32", **options), torch.einsum):
            for tensor in tensors:
                tensor.grad = None
            result = contract(equation, *tensors)
            (result * torch.linspace(-1, 1, result.numel()).reshape(result.shape)).sum().backward()
            found.append([result.detach(), *(tensor.grad for tensor in tensors)])
        return found

    def assert_same(self, equation, shapes, **options):
        for ours, expected in zip(*self.both(equation, shapes, **options)):
            self.assertEqual((ours.shape, ours.dtype), (expected.shape, expected.dtype), equation)
            self.assertLess(float((ours - expected).abs().max()), 1e-4, equation)

    def test_results_and_gradients_are_those_of_torch(self):
        for equation, *shapes in EQUATIONS:
            with self.subTest(equation):
                self.assert_same(equation, shapes)

    def test_random_equations(self):
        """Modes of any number of operands, hyperedges and sums of one operand among them."""
        import random
        chance = random.Random(5)
        for _ in range(25):
            letters = "abcdef"[:chance.randint(2, 6)]
            sizes = {letter: chance.randint(1, 4) for letter in letters}
            terms = ["".join(chance.sample(letters, chance.randint(1, min(4, len(letters))))) for _ in range(chance.randint(1, 4))]
            used = sorted({letter for term in terms for letter in term})
            result = "".join(chance.sample(used, chance.randint(0, len(used))))
            with self.subTest(f"{','.join(terms)}->{result}"):
                self.assert_same(f"{','.join(terms)}->{result}", [[sizes[letter] for letter in term] for term in terms])

    def test_a_list_of_operands_as_torch_accepts_it(self):
        a, b = torch.randn(3, 4), torch.randn(4, 2)
        self.assertTrue(torch.equal(einsum("ij,jk->ik", [a, b]), einsum("ij,jk->ik", a, b)))

    def test_paths_are_followed(self):
        shapes = ((3, 4), (4, 5), (5, 2))
        tensors = [torch.randn(shape) for shape in shapes]
        for path, expected in (([(0, 1), (0, 1)], ["ij,jk->ik", "kl,ik->il"]), ([(1, 2), (0, 1)], ["jk,kl->jl", "ij,jl->il"]),
                               (["einsum_path", (0, 1, 2)], ["ij,jk->ik", "ik,kl->il"]), ([(0, 2), (0, 1)], ["ij,kl->ijkl", "jk,ijkl->il"])):
            with self.subTest(path), recorded() as runs:
                result = einsum("ij,jk,kl->il", *tensors, operand="f32", path=path)
                self.assertEqual([run.summary["configuration"]["einsum"] for run in runs], expected)
                self.assertLess(float((result - torch.einsum("ij,jk,kl->il", *tensors)).abs().max()), 1e-4)

    def test_the_path_by_default_has_the_fewest_multiply_adds(self):
        tensors = [torch.randn(shape) for shape in ((8, 16), (16, 2), (2, 16), (16, 1))]
        with recorded() as runs:
            einsum("ij,jk,kl,lm->im", *tensors)
        self.assertEqual(sum(run.summary["result"]["macs"] for run in runs), 2 * 16 + 16 * 2 + 8 * 16)  # from the right
        with recorded() as runs:
            einsum("ij,jk,kl,lm->im", *tensors, path="memory")
        self.assertEqual(len(runs), 3)

    def test_what_torch_computes_is_told(self):
        with recorded() as runs:
            einsum("iij,jk,l->ik", torch.randn(3, 3, 4), torch.randn(4, 2), torch.randn(5))
        self.assertEqual(runs.host, ["diagonal of operand 1, 'iij', 3 x 3 x 4", "sum over 'l' of operand 3, 'l', 5: 5 additions"])
        self.assertEqual(len(runs), 2)

    def test_equations_that_are_none(self):
        a, b = torch.randn(3, 4), torch.randn(4, 2)
        for equation, tensors, text in (
                ("ij,jk->ikz", (a, b), "einsum: 'ij,jk->ikz' has mode 'z' in the result alone, expected it in an operand, too"),
                ("ij,jk->ii", (a, b), "einsum: 'ij,jk->ii' has mode 'i' twice in the result, expected each once"),
                ("ij,jk,kl->il", (a, b), "einsum: 'ij,jk,kl->il' has 3 operands, expected 2, as many as tensors are given"),
                ("ijk,jk->i", (a, b), "einsum: 'ijk,jk->i' has 3 modes in operand 1, 'ijk', expected 2, as the tensor of 3 x 4 has"),
                ("i1,1k->ik", (a, b), "einsum: 'i1,1k->ik' has '1', expected letters from a to z and A to Z, '...', ',' and one '->'"),
                ("i.j,jk->ik", (a, b), "einsum: 'i.j,jk->ik' has '.', expected letters from a to z and A to Z, '...', ',' and one '->'"),
                ("......ij,jk->ik", (a, b), "einsum: '......ij,jk->ik' has two ellipses in '......ij', expected at most one"),
                ("ij,jk->...ik", (a, b), "einsum: 'ij,jk->...ik' has an ellipsis in the result, expected one in an operand, too"),
                ("ii,ij->j", (a, b), "einsum: 'ii,ij->j' has sizes 3 and 4 of mode 'i' in operand 1, expected a diagonal of equal sizes"),
                ("ij,jk->ik", (a, torch.randn(4, 0)), "einsum: 'ij,jk->ik' has size 0 of mode 'k' in operand 2, expected at least 1"),
                (3, (a, b), "einsum: the equation is int, expected a text like 'ij,jk->ik'"), ("ij->ij", (), "einsum: no operands are given, expected at least one")):
            with self.subTest(equation), self.assertRaises(tl.InputProblem) as caught:
                einsum(equation, *tensors)
            self.assertEqual(str(caught.exception), text)

    def test_paths_that_are_none(self):
        tensors = [torch.randn(shape) for shape in ((3, 4), (4, 5), (5, 2))]
        for path, text in (([(0, 1)], "the path leaves 2 operands, expected one"), ([(0, 3), (0, 1)], "(0, 3), expected different operands from 0 to 2"),
                           ([(0, 0), (0, 1)], "(0, 0), expected different operands"), (3, "the path is 3, expected a list of pairs"),
                           ("greedy", "the path is 'greedy', expected a list of pairs, or one of macs, memory, traffic"), ([], "leaves 3 operands")):
            with self.subTest(path), self.assertRaises(tl.InputProblem) as caught:
                einsum("ij,jk,kl->il", *tensors, path=path)
            self.assertIn(text, str(caught.exception))

    def test_options_of_a_block_and_of_a_call(self):
        a, b = torch.randn(3, 40), torch.randn(40, 5)
        exact = einsum("ij,jk->ik", a, b, operand="f32")
        with device_options(operand="f32"):
            self.assertTrue(torch.equal(einsum("ij,jk->ik", a, b), exact))
            self.assertFalse(torch.equal(einsum("ij,jk->ik", a, b, operand="bf16"), exact))
        self.assertFalse(torch.equal(einsum("ij,jk->ik", a, b), exact))
        with self.assertRaises(tl.InputProblem):
            with device_options(operands="f32"):
                pass

    def test_autocast(self):
        a, b = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5, requires_grad=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for equation in ("ij,jk->ik", "ij,jk->ijk"):  # a product without a sum stays in float32
                self.assertEqual(einsum(equation, a, b).dtype, torch.einsum(equation, a, b).dtype, equation)
            einsum("ij,jk->ik", a, b).sum().backward()
        self.assertEqual((a.grad.dtype, b.grad.dtype), (torch.float32, torch.float32))
        self.assertLess(float((a.grad - b.detach().sum(1)).abs().max()), 0.1)

    def test_a_detailed_device_has_the_same_bits(self):
        a, b = torch.randn(5, 6), torch.randn(6, 7)
        with recorded() as runs:
            fast, detailed = einsum("ij,jk->ik", a, b), einsum("ij,jk->ik", a, b, fidelity="detailed")
        self.assertTrue(torch.equal(fast, detailed))
        self.assertEqual(runs[0].cycles, runs[1].cycles)


@unittest.skipUnless(torch, "no torch (python3-torch): the page is not tested")
class PageTest(unittest.TestCase):
    def test_the_example_runs(self):
        with open(os.path.join(package_path.ROOT, "docs", "pytorch.md"), encoding="utf-8") as file:
            text = file.read()
        example = text.split("```python\n")[1].split("```")[0]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example, "docs/pytorch.md", "exec"), {})
        self.assertEqual(printed.getvalue(), "".join(line[4:] + "\n" for line in text.split("prints\n\n")[1].split("\n\n")[0].split("\n")))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # which says what is skipped, and why
