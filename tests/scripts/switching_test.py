#!/usr/bin/env python3
"""scripts/synthesis/switching.py: switched gates of a netlist that is counted by hand, and wrong sums."""
import fractions
import os
import sys
import unittest

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts", "synthesis"))
import switching  # noqa: E402

TRANSISTORS = {"NOT": 2, "NAND": 4, "XOR": 12}


def module(ports, *gates):
    """As Yosys writes it: ports with their nets; gates as type and nets of the pins."""
    return {"ports": {name: {"bits": bits} for name, bits in ports.items()},
            "cells": {str(place): {"type": f"$_{kind}_", "connections": {pin: [net] for pin, net in pins.items()}}
                      for place, (kind, pins) in enumerate(gates)}}


class SwitchingTest(unittest.TestCase):
    def setUp(self):
        # the NAND, which needs the XOR's output, comes first
        self.netlist = switching.Netlist(module({"x": [2, 3], "y": [4, 5, "1"]}, ("NAND", {"A": 4, "B": 2, "Y": 5}),
                                                ("XOR", {"A": 2, "B": 3, "Y": 4})))
        self.values = self.netlist.values(4)
        self.netlist.drive(self.values, "x", numpy.array([0b00, 0b01, 0b11, 0b10]))
        self.netlist.evaluate(self.values)

    def test_gates_are_evaluated_in_the_order_of_their_inputs(self):
        # the XOR gives 0 1 0 1, the NAND 1 0 1 1; the third bit is a constant
        self.assertEqual(self.netlist.words(self.values, "y").tolist(), [0b110, 0b101, 0b110, 0b111])

    def test_a_gate_counts_by_its_transistors_whenever_its_output_changes(self):
        # three times from one vector to the next: the NAND changes twice, the XOR, of three NAND2 gates, each time
        self.assertEqual(self.netlist.toggles(self.values, TRANSISTORS), (2 * 1 + 3 * 3) / 3)

    def test_a_netlist_that_does_not_multiply_has_wrong_sums(self):
        acc = list(range(2, 34))
        unit = module({"acc": acc, "x": list(range(34, 42)), "c": list(range(42, 50)), "result": acc},
                      ("NOT", {"A": 2, "Y": 50}))
        _, wrong = switching.toggles_per_operation(unit, "int8", TRANSISTORS)
        sums = switching.LENGTH * switching.PRODUCTS
        self.assertGreater(wrong, 0.98 * sums)  # the sum of a product of 0 is right: 2 in 256
        self.assertLess(wrong, sums)

    def test_sums_are_rounded_to_nearest_even(self):
        half = fractions.Fraction(1, 1 << 24)  # of the last bit of 1 in f32
        self.assertEqual(switching.rounded(1 + half, "f32"), 1)
        self.assertEqual(switching.rounded(1 + half + half / 1024, "f32"), 1 + 2 * half)
        self.assertEqual(switching.rounded(1 + 3 * half, "f32"), 1 + 4 * half)
        self.assertEqual(switching.rounded(fractions.Fraction(0), "f64"), 0)


if __name__ == "__main__":
    unittest.main()
