"""Tests of the program contract."""
import struct

import numpy as np

from testbench_program import (BAD_INPUT, INTERNAL, RIGHT, SOURCE, WRONG,  # what tests of contract need besides
                               TestbenchTest, load_json)

__all__ = ["BAD_INPUT", "CAUSES", "CONTRACT", "INTERNAL", "LAYOUTS", "MAPPINGS", "RIGHT", "SOURCE", "WRONG", "ContractTest",
           "ProgramBytes", "load_json", "rounded"]

MAPPINGS = ("ws-v", "ws-h", "is-v", "is-h", "os-1", "os-2")
LAYOUTS = ("ideal", "conflicted", "offchip")
CAUSES = ("compute", "fill", "reload", "conflict", "psum", "vector", "control", "load", "store", "fetch", "wait")
CONTRACT = 0x20  # opcode


def rounded(values, to):
    """To bf16 or f32, ties to even, as float64."""
    single = np.asarray(values, dtype=np.float32)
    if to == "f32":
        return single.astype(np.float64)
    bits = single.reshape(-1).view(np.uint32).astype(np.int64)
    bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000
    return bits.astype(np.uint32).view(np.float32).reshape(single.shape).astype(np.float64)


class ProgramBytes:
    """A program in binary: its header and commands, as docs/registers.md says."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.starts = []
        at = 16
        while at < len(self.data):
            self.starts.append(at)
            at += struct.unpack_from("<I", self.data, at + 4)[0]

    def opcode(self, command):
        return self.data[self.starts[command]]

    def first(self, opcode):
        return next(i for i in range(len(self.starts)) if self.opcode(i) == opcode)

    def with_byte(self, at, value):
        changed = bytearray(self.data)
        changed[at] = value
        return bytes(changed)

    def with_word(self, command, offset, value):
        """Of a command's payload."""
        changed = bytearray(self.data)
        struct.pack_into("<I", changed, self.starts[command] + 16 + offset, value)
        return bytes(changed)


class ContractTest(TestbenchTest):
    program = "contract"
    outputs = ("--output c.npy", "--out files", "--vcd wave")

    def computed(self, line):
        """The result of a run."""
        self.succeeds(f"{line} --quiet --output c.npy")
        return self.load("c.npy")

    def save_operands(self, expression, sizes, seed=1, whole=False):
        """a.npy and b.npy, and the arrays."""
        random = np.random.default_rng(seed)
        operands = []
        for name, modes in zip(("a.npy", "b.npy"), expression.split("->")[0].split(",")):
            shape = [sizes[letter] for letter in modes]
            values = random.integers(-8, 9, shape).astype(float) if whole else random.uniform(-1, 1, shape)
            self.save(name, values)
            operands.append(values)
        return operands

    def assert_contraction(self, found, expression, a, b, operand="bf16", psum="f32", store="f32"):
        """Within |d| <= eps_psum (K + 32) sum |a| |b| + eps_store |c|."""
        a, b = rounded(a, operand), rounded(b, operand)
        expected = np.einsum(expression, a, b)
        left, right = expression.split("->")[0].split(",")
        result = expression.split("->")[1]
        summed = np.prod([a.shape[left.index(letter)] for letter in left if letter in right and letter not in result])
        eps = {"bf16": 2.0 ** -8, "f32": 2.0 ** -23}
        bound = eps[psum] * (summed + 32) * np.einsum(expression, np.abs(a), np.abs(b))
        bound = bound + (eps["bf16"] if store == "bf16" else 0) * np.abs(expected)
        self.assertEqual(found.shape, expected.shape)
        self.assertEqual(found.dtype, np.float32)
        self.assertTrue(np.all(np.abs(found - expected) <= bound), expression)
