"""tnn_training in the fidelity rtl."""
from testbench_summary import RtlTables

from tnn_training_program import TnnTrainingTest


class Rtl(RtlTables, TnnTrainingTest):
    lines_of_rtl = ("--model small.yaml", "--model small.yaml --layout banked --buffer-cycles 1")
