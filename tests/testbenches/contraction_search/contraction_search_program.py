"""Tests of the program contraction_search."""
import json
import os

from testbench_program import BAD_INPUT, RIGHT, SOURCE, TestbenchTest, load_json

__all__ = ["BAD_INPUT", "RIGHT", "SOURCE", "CHAIN", "ContractionSearchTest", "load_json", "golden_phases"]

# The network of a product of three matrices.
CHAIN = {"nodes": [["A", ["i", "j"]], ["B", ["j", "k"]], ["C", ["k", "l"]]], "out": ["i", "l"],
         "sizes": {"i": 2, "j": 30, "k": 4, "l": 50}}


def golden_phases():
    """Name, network as a file has it, and figures of every phase of the golden."""
    for layer in load_json(os.path.join(SOURCE, "tests/data/csse_reference.json"))["layers"]:
        for name, figures in layer["phases"].items():
            used = {index for _, indices in figures["nodes"] for index in indices}
            sizes = {index: size for index, size in layer["sizes"].items() if index in used}
            yield f"{layer['name']} {name}", {"nodes": figures["nodes"], "out": figures["out"], "sizes": sizes}, figures


class ContractionSearchTest(TestbenchTest):
    program = "contraction_search"
    outputs = ("--json found.json", "--out files")

    def save_network(self, network, name="network.json"):
        return self.save_text(name, network if isinstance(network, str) else json.dumps(network))

    def found(self, line):
        """What --json says."""
        self.succeeds(f"{line} --quiet --json found.json")
        return load_json(self.path("found.json"))
