"""contract in the fidelity rtl."""
from testbench_summary import RtlTables

from contract_program import MAPPINGS, ContractTest


class Rtl(RtlTables, ContractTest):
    lines_of_rtl = (*(f"--sizes i=13,j=22,k=9 --mapping {mapping}" for mapping in MAPPINGS),
                    "--einsum bik,kj->bij --sizes b=3,i=7,k=10,j=6 --operand f32 --layout conflicted",
                    "--einsum abc,cd->abd --sizes a=4,b=5,c=9,d=6 --operand f32 --store bf16 --split 2,4,2,1 --mapping ws-h",
                    "--sizes i=20,j=50,k=12 --bank-bytes 4096 --accumulator-bytes 1024 --layout offchip")

    def test_waveforms_are_those_of_detailed(self):
        if not self.is_built():
            self.skipTest("no Verilator: scripts/setup --rtl installs it")
        shown = []
        for fidelity in ("detailed", "rtl"):
            self.succeeds(f"--sizes i=9,j=14,k=8 --fidelity {fidelity} --quiet --vcd wave --watch networks "
                          "--watch engine=0 --watch engine=7 --watch pes")
            shown.append(self.read_bytes("wave").partition(b"$enddefinitions")[2])
        self.assertGreater(len(shown[0]), 10_000)
        self.assertTrue(shown[0] == shown[1])

    def test_what_has_no_rtl_is_refused(self):
        if self.is_built():
            self.refuses("--fidelity rtl --side 8", "rtl has no engines of side 8", "of 4")
            self.refuses("--fidelity rtl --engines 64", "rtl has no 64 engines", "16")
            self.refuses("--fidelity rtl --psum bf16", "rtl has no partial sums in bf16", "f32")
            self.refuses("--fidelity rtl --mac-latency 2", "rtl has no multiply-add of 2 cycles", "but of one")
        else:
            self.refuses("--fidelity rtl", "rtl is not built", "scripts/setup --rtl")
