"""gpu_training_steps.py: its steps against sums over whole networks, and its files; numpy always, PyTorch where it is."""
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest

import numpy

import gpu_training_steps as steps

HAS_TORCH = importlib.util.find_spec("torch") is not None
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu_training_steps.py")

# name -> (nodes, out, trees): a tensor train matrix, a ring and a block of a Tucker form, with sizes of their own
SIZES = {"b": 5, "n": 2, "o": 3, "m": 4, "p": 2, "r": 3, "s": 2, "t": 4}
NETWORKS = {
    "ttm": ([["X", ["b", "n", "o"]], ["G1", ["m", "n", "r"]], ["G2", ["r", "p", "o"]]], ["b", "m", "p"],
            ("(X.G2).G1", "(X.G1).G2", "X.(G1.G2)")),
    "tr": ([["X", ["b", "n"]], ["G1", ["r", "n", "s"]], ["G2", ["s", "m", "t"]], ["G3", ["t", "p", "r"]]], ["b", "m", "p"],
           ("((X.G1).G2).G3", "(X.G1).(G2.G3)", "X.((G1.G3).G2)", "(X.G3).(G1.G2)")),
    "bt": ([["X", ["b", "n", "o"]], ["A1", ["m", "n", "r"]], ["A2", ["p", "o", "s"]], ["S", ["r", "s"]]], ["b", "m", "p"],
           ("((X.A1).A2).S", "(X.A1).(S.A2)")),
}


def network_of(name):
    nodes, out, trees = NETWORKS[name]
    used = {index for _, indices in nodes for index in indices}
    return {"nodes": nodes, "out": out, "sizes": {index: SIZES[index] for index in SIZES if index in used}}, trees


def whole_sum(tensors, out):
    """One sum over all tensors, [(indices, values)], at once."""
    words = ",".join("".join(indices) for indices, _ in tensors)
    return numpy.einsum(f"{words}->{''.join(out)}", *[values for _, values in tensors])


class Steps(unittest.TestCase):
    def made(self, name, tree, blocks=1, with_dx=True):
        return steps.TensorizedStep(steps.NumpyBackend("float64"), network_of(name)[0], tree, blocks, with_dx)

    def test_results_and_gradients_are_those_of_whole_sums(self):
        for name in NETWORKS:
            network, trees = network_of(name)
            for tree in trees:
                with self.subTest(network=name, tree=tree):
                    step = self.made(name, tree)
                    nodes, out = dict(network["nodes"]), network["out"]
                    values = {"X": step.x, **step.cores[0]}
                    found = step.forward(step.cores[0])
                    numpy.testing.assert_allclose(found[step.steps[-1][2]],
                                                  whole_sum([(nodes[n], values[n]) for n in nodes], out), rtol=1e-12)
                    gradients = step.backward(found)
                    for of in nodes:
                        others = [(nodes[n], values[n]) for n in nodes if n != of] + [(out, step.dy)]
                        numpy.testing.assert_allclose(gradients[of], whole_sum(others, nodes[of]), rtol=1e-12, err_msg=of)

    def test_a_step_updates_the_cores_of_every_block(self):
        step = self.made("bt", "((X.A1).A2).S", blocks=3)
        before = [{name: core.copy() for name, core in cores.items()} for cores in step.cores]
        y, dx = step()
        network, _ = network_of("bt")
        nodes = dict(network["nodes"])
        whole = [whole_sum([(nodes["X"], step.x)] + [(nodes[n], cores[n]) for n in cores], network["out"]) for cores in before]
        numpy.testing.assert_allclose(y, sum(whole), rtol=1e-12)
        grown = [whole_sum([(network["out"], step.dy)] + [(nodes[n], cores[n]) for n in cores], nodes["X"]) for cores in before]
        numpy.testing.assert_allclose(dx, sum(grown), rtol=1e-12)
        for old, new in zip(before, step.cores):
            for name in old:
                others = [(nodes["X"], step.x), (network["out"], step.dy)] + [(nodes[n], old[n]) for n in old if n != name]
                numpy.testing.assert_allclose(new[name], old[name] - 0.01 * whole_sum(others, nodes[name]), rtol=1e-12)

    def test_dense_step(self):
        step = steps.DenseStep(steps.NumpyBackend("float64"), 5, 3, 7, True)
        weight = step.weight.copy()
        y, dx = step()
        numpy.testing.assert_allclose(y, step.x @ weight.T, rtol=1e-12)
        numpy.testing.assert_allclose(dx, step.dy @ weight, rtol=1e-12)
        numpy.testing.assert_allclose(step.weight, weight - 0.01 * step.dy.T @ step.x, rtol=1e-12)
        self.assertEqual(step.macs, 3 * 5 * 3 * 7)
        self.assertEqual(steps.DenseStep(steps.NumpyBackend("float64"), 5, 3, 7, False).macs, 2 * 5 * 3 * 7)

    def test_macs_are_those_of_the_search(self):
        layer = steps.layer_of(BIN, "atis-tt", 4)
        found = steps.summary_of(os.path.join(BIN, "contraction_search"), "--layer", "atis-tt", "--batch", "4")
        for with_dx, field in ((True, "reverse_mode_macs"), (False, "without_dx_macs")):
            step = steps.TensorizedStep(steps.NumpyBackend("float32"), layer["network"], layer["trees"]["tnn-optimal"], 1,
                                        with_dx)
            step()
            self.assertEqual(step.macs, found["training"][field])

    @unittest.skipUnless(HAS_TORCH, "no torch (python3-torch): only the steps of numpy are tested")
    def test_pytorch_computes_the_same(self):
        import torch
        ours = self.made("tr", "(X.G1).(G2.G3)")
        theirs = steps.TensorizedStep(steps.TorchBackend("float64", "cpu"), ours.network, "(X.G1).(G2.G3)", 1, True)
        theirs.x, theirs.dy = torch.from_numpy(ours.x), torch.from_numpy(ours.dy)
        theirs.cores = [{name: torch.from_numpy(core.copy()) for name, core in ours.cores[0].items()}]
        for a, b in zip(ours(), theirs()):
            numpy.testing.assert_allclose(a, b.numpy(), rtol=1e-9)
        for name, core in ours.cores[0].items():
            numpy.testing.assert_allclose(core, theirs.cores[0][name].numpy(), rtol=1e-9)
        shares = theirs.backend.profile(theirs)
        self.assertAlmostEqual(sum(shares.values()), 1)
        self.assertGreater(shares["matrix_products"], 0)


class Kernels(unittest.TestCase):
    def test_kinds(self):
        for kind, names in {"matrix_products": ("ampere_sgemm_128x64_tn", "aten::bmm", "cutlass_80_tensorop", "sm90_xmma_gemm"),
                            "memory_operations": ("aten::copy_", "Memcpy DtoD", "direct_copy_kernel", "aten::contiguous"),
                            "other": ("vectorized_elementwise_kernel", "aten::add_")}.items():
            for name in names:
                self.assertEqual(steps.kind_of(name), kind, name)


    def test_kernels_of_a_gpu_count_once(self):
        def event(key, device, gpu, cpu, field="self_device_time_total"):
            return types.SimpleNamespace(key=key, device_type=f"DeviceType.{device}", self_cpu_time_total=cpu, **{field: gpu})
        for field in ("self_device_time_total", "self_cuda_time_total"): # of PyTorch 2 and 1
            events = [event("aten::bmm", "CPU", 60, 5, field), event("ampere_sgemm", "CUDA", 60, 0, field),
                      event("direct_copy_kernel", "CUDA", 30, 0, field), event("elementwise", "CUDA", 10, 0, field)]
            self.assertEqual(steps.shares_of(events, True), {"matrix_products": 0.6, "memory_operations": 0.3, "other": 0.1})
        self.assertEqual(steps.shares_of(events, False), {"matrix_products": 1, "memory_operations": 0, "other": 0})
        self.assertIsNone(steps.shares_of([], True))


class Program(unittest.TestCase):
    def run_script(self, *options):
        return subprocess.run([sys.executable, SCRIPT, BIN, *options], capture_output=True, text=True, check=False)

    def test_figures_are_stored_with_the_name_of_the_device(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_script("--device", "numpy", "--layers", "atis-tt,tednet-ttm", "--batch", "2", "--rounds", "3", "--out", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            name, = os.listdir(folder)
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found = json.load(file)
        self.assertEqual(name, steps.file_name(found["device"]))
        self.assertEqual(found["device"]["library"], f"numpy {numpy.__version__}")
        self.assertEqual([layer["name"] for layer in found["layers"]], ["atis-tt", "tednet-ttm"])
        atis = found["layers"][0]
        self.assertEqual(atis["ways"]["dense"]["macs"], 3 * 2 * 768 * 768)
        self.assertLess(atis["ways"]["tnn-optimal"]["macs"], atis["ways"]["tnn-fixed"]["macs"])
        for layer in found["layers"]:
            for way, of in layer["ways"].items():
                self.assertTrue(0 < of["least_s"] <= of["median_s"] <= of["most_s"], way)
                self.assertEqual((of["power_W"], of["profile"]), (None, None))
                self.assertIn(f"{of['macs']:,}", done.stdout)
        self.assertIn(found["device"]["name"], done.stdout)

    def test_bad_input_is_one_line(self):
        for options, words in ((("--layers", "nothing", "--device", "numpy"), ("nothing", "expected")),
                               (("--rounds", "0"), ("--rounds is 0", "expected")), (("--out", "missing"), ("--out", "expected")),
                               (("--dtype", "bfloat16", "--device", "numpy"), ("--dtype is bfloat16", "expected"))):
            done = self.run_script(*options)
            self.assertEqual(done.returncode, 2, options)
            self.assertEqual(done.stderr.count("\n"), 1)
            for word in words:
                self.assertIn(word, done.stderr)

    def test_a_gpu_that_is_not_there(self):
        if HAS_TORCH:
            import torch
            if torch.cuda.is_available():
                self.skipTest("there is a GPU")
        done = self.run_script("--device", "cuda", "--layers", "atis-tt")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^gpu_training_steps: --device is cuda, found no .*, expected .*\n$")

    def test_auto_takes_numpy_without_pytorch(self):
        backend = steps.backend_of("auto", "float32")
        self.assertEqual(backend.name == "numpy", not HAS_TORCH)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            steps.report({"device": {"name": "a", "library": "b"}, "dtype": "float32", "rounds": 1, "layers": [
                {"name": "l", "ways": {"dense": {"macs": 1, "median_s": 2, "power_W": 3.0, "profile": {"matrix_products": 0.25,
                                                                                                   "memory_operations": 0.5}}}}]})
        self.assertIn("25.0 %", out.getvalue())
        self.assertIn("50.0 %", out.getvalue())


if __name__ == "__main__":
    BIN = sys.argv.pop(1)
    unittest.main(verbosity=2)  # which says what is skipped, and why
