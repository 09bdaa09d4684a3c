"""tensor_unit in the fidelity rtl."""
from testbench_summary import RtlTables

from tensor_unit_program import TensorUnitTest


class Rtl(RtlTables, TensorUnitTest):
    lines_of_rtl = ("--algorithm dense --m 16 --size 30 --format f32", "--algorithm dense --m 64 --size 40 --format int8",
                    "--algorithm dense --m 256 --size 40 --format f32 --overlap",
                    "--algorithm dense --m 16 --weak --size 20 --format f32")
