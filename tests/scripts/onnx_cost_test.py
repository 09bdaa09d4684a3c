#!/usr/bin/env python3
"""Costs of ONNX files, which the tests write with onnx.helper: multiply-adds by hand, cycles of the programs alone, refusals.
Skipped where onnx is not installed. Usage: onnx_cost_test.py DIRECTORY with the testbenches"""
import os
import sys
import tempfile
import unittest

import jsonschema
import numpy as np

import package_path  # noqa: F401
import tensorloom as tl
from tensorloom.schemas import load_schema

os.environ["TENSORLOOM_BIN"] = os.path.abspath(sys.argv.pop(1))
try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tensorloom.onnx import cost
except ImportError:
    onnx = None


def node(operation, inputs, output, **attributes):
    return helper.make_node(operation, inputs.split(), [output], name=attributes.pop("name", output), **attributes)


@unittest.skipUnless(onnx, "no onnx (python3-onnx): costs of its files are not tested")
class OnnxTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.random = np.random.default_rng(1)

    def path(self, name="model.onnx"):
        return os.path.join(self.folder.name, name)

    def model(self, nodes, inputs, outputs, weights=(), kinds=None, version=17):
        """The path of a file. inputs: name -> sizes; outputs: name -> number of modes; weights: name -> sizes or array."""
        arrays = [numpy_helper.from_array(value if isinstance(value, np.ndarray) else
                                          self.random.standard_normal(value).astype(np.float32), name) for name,
                  value in dict(weights).items()]
        graph = helper.make_graph(
            nodes, "a graph", [helper.make_tensor_value_info(name, (kinds or {}).get(name, TensorProto.FLOAT), sizes)
                               for name, sizes in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, [f"{name}{mode}" for mode in range(modes)])
             for name, modes in outputs.items()], arrays)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)]), self.path())
        return self.path()

    def rows(self, run):
        return {str(row["node"]): row for row in run.table("nodes")}

    def refused(self, file, **options):
        with self.assertRaises(tl.TensorLoomError) as caught:
            cost(file, **options)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def test_every_operation_of_an_encoder_is_simulated(self):
        file = self.model([
            node("MatMul", "x wq", "q"), node("MatMul", "x wk", "k"), node("Transpose", "k", "kt", perm=[0, 2, 1]),
                           node("MatMul", "q kt", "s"),
            node("Div", "s root", "scaled"), node("Softmax", "scaled", "p", axis=-1), node("MatMul", "p x", "y"),
                           node("Add", "y x", "z"),
            node("LayerNormalization", "z gamma beta", "n", axis=-1), node("Einsum", "n wo", "u", equation="btd,de->bte"),
            node("Relu", "u", "r"), node("ReduceMean", "r", "m", axes=[1], keepdims=0), node("Gemm", "m wg bg", "out", transB=1)],
            {"x": (2, 6, 8)}, {"out": 2}, {"wq": (8, 8), "wk": (8, 8), "gamma": (8,), "beta": (8,), "wo": (8, 12), "wg": (5, 12),
                                        "bg": (5,),
                                        "root": np.array(2.0, dtype=np.float32)})
        run = cost(file)
        rows = self.rows(run)
        self.assertEqual([row["reason"] for row in rows.values() if row["status"] == "not modelled"], [])
        self.assertEqual({name: int(row["macs"]) for name, row in rows.items() if row["macs"]},
                         {"q": 12 * 64, "k": 12 * 64, "s": 2 * 6 * 6 * 8, "y": 2 * 6 * 6 * 8, "u": 12 * 8 * 12, "m": 2 * 6 * 12,
                          "out": 2 * 12 * 5})
        self.assertEqual([name for name, row in rows.items() if row["status"] == "no work"], ["x", "kt"])
        self.assertEqual(run.summary["nodes"]["not_modelled"], 0)
        self.assertEqual(sum(row["cycles"] for row in rows.values()), run.cycles)
        jsonschema.Draft201909Validator(load_schema("network_cost-summary")).validate(run.summary)
        alone = tl.contract("bik,bjk->bij", sizes={"b": 2, "i": 6, "j": 6, "k": 8}, layout="offchip", store="bf16", no_check=True)
        self.assertEqual(rows["s"]["cycles"], alone.cycles)
        training = self.rows(cost(file, training=True))
        self.assertEqual([int(training[name]["macs"]) for name in ("q", "s", "u")], [2 * 768, 3 * 576, 3 * 1152])

    def test_a_convolution_is_a_product_with_patches(self):
        file = self.model([node("Conv", "x w b", "y", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], group=2),
                           node("BatchNormalization", "y s o m v", "z"),
                           node("MaxPool", "z", "p", kernel_shape=[2, 2], strides=[2, 2]),
                           node("GlobalAveragePool", "p", "a"), node("Flatten", "a", "f")], {"x": (3, 4, 8, 8)}, {"f": 2},
                          {"w": (6, 2, 3, 3), "b": (6,), "s": (6,), "o": (6,), "m": (6,), "v": (6,)})
        run = cost(file)
        rows = self.rows(run)
        self.assertEqual((rows["y"]["shape"], rows["p"]["shape"], rows["a"]["shape"]),
                         ("3 x 6 x 4 x 4", "3 x 6 x 2 x 2", "3 x 6 x 1 x 1"))
        self.assertEqual(run.summary["macs"], 3 * 6 * 4 * 4 * 2 * 9)
        self.assertEqual(rows["y"]["macs"], run.summary["macs"])
        self.assertEqual(rows["f"]["status"], "no work")

    def test_symbolic_sizes_and_the_shapes_made_of_them_are_followed(self):
        """As torch exports a view of a batch: its sizes are computed by nodes."""
        file = self.model([node("Shape", "x", "shape"), node("Gather", "shape zero", "batch", axis=0),
                           node("Unsqueeze", "batch first", "one"),
                           node("Concat", "one rest", "sizes", axis=0), node("Reshape", "x sizes", "y"),
                           node("MatMul", "y w", "z")],
                          {"x": ("batch", 4, 6)}, {"z": 3},
                          {"w": (12, 5), "zero": np.array(0), "first": np.array([0]), "rest": np.array([2, 12])})
        run = cost(file, sizes={"batch": 7})
        self.assertEqual(self.rows(run)["z"]["shape"], "7 x 2 x 5")
        self.assertEqual(run.summary["macs"], 7 * 2 * 12 * 5)
        self.assertRegex(self.refused(file), r"input 'x' has the symbolic size 'batch', expected it in sizes=\{...\}$")
        self.assertRegex(self.refused(file, sizes={"batch": 7, "b": 1}), "sizes has 'b', expected symbolic sizes of .*: batch$")
        self.assertRegex(self.refused(file, sizes={"batch": 0}), "sizes has 0 for 'batch', expected an integer of at least 1$")

    def test_other_operations_are_named_with_their_share(self):
        file = self.model([node("MatMul", "x w", "y"), node("CumSum", "y axis", "c"), node("Transpose", "c", "t", perm=[0, 2, 1]),
                           node("ConvTranspose", "t u", "v", kernel_shape=[3])], {"x": (2, 5, 4)}, {"v": 3},
                          {"w": (4, 6), "u": (6, 3, 3), "axis": np.array(1)})
        run = cost(file)
        left = run.summary["not_modelled"]
        other, own = 2 * 5 * 6 * 3 * 3, 10 * 4 * 6
        self.assertEqual((left["nodes"], left["macs"], left["uncounted"]), (["c", "v"], other, 1))
        self.assertAlmostEqual(left["macs_share"], other / (other + own))
        self.assertEqual(self.rows(run)["c"]["reason"], "no program for 'CumSum'")

    def test_operators_of_others_and_with_graphs_of_their_own_are_named(self):
        branch = helper.make_graph([node("Relu", "x", "t")], "branch", [],
                                   [helper.make_tensor_value_info("t", TensorProto.FLOAT, (2, 3))])
        file = self.model([node("If", "c", "y", then_branch=branch, else_branch=branch), node("Relu", "y", "z"),
                           node("MatMul", "x w", "m")],
                          {"x": (2, 3), "c": ()}, {"z": 2, "m": 2}, {"w": (3, 4)}, {"c": TensorProto.BOOL})
        run = cost(file)
        self.assertEqual(run.summary["not_modelled"]["nodes"], ["y", "z"])
        self.assertEqual(run.summary["macs"], 24)

    def test_a_gemm_costs_the_same_however_its_operands_lie(self):
        found = []
        for first, second in ((0, 0), (1, 1)):
            weights, x = {"u": (4, 4), "w": (5, 4) if second else (4, 5), "b": (5,)}, (4, 4)
            file = self.model([node("MatMul", "x u", "y"), node("Gemm", "y w b", "z", transA=first, transB=second)], {"x": x},
                              {"z": 2}, weights)
            row = self.rows(cost(file, training=True))["z"]
            self.assertEqual(row["macs"], 3 * 4 * 4 * 5 + 4 * 5)
            self.assertTrue(all(row[f"{phase}_cycles"] > 0 for phase in ("forward", "backward", "weight_gradient", "update")))
            found.append(row["update_cycles"])
        self.assertEqual(found[0], found[1])

    def test_rows_of_a_table_are_gathered(self):
        file = self.model([node("Gather", "table tokens", "x"), node("MatMul", "x w", "y")], {"tokens": (3, 4)}, {"y": 3},
                          {"table": (50, 16), "w": (16, 4)}, {"tokens": TensorProto.INT64})
        rows = self.rows(cost(file, training=True, optimizer="sgd"))
        self.assertEqual((rows["x"]["operation"], rows["x"]["shape"]), ("embedding", "3 x 4 x 16"))
        self.assertTrue(all(rows["x"][f"{phase}_cycles"] > 0 for phase in ("forward", "weight_gradient", "update")))

    def test_malformed_files_are_refused_in_one_line(self):
        whole = self.model([node("MatMul", "x w", "y")], {"x": (3, 4)}, {"y": 2}, {"w": (4, 5)})
        with open(whole, "rb") as file:
            content = file.read()
        for name, text in (("empty", b""), ("half", content[:len(content) // 2]), ("noise", bytes(range(256)))):
            with open(self.path(name), "wb") as file:
                file.write(text)
            self.assertRegex(self.refused(self.path(name)), f"^cost: .*{name} is not a valid ONNX model: ")
        with open(self.path("bytes"), "wb") as file:
            file.write(content.replace(b"a graph", b"a\xff\xfe\xfdaph"))
        self.assertRegex(self.refused(self.path("bytes")), "is not a valid ONNX model: a name is not text in UTF-8$")
        self.assertRegex(self.refused(self.path("none")), "none is not a file, expected an ONNX model$")
        self.assertRegex(self.refused(3), "^cost: the file is int, expected the path of an ONNX model$")
        self.assertRegex(self.refused(whole, training=0), "training is 0, expected True or False$")
        self.assertRegex(self.refused(whole, optimizer="x"), "optimizer is 'x', expected one of")
        self.assertRegex(self.refused(whole, sizes=3), "sizes is 3, expected a dict of symbolic sizes")
        wrong = self.model([node("MatMul", "x w", "y")], {"x": (3, 4)}, {"y": 2}, {"w": (6, 5)})
        self.assertRegex(self.refused(wrong), "shapes cannot be inferred: .*[Ii]ncompatible dimensions")


if __name__ == "__main__":
    unittest.main()
