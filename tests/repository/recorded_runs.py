#!/usr/bin/env python3
"""Records what the programs print and write for a table of commands, and compares two recordings.

    recorded_runs.py record BIN_DIR OUT_DIR     runs every command with the programs of BIN_DIR
    recorded_runs.py compare OUT_A OUT_B        prints one line per difference

A restructuring that changes no behaviour leaves no difference between a recording from before and one from after. A
recording keeps of every command, in a folder of its own, the command line, the exit status, what it printed, and every
file that it wrote. Commands run in that folder and name files by relative paths, so no output depends on where it is.

Compared is every byte, apart from what differs from run to run or must differ between versions:

    stdout          the numbers of the line `simulation` (time and memory of the host)
    *.vcd           the lines of `$date` in the header
    summary.json    `simulation`, `version`, `commit`, and `out` of `configuration.options` and
                    `configuration.options_given`

Exit status of `record`: 0 recorded; 1 recorded, but a command ended with another status than the table says; 2 wrong
use. Of `compare`: 0 no difference; 1 differences; 2 wrong use.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
SECONDS_PER_COMMAND = 120


class WrongUse(Exception):
    """One line that says what was found and what was expected."""


# ---- inputs ----------------------------------------------------------------------------------------------------------


def npy(element, shape, values):
    """The bytes of a .npy file in C order; element is a numpy type such as '<f8'."""
    code = {"<f8": "d", "<f4": "f", "<i8": "q", "<i4": "i", "|i1": "b", "|b1": "?"}[element]
    header = f"{{'descr': '{element}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = struct.pack(f"<{len(values)}{code}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values


def whole_numbers(count, factor=7919):
    return [((factor * i + 13) % 23) - 11 for i in range(count)]


def fractions(count, factor=7919):
    """Numbers with more digits than float32 has."""
    return [value / 7 for value in whole_numbers(count, factor)]


class Shipped:
    """A file of the source tree by its name alone, which may stand in another folder tomorrow."""

    def __init__(self, name):
        self.name = name

    def path(self):
        found = []
        for at, folders, names in os.walk(SOURCE):
            folders[:] = [f for f in folders if f not in ("build", "demo") and not f.startswith(".")]
            found += [os.path.join(at, self.name)] * (self.name in names)
        if len(found) != 1:
            raise WrongUse(f"{self.name} is {len(found)} times in {SOURCE}, expected once")
        return found[0]


VOLUME = Shipped("mri_128x96x24_int16.npy")


class Written:
    """A file that an earlier command of the table has written."""

    def __init__(self, command, path):
        self.command, self.path = command, path


MATRIX_MARKET = """%%MatrixMarket matrix coordinate real general
% rows 2 and 5 are empty
6 5 8
1 1 0.5
1 4 -2.25
3 2 3
3 3 0.1
4 5 7
6 1 -0.3
6 2 1e-3
6 5 4
"""

PREFIX_SUMS = """; the prefix sums of 1000 rows of 16 words: a row per iteration
load tensor=0x80000000:int64:1000x16
load tensor=0x80100000:int64:16x16 local=0x20000      ; upper triangle of ones
loop count=1000
    matmul result=0x30000 left=0x0 weights=0x20000 weights_stride=16 words=16 left_columns=16 result_columns=16 \
left_step=128,0 result_step=128,0
end
add zero_a result=0x40000 b=0x30000 b_shift=3 length=100
repl result=0x50000 result_stride=16,4,1 a=0x30000 a_stride=-16,4,1 size=2,4,4 valid=2,3,4
s_mac result=0x60000 a=0x30000 b=0x30080 a_stride=0,0,1 b_stride=0,0,1 size=1,1,16 cpu_ops=32
set result=0x60100 size=1,1,1 immediate=-5,0
store tensor=0x80200000:int64:1000x16 local=0x30000 token=1
"""

TENSOR_PRODUCT = """; a tensor of 4 x 3 x 2 elements becomes 2 x 3 x 2; mode 2 is not summed
gemt esop completion order=3,1,2 stage_mask=3 zero_threshold=1e-9 completion_address=0x80008000 \
x=0x80000000:f64:4x3x2 y=0x80001000:f64:2x3x2 matrix=0x80002000:f64:4x2,none,0x80003000:f64:2x2:1x2 token=7
halt
"""

# A product of 12 x 20 by 20 x 9 as contract lays it out, through the vector unit, with loops and signals.
PRODUCT_AND_VECTORS = """load tensor=0x81000000:bf16:240 token=1
load tensor=0x81001000:bf16:180 local=0x200
contract linear_ia linear_ib linear_result batch=1 contracted=20 ia_free=12 ib_free=9 masks=0,4,8,3 ia_modes=0,1,1,0 \
ia_mode=20,1,12,20,0,0,0,0,0,0,0,0,0,0,0,0 ib_place=256,0 ib_modes=0,1,1,0 ib_mode=20,9,9,1,0,0,0,0,0,0,0,0,0,0,0,0 \
result_place=256,0 result_modes=0,1,1,0 result_mode=12,9,9,1,0,0,0,0,0,0,0,0,0,0,0,0
signal signal=2
wait signal=2
loop count=3
    relu result=0x2000 a=0x400 length=36 a_step=144,0 result_step=144,0
    loop count=2
        mul_add result=0x4000 a=0x2000 b=0x400 c=0x400 length=36 result_step=144,0
    end
end
sum_block result=0x6000 a=0x2000 length=108 block=9
pack_bf16 result=0x7000 a=0x400 length=96 block=8 table=2
exp result=0x8000 a=0x400 length=108
irq
add zero_a result=0x400 b=0x400 length=108
store tensor=0x81002000:f32:108 local=0x80400 token=9
halt
"""

DXT_OPTIONS = """shape: 6x5x4
transform: file:c.npy,dct,identity
format: c64
initial: y0.npy
technology: 7nm
clock: 0.8
allow-overclock: true
burst: 256
line-extent: active
vertical-mode: 3
fidelity: fast
seed: 18446744073709551615
out: from_the_file
no-check: false
"""

SEGMENTED_OPTIONS = """operation: product
length: 100
bits: 6
format: int32
s: 8
lanes: 16
banks: 32
in-words: 4
out-words: 2
call-latency: 5
word-bits: 24
"""

SOC_OPTIONS = """large: 10x9x8
small: 3x4x5
memory: split
checkers: true
small-runs: 3
"""

GENERATED = ("registers", "fields", "error_codes", "bus_responses", "program_header", "command_header", "opcodes",
             "loop", "transfer", "signal", "descriptor", "gemt", "mmv_commands", "mmv_matmul", "mmv_vector",
             "mmv_strided", "fetta_contract")
PAGE = "".join(f"# {name}\n\n<!-- generated: {name} -->\n\nold\n\n<!-- end of generated -->\n\n" for name in GENERATED)
BOARD = (b"platform: board\ndevices:\n  - {name: transform, kind: triada, base: 0x40000000, interrupt: 1}\n"
         b"memories:\n  - {name: sram, base: 0x80000000, size: 0x100000}\n")

# ---- the commands ----------------------------------------------------------------------------------------------------

RIGHT, WRONG, BAD_INPUT = 0, 1, 2


class Command:
    """A run of a program: its inputs by the name that the command line gives them, and the status it must end with."""

    def __init__(self, name, line, status=RIGHT, inputs=None):
        self.name, self.line, self.status, self.inputs = name, line, status, inputs or {}
        self.program, *self.options = shlex.split(line)


NETWORK = ('{"nodes": [["A", ["i", "j"]], ["B", ["j", "k"]], ["C", ["k", "i"]]], "out": [], '
           '"sizes": {"i": 3, "j": 4, "k": 2}}')
MODEL = "layers: [{format: ttm, rows: 2x5, cols: 8x8, ranks: 2}]\n"

COMMANDS = [
    # TriADA: a volume, tiles, every format
    Command("dxt-help", "dxt --help"),
    Command("dxt-volume", "dxt --input volume.npy --keep 0.05 --output kept.npy --out run",
            inputs={"volume.npy": VOLUME}),
    Command("dxt-volume-back", "dxt --input kept.npy --inverse --sparsity dense --output restored.npy --out run",
            inputs={"kept.npy": Written("dxt-volume", "kept.npy")}),
    Command("dxt-dft-detailed", "dxt --shape 8x6x5 --transform dft --sparsity dense --fidelity detailed --out run "
            "--vcd wave.vcd --watch 0,0,0 --watch 7,5,4 --output y.npy"),
    Command("dxt-dft-fast", "dxt --shape 8x6x5 --transform dft --zeros 0.4 --out run --vcd wave.vcd --watch 1,2,3"),
    Command("dxt-tiles", "dxt --shape 20x18x12 --mesh 8x8x8 --double-buffer --threads 2 --format f32 --transform dht "
            "--order 312 --tags random --seed 7 --out run --output y.npy"),
    Command("dxt-tiles-detailed", "dxt --shape 9x7x5 --mesh 4x4x4 --double-buffer --fidelity detailed --fill sparse "
            "--tags reverse --out run --vcd wave.vcd --watch 3,3,3"),
    Command("dxt-int8", "dxt --shape 16x16x16 --format int8 --transform dwht --norm backward --shift 2,2,2 "
            "--result-format element --fidelity detailed --output y.npy --out run"),
    Command("dxt-int8-overflow", "dxt --shape 4x4x4 --format int8 --transform identity --fill ramp --initial y0.npy "
            "--output y.npy", WRONG, {"y0.npy": npy("<i4", (4, 4, 4), [2147483647] * 64)}),
    Command("dxt-bf16-batch", "dxt --shape 6x7x8 --out-shape 4x9x8 --format bf16 --batch 3 --zeros 0.3 --tags "
            "reverse --output y.npy --out run"),
    Command("dxt-file-matrix", "dxt --config options.yaml --output y.npy", inputs={
                "options.yaml": DXT_OPTIONS.encode(),
                "c.npy": npy("<f8", (6, 6), fractions(36)),
                "y0.npy": npy("<f4", (6, 5, 4), fractions(120, 101))}),
    Command("dxt-threshold", "dxt --shape 12x10x8 --transform dst,dwht-sequency,dct --out-shape 12x16x4 "
            "--zero-threshold 0.05 --step-cycles 2 --load-elements 3 --out run"),
    Command("orbital-sliced", "orbital --shape 9x8x7 --grid 3 --overlap sliced --schedule +-+ --output y.npy --out run"),
    Command("orbital-tiles-detailed", "orbital --shape 9x8x7 --grid 2 --block 2 --fidelity detailed --format bf16 --inverse "
            "--output y.npy --out run"),
    Command("orbital-chain", "orbital --shape 6x5x4 --chain --transform dft --fidelity detailed --vcd wave.vcd --watch 1,2,3 "
            "--out run"),
    Command("orbital-class", "orbital --shape 9x8x7 --class cra --form 17b --schedule=-+- --out run"),
    Command("orbital-refused", "orbital --shape 4x4x4 --grid 2 --block 1 --tiles off --out run", BAD_INPUT),
    Command("orbital-triada", "orbital --sweep 4,8 --block 1 --compare triada --out run"),
    Command("dxt-refused-option", "dxt --shape 4x4x4 --format f64 --shift 1,1,1 --out run", BAD_INPUT),
    Command("dxt-refused-file", "dxt --input short.npy --output y.npy", BAD_INPUT,
            {"short.npy": npy("<f8", (2, 2, 2), fractions(8))[:-5]}),

    # Tucker decompositions on TriADA
    Command("tucker-help", "tucker --help"),
    Command("tucker-hooi", "tucker --input volume.npy --ranks 20x20x10 --method hooi --max-iterations 2 --out run "
            "--core core.npy", inputs={"volume.npy": VOLUME}),
    Command("tucker-tolerance", "tucker --shape 18x14x10 --fill known-rank --fill-ranks 4x3x2 --noise 0.01 "
            "--tolerance 0.02 --mesh 8x8x8 --double-buffer --core core.npy --factors u1.npy,u2.npy,u3.npy --output "
            "restored.npy --out run"),
    Command("tucker-detailed", "tucker --shape 7x6x5 --ranks 3x2x4 --method hosvd --fidelity detailed --order 312 "
            "--out run --vcd wave.vcd"),
    Command("tucker-f32", "tucker --config options.yaml --output restored.npy", inputs={
                "options.yaml": b"shape: 12x11x10\nfill: sparse\nranks: 5x4x3\nformat: f32\nsparsity: dense\n"
                                b"method: hooi\ntechnology: 7nm\nline-extent: active\nout: run\n"}),
    Command("tucker-threshold", "tucker --shape 10x9x8 --ranks 4x4x4 --zero-threshold 0.02 --mesh 4x4x4 --fidelity "
            "detailed --threads 2"),
    Command("tucker-technology", "tucker --shape 9x8x7 --ranks 3x3x3 --technology own.yaml --order 231 --out run "
            "--no-check", inputs={"own.yaml": Shipped("45nm.yaml")}),
    Command("tucker-refused-ranks", "tucker --shape 10x9x8 --ranks 10x2x2 --out run", BAD_INPUT),
    Command("tucker-refused-option", "tucker --shape 10x9x8 --ranks 2x2x2 --fit-change 0.1 --core core.npy", BAD_INPUT),

    # MMU/VCU pair: segmented operations, every variant of segmented scans and one or more of every other operation
    Command("segmented-help", "segmented --help"),
    Command("segmented-scan", "segmented --operation segmented-scan --fill formula --output z.npy --out run"),
    Command("segmented-scan-detailed", "segmented --variant segscan_ks --blocks none --s 4 --fidelity detailed "
            "--length 100 --out run --vcd wave.vcd --watch 0,0 --watch 3,3"),
    Command("segmented-scan-fast", "segmented --variant segscan --s 4 --length 100 --overlap --out run --vcd wave.vcd"),
    Command("segmented-sscr", "segmented --variant sscr --length 300 --density 0.05 --out run"),
    Command("segmented-sscr-no-blocks", "segmented --variant sscr_shared --blocks reduction --length 60 --fidelity "
            "detailed --s 8"),
    Command("segmented-scan-vector-only", "segmented --operation segmented-scan --vector-only --length 200 --lanes 8 "
            "--output z.npy"),
    Command("segmented-tiles", "segmented --variant scan_tile --input x.npy --s 5 --scratchpad 65536 --output z.npy "
            "--technology 7nm", inputs={"x.npy": npy("<f8", (77,), fractions(77))}),
    Command("segmented-compress", "segmented --operation compress --input x.npy --flags f.npy --output z.npy --out "
            "run", inputs={
                "x.npy": npy("<i8", (50,), whole_numbers(50)),
                "f.npy": npy("|b1", (50,), [i * i % 7 == 0 for i in range(50)])}),
    Command("segmented-compare", "segmented --operation segmented-scan --compare --length 256 --out run"),
    Command("segmented-compare-products", "segmented --operation product --compare --length 64 --bits 5 --overlap "
            "--out run"),
    Command("segmented-products", "segmented --config options.yaml --variant ewmul_seg --output z.npy --out run",
            inputs={"options.yaml": SEGMENTED_OPTIONS.encode()}),
    Command("segmented-gemm-int8", "segmented --variant gemm_tiled --format int8 --length 40 --s 16 --fidelity "
            "detailed --output z.npy --out run"),
    Command("segmented-gemm-vector", "segmented --variant gemm_vcu --format f64 --length 12 --blocks "
            "multiplier,reduction,multiply_add"),
    Command("segmented-difference", "segmented --variant diff_mmu --length 90 --s 8 --format int32 --fidelity "
            "detailed --out run"),
    Command("segmented-sum", "segmented --variant scd_diff_mmu --length 130 --s 8 --fill formula --output z.npy "
            "--out run"),
    Command("segmented-matprod", "segmented --variant matprod --length 6 --s 4 --bits 3 --out run"),
    Command("segmented-spmv", "segmented --operation spmv --matrix a.mtx --output y.npy --out run",
            inputs={"a.mtx": MATRIX_MARKET.encode()}),
    Command("segmented-spmv-wrong", "segmented --variant spmv_scd --matrix a.mtx --quiet", WRONG,
            {"a.mtx": MATRIX_MARKET.encode()}),
    Command("segmented-overflow", "segmented --input x.npy --format int32 --output z.npy --out run", WRONG,
            {"x.npy": npy("<i8", (10,), [2 ** 30] * 10)}),
    Command("segmented-refused-variant", "segmented --variant mul --blocks revspec --out run", BAD_INPUT),
    Command("segmented-refused-scratchpad", "segmented --length 1000 --scratchpad 1024 --vcd wave.vcd", BAD_INPUT),

    # MMU/VCU pair: algorithms of a tensor core unit
    Command("tensor_unit-help", "tensor_unit --help"),
    Command("tensor_unit-dense", "tensor_unit --size 64 --m 16 --latency 1000 --output z.npy --out run"),
    Command("tensor_unit-detailed", "tensor_unit --algorithm rect --size 24 --inner 5 --m 16 --weak --fidelity "
            "detailed --out run --vcd wave.vcd --watch 2,3"),
    Command("tensor_unit-overlap", "tensor_unit --algorithm strassen --size 32 --m 16 --overlap --format f64 --out "
            "run --vcd wave.vcd"),
    Command("tensor_unit-dft", "tensor_unit --algorithm dft --size 64 --m 16 --output z.npy --technology 7nm --out "
            "run"),
    Command("tensor_unit-stencil", "tensor_unit --algorithm stencil --size 16 --sweeps 4 --m 16 --output z.npy "
            "--fidelity detailed"),
    Command("tensor_unit-elimination", "tensor_unit --algorithm ge_forward --input a.npy --m 4 --output z.npy --out "
            "run",
            inputs={"a.npy": npy("<f8", (6, 6), [v + (40 if i % 7 == 0 else 0) for i, v in enumerate(fractions(36))])}),
    Command("tensor_unit-closure", "tensor_unit --algorithm tclosure --size 20 --m 16 --output z.npy"),
    Command("tensor_unit-distances", "tensor_unit --algorithm apsd --size 20 --scalar --scalar-ops 3 --output z.npy"),
    Command("tensor_unit-karatsuba", "tensor_unit --algorithm karatsuba --size 64 --cutoff 8 --m 16 --out run"),
    Command("tensor_unit-sparse", "tensor_unit --algorithm sparse --size 32 --nonzeros 40 --m 16 --config "
            "options.yaml --out run", inputs={
                "options.yaml": b"clock: 1.25\nallow-overclock: true\nburst: 64\nlanes: 7\nbanks: 8\nlatency: 9\ncall-latency: 3\n"
                                b"no-check: true\n"}),
    Command("tensor_unit-polynomial", "tensor_unit --algorithm polyeval --size 100 --points 9 --m 16 --scratchpad "
            "262144"),
    Command("tensor_unit-recursive", "tensor_unit --algorithm recursive8 --size 16 --m 16 --format c128 --output "
            "z.npy --out run"),
    Command("tensor_unit-inverse-dft", "tensor_unit --algorithm dft_inverse --input x.npy --m 16 --output z.npy",
            inputs={"x.npy": npy("<f8", (32,), fractions(32))}),
    Command("tensor_unit-integers", "tensor_unit --algorithm intmul --size 40 --m 16 --fidelity detailed "
            "--technology own.yaml", inputs={"own.yaml": Shipped("45nm.yaml")}),
    Command("tensor_unit-int8", "tensor_unit --size 20 --m 16 --format int8 --in-words 2 --out-words 3 --fidelity "
            "detailed --out run"),
    Command("tensor_unit-theorems", "tensor_unit --theorems --out run"),
    Command("tensor_unit-refused-size", "tensor_unit --algorithm strassen --size 33 --m 16 --out run", BAD_INPUT),
    Command("tensor_unit-refused-pivot", "tensor_unit --algorithm ge_forward --input a.npy --m 4 --output z.npy "
            "--out run", BAD_INPUT, {"a.npy": npy("<f8", (4, 4), [0.0] * 16)}),

    # FETTA: every mapping and layout, both memories, a user's own programs
    Command("contract-help", "contract --help"),
    Command("contract-batch", "contract --einsum bik,kj->bij --sizes b=3,i=20,k=37,j=18 --layout conflicted --output "
            "c.npy --out run"),
    Command("contract-offchip", "contract --einsum abc,cd->dab --sizes a=7,b=6,c=9,d=10 --layout offchip --objective "
            "edp --flatten contiguous --profile --out run"),
    Command("contract-blocks", "contract --sizes i=100,j=90,k=70 --bank-bytes 4096 --accumulator-bytes 1024 --out "
            "run --profile"),
    Command("contract-detailed", "contract --fidelity detailed --sizes i=16,j=16,k=16 --out run --vcd wave.vcd "
            "--watch networks --watch engine=0 --watch pes"),
    Command("contract-output-stationary", "contract --mapping os-1 --split 1,1,4,4 --psum bf16 --store bf16 --sizes "
            "i=30,j=20,k=11 --fidelity detailed --profile --output c.npy --vcd wave.vcd --out run"),
    Command("contract-files", "contract --einsum abc,cd->abd --input a.npy,b.npy --operand f32 --mapping is-h "
            "--memory sram --output c.npy --out run",
            inputs={"a.npy": npy("<f8", (3, 4, 5), fractions(60)), "b.npy": npy("<f4", (5, 6), fractions(30, 103))}),
    Command("contract-one-at-a-time", "contract --sizes i=40,j=50,k=60 --bank-bytes 4096 --no-overlap --engines 4 "
            "--side 8 --technology 45nm --outstanding 2 --burst 256 --clock 0.9 --allow-overclock --leakage 2 --objective energy "
            "--out run"),
    Command("contract-large-array", "contract --config options.yaml --vcd wave.vcd", inputs={
                "options.yaml": b"sizes: i=70,j=65,k=33\nengines: 64\nside: 2\nmapping: ws-h\ndistributed: 128\n"
                                b"memory-rows: 32\ntable-psum: bf16\npadding-share: 0.5\nlanes: 16\nout: run\n"}),
    Command("contract-mapping-is-v", "contract --einsum bij,bjk->kbi --mapping is-v --layout conflicted --sizes "
            "b=4,i=9,j=14,k=7 --fidelity detailed --out run"),
    Command("contract-mapping-os-2", "contract --mapping os-2 --sizes i=33,j=17,k=25 --layout offchip --dram "
            "own.yaml --seed 5 --output c.npy --out run", inputs={"own.yaml": Shipped("lpddr4-3200.yaml")}),
    Command("contract-saved", "contract --sizes i=12,j=20,k=9 --layout conflicted --save-program p.bin --output c.npy"),
    Command("contract-own-program", "contract --sizes i=12,j=20,k=9 --program p.bin --output c.npy --out run "
            "--profile", inputs={"p.bin": Written("contract-saved", "p.bin")}),
    Command("contract-own-vectors", "contract --sizes i=12,j=20,k=9 --program p.asm --output c.npy --out run "
            "--profile --vcd wave.vcd", inputs={"p.asm": PRODUCT_AND_VECTORS.encode()}),
    Command("contract-own-vectors-detailed", "contract --sizes i=12,j=20,k=9 --program p.asm --fidelity detailed "
            "--no-overlap --memory sram --out run --vcd wave.vcd", inputs={"p.asm": PRODUCT_AND_VECTORS.encode()}),
    Command("contract-wrong", "contract --sizes i=4,j=4,k=4 --program p.asm --quiet", WRONG, {"p.asm": b"halt\n"}),
    Command("contract-refused-program", "contract --sizes i=12,j=20,k=9 --program p.asm --vcd wave.vcd --out run",
            BAD_INPUT, {"p.asm": PRODUCT_AND_VECTORS.replace("masks=0,4,8,3", "masks=0,4,8,1").encode()}),
    Command("contract-refused-wait", "contract --program p.asm", BAD_INPUT, {"p.asm": b"nop\nwait signal=3\nhalt\n"}),
    Command("contract-refused-address", "contract --program p.asm", BAD_INPUT,
            {"p.asm": b"load tensor=0x200000000:bf16:64\n"}),
    Command("contract-refused-length", "contract --program p.asm --max-cycles 5000", BAD_INPUT,
            {"p.asm": b"loop count=100000\nend\n"}),
    Command("contract-refused-einsum", "contract --einsum ij,jk->ikz --sizes i=2,j=2,k=2,z=2 --output c.npy",
            BAD_INPUT),

    # Two TriADA devices on one bus
    Command("soc-help", "soc --help"),
    Command("soc-default", "soc --large-output large.npy --small-output small.npy --out run"),
    Command("soc-split", "soc --large 16x16x16 --small 8x8x8 --memory split --transport at --quantum 0 --out run"),
    Command("soc-detailed", "soc --large 8x7x6 --small 4x4x4 --memory sram --transport at --quantum 10ns "
            "--arbitration fixed-priority --checkers --fidelity detailed --out run --vcd wave.vcd"),
    Command("soc-fast-waveform", "soc --config options.yaml --out run --vcd wave.vcd",
            inputs={"options.yaml": SOC_OPTIONS.encode()}),
    Command("soc-complex", "soc --large 9x8x7 --small 5x6x7 --large-transform dft,dct,identity --format c64 --zeros "
            "0.5 --seed 3 --memory-ports 1 --sram-banks 8 --memory sram --link 16 --arbitration first-come "
            "--outstanding 1 --burst 512 --technology 7nm --clock 0.7 --allow-overclock --small-output small.npy"),
    Command("soc-idle", "soc --large-runs 0 --small 4x6x6 --small-runs 2 --small-transform dwht-sequency,dst,dht "
            "--quantum 1ms --no-check"),
    Command("soc-priority", "soc --large 8x9x10 --small 7x6x5 --memory sram --transport at --arbitration priority "
            "--priority small_host=2,small.dma=1 --out run"),
    Command("soc-shares", "soc --large 8x9x10 --small 7x6x5 --memory sram --quantum 0 --arbitration weighted "
            "--share large.dma=20,small.dma=60 --out run"),
    Command("soc-refused-shares", "soc --arbitration weighted --share large.dma=60,small.dma=60 --out run", BAD_INPUT),
    Command("soc-refused-quantum", "soc --large 4x4x4 --small 2x2x2 --quantum 2s --out run", BAD_INPUT),
    Command("soc-refused-format", "soc --large 4x4x4 --small 2x2x2 --large-transform dft --format f64", BAD_INPUT),

    # Programs as text and bytes; what firmware and debuggers must know
    Command("asm-help", "tensorloom-asm --help"),
    Command("asm-mmv", "tensorloom-asm sums.asm -o sums.bin", inputs={"sums.asm": PREFIX_SUMS.encode()}),
    Command("asm-mmv-back", "tensorloom-asm --disassemble sums.bin -o sums.asm",
            inputs={"sums.bin": Written("asm-mmv", "sums.bin")}),
    Command("asm-triada", "tensorloom-asm --device triada product.asm -o product.bin",
            inputs={"product.asm": TENSOR_PRODUCT.encode()}),
    Command("asm-triada-back", "tensorloom-asm --disassemble --device triada product.bin -o product.asm",
            inputs={"product.bin": Written("asm-triada", "product.bin")}),
    Command("asm-fetta", "tensorloom-asm --device fetta vectors.asm -o vectors.bin",
            inputs={"vectors.asm": PRODUCT_AND_VECTORS.encode()}),
    Command("asm-fetta-back", "tensorloom-asm --device fetta --disassemble vectors.bin -o vectors.asm",
            inputs={"vectors.bin": Written("asm-fetta", "vectors.bin")}),
    Command("asm-refused-field", "tensorloom-asm sums.asm -o sums.bin", BAD_INPUT,
            {"sums.asm": b"nop\nadd length=4 lenght=5\n"}),
    Command("registers-help", "tensorloom-registers --help"),
    Command("registers-svd", "tensorloom-registers --svd"),
    Command("registers-svd-of-one", "tensorloom-registers --svd --device triada --base 0x50000000 --output triada.svd"),
    Command("registers-systemrdl", "tensorloom-registers --systemrdl --output registers.rdl"),
    Command("registers-ipxact", "tensorloom-registers --ipxact --output registers.xml"),
    Command("registers-map-header", "tensorloom-registers --map-header --map board.yaml", inputs={"board.yaml": BOARD}),
    Command("registers-device-tree", "tensorloom-registers --device-tree --map board.yaml", inputs={"board.yaml": BOARD}),
    Command("registers-refused-map", "tensorloom-registers --svd --map board.yaml --output board.svd", BAD_INPUT,
            {"board.yaml": BOARD.replace(b"0x40000000", b"0x40000004")}),
    Command("registers-c-header", "tensorloom-registers --c-header"),
    Command("registers-c-header-of-two", "tensorloom-registers --c-header --device mmv --device fetta --output two.h"),
    Command("registers-markdown", "tensorloom-registers --markdown page.md", inputs={"page.md": PAGE.encode()}),
    Command("registers-refused-device", "tensorloom-registers --svd --device abacus --output abacus.svd", BAD_INPUT),

    # Sequences of contractions, training steps, training, comparisons
    Command("contraction-search-layer", "contraction_search --layer atis-tt --objective latency --out run"),
    Command("contraction-search-network", "contraction_search --network network.json --objective memory --search subsets "
            "--out run", inputs={"network.json": NETWORK.encode()}),
    Command("contraction-search-refused", "contraction_search --layer nothing --out run", BAD_INPUT),
    Command("tnn-step-ttm", "tnn_step --format ttm --rows 2x2 --cols 2x3 --ranks 2 --batch 2 --out run"),
    Command("tnn-step-tt-detailed", "tnn_step --format tt --rows 2x3 --cols 4x2 --ranks 2,3,2 --batch 4 --fidelity detailed "
            "--memory sram --out run"),
    Command("tnn-step-residency", "tnn_step --layer atis-tt --residency spill --dx on --out run"),
    Command("tnn-step-refused", "tnn_step --format ttm --rows 2x2 --cols 2 --ranks 2 --batch 2 --out run", BAD_INPUT),
    Command("tnn-training-digits", "tnn_training --model digits-ttm --epochs 1 --batch 50 --out run --save state.bin"),
    Command("tnn-training-resumed", "tnn_training --model digits-ttm --epochs 2 --batch 50 --resume state.bin --out run",
            inputs={"state.bin": Written("tnn-training-digits", "state.bin")}),
    Command("tnn-training-model", "tnn_training --model model.yaml --epochs 1 --batch 100 --memory sram --psum bf16 --out run",
            inputs={"model.yaml": MODEL.encode()}),
    Command("tnn-training-refused", "tnn_training --model digits-ttm --epochs 0 --out run", BAD_INPUT),
    Command("compare-accelerators-layer", "compare_accelerators --workloads atis-tt --accelerators fetta,tpu,treta --out run"),
    Command("compare-accelerators-sweep", "compare_accelerators --workloads atis-tt --accelerators tpu,sigma --sweep "
            "conflicts,run-cycles --dx on --out run"),
    Command("compare-accelerators-refused", "compare_accelerators --workloads atis-tt --accelerators fetta,fetta", BAD_INPUT),
    Command("compare-devices-transform", "compare_devices --shape 5x4x3 --out run"),
    Command("compare-devices-small", "compare_devices --shape 6x6x6 --mesh 4x4x4 --devices triada,torus --memory sram --out run"),
    Command("compare-devices-refused", "compare_devices --shape 5x4x3 --devices triada,gpu", BAD_INPUT),
]

# ---- recording -------------------------------------------------------------------------------------------------------


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def content(value, out):
    """The bytes of an input, or None when the command that should have written it has not."""
    if isinstance(value, Shipped):
        return read(value.path())
    if isinstance(value, Written):
        path = os.path.join(out, value.command, "files", value.path)
        return read(path) if os.path.isfile(path) else None
    return value


def remove_empty_folders(folder):
    for at, _, _ in os.walk(folder, topdown=False):
        if at != folder and not os.listdir(at):
            os.rmdir(at)


def record_command(command, binaries, out):
    """Runs one command and keeps what it did in OUT/<name of the command>; returns its status as text."""
    place = os.path.join(out, command.name)
    files = os.path.join(place, "files")
    os.makedirs(files)
    inputs = {name: content(value, out) for name, value in command.inputs.items()}
    inputs = {name: data for name, data in inputs.items() if data is not None}
    for name, data in inputs.items():
        write(os.path.join(files, name), data)
    try:
        # The program's name alone is its first argument, so its messages do not depend on where it lies.
        run = subprocess.run([command.program, *command.options], cwd=files, env={**os.environ, "LC_ALL": "C"},
                             executable=os.path.join(binaries, command.program), stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=SECONDS_PER_COMMAND, check=False)
        status, printed, complained = str(run.returncode), run.stdout, run.stderr
    except subprocess.TimeoutExpired as e:
        status, printed, complained = f"none after {SECONDS_PER_COMMAND} s", e.stdout or b"", e.stderr or b""
    for name, data in inputs.items():
        path = os.path.join(files, name)
        if os.path.isfile(path) and read(path) == data:  # an input that was changed is something written
            os.remove(path)
    remove_empty_folders(files)
    write(os.path.join(place, "command"), command.line.encode() + b"\n")
    write(os.path.join(place, "status"), status.encode() + b"\n")
    write(os.path.join(place, "stdout"), printed)
    write(os.path.join(place, "stderr"), complained)
    return status


def record(binaries, out, commands=None):
    commands = COMMANDS if commands is None else commands
    binaries = os.path.abspath(binaries)
    for program in sorted({command.program for command in commands}):
        if not os.access(os.path.join(binaries, program), os.X_OK) or os.path.isdir(os.path.join(binaries, program)):
            raise WrongUse(f"{os.path.join(binaries, program)} is no program, expected one: build it first")
    if os.path.exists(out) and (not os.path.isdir(out) or os.listdir(out)):
        raise WrongUse(f"{out} is there, expected a new or an empty directory")
    os.makedirs(out, exist_ok=True)
    unexpected = 0
    for command in commands:
        status = record_command(command, binaries, out)
        if status != str(command.status):
            unexpected += 1
            print(f"{command.name}: status {status}, expected {command.status}")
    print(f"{len(commands)} commands recorded, {unexpected} with another status than expected")
    return 1 if unexpected else 0


# ---- comparing -------------------------------------------------------------------------------------------------------

USAGE = re.compile(rb"^(  simulation {12})# s wall, # s CPU, # million MACs per CPU second, # MiB\n$".replace(
    b"#", rb"(?:[0-9.e+-]+|inf|nan)"))
VOLATILE_KEYS = {("simulation",), ("version",), ("commit",), ("configuration", "options", "out"),
                 ("configuration", "options_given", "out")}
JSON_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


def numbered(data):
    return list(enumerate(data.splitlines(keepends=True), start=1))


def lines_of_stdout(data):
    return [(n, USAGE.sub(rb"\1of the host\n", line)) for n, line in numbered(data)]


def lines_of_waveform(data):
    """Without what stands between $date and its $end, in the header."""
    lines, inside, header = [], False, True
    for n, line in numbered(data):
        word = line.strip()
        header = header and not word.startswith(b"$enddefinitions")
        inside = inside and word != b"$end"
        if not inside:
            lines.append((n, line))
        inside = inside or (header and word == b"$date")
    return lines


def volatile_spans(data):
    """Where a summary has members that differ from run to run, with the comma that joins them to the others."""
    tokens = [(match.group(), match.start(), match.end()) for match in JSON_TOKEN.finditer(data)]
    spans = []

    def after_value(at, path):
        if tokens[at][0] not in (b"{", b"["):
            return at + 1
        is_object = tokens[at][0] == b"{"
        opened, at, members = tokens[at][2], at + 1, []
        while tokens[at][0] not in (b"}", b"]"):
            key, start = None, tokens[at][1]
            if is_object:
                key, at = json.loads(tokens[at][0]), at + 2
            at = after_value(at, path + (key,))
            end = tokens[at - 1][2]
            at += tokens[at][0] == b","
            members.append((path + (key,) in VOLATILE_KEYS, start, end, tokens[at - 1][2]))
        kept_end = opened
        for i, (is_volatile, start, end, end_of_comma) in enumerate(members):
            if not is_volatile:
                kept_end = end
            elif all(m[0] for m in members[i + 1:]):  # nothing follows: the comma before goes too
                spans.append((kept_end, end))
            else:
                spans.append((start, end_of_comma))
        return at + 1

    after_value(0, ())
    return spans


def lines_of_summary(data):
    try:
        json.loads(data)
    except ValueError:
        return numbered(data)
    cut = set()
    for start, end in volatile_spans(data):
        cut.update(range(start, end))
    lines, start = [], 0
    for n, line in numbered(data):
        kept = bytes(byte for at, byte in enumerate(line, start=start) if at not in cut)
        if kept == line:
            lines.append((n, line))
        elif kept.strip():
            lines.append((n, kept.rstrip() + b"\n"))
        start += len(line)
    return lines


def compared_lines(path, data):
    name = os.path.basename(path)
    if path == "stdout":
        return lines_of_stdout(data)
    if name == "summary.json":
        return lines_of_summary(data)
    return lines_of_waveform(data) if name.endswith(".vcd") else numbered(data)


def is_text(data):
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def excerpt(line, column):
    begin = max(0, column - 30)
    text = line.rstrip(b"\n")[begin:begin + 90].decode("utf-8", "replace")
    return repr("..." * (begin > 0) + text)


def first_difference(path, a, b):
    """What differs first between two versions of a file, as a phrase; None when nothing does that counts."""
    if a == b:
        return None
    if not (is_text(a) and is_text(b)):
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), None)
        if at is None:
            return f"{len(a)} bytes became {len(b)}"
        sizes = f", {len(a)} bytes became {len(b)}" if len(a) != len(b) else ""
        return f"byte {at}: 0x{a[at]:02x} became 0x{b[at]:02x}{sizes}"
    lines_a, lines_b = compared_lines(path, a), compared_lines(path, b)
    for (n, x), (_, y) in zip(lines_a, lines_b):
        if x != y:
            column = len(os.path.commonprefix([x, y]))
            return f"line {n}: {excerpt(x, column)} became {excerpt(y, column)}"
    if len(lines_a) > len(lines_b):
        return f"line {lines_a[len(lines_b)][0]}: {excerpt(lines_a[len(lines_b)][1], 0)} is missing"
    if len(lines_b) > len(lines_a):
        return f"line {lines_b[len(lines_a)][0]}: {excerpt(lines_b[len(lines_a)][1], 0)} is new"
    return None


def differences_of_command(a, b):
    files_a, files_b = files_below(a), files_below(b)
    for path in sorted(set(files_a) | set(files_b)):
        if path not in files_b:
            yield path, "is missing"
        elif path not in files_a:
            yield path, "is new"
        else:
            found = first_difference(path, read(os.path.join(a, path)), read(os.path.join(b, path)))
            if found is not None:
                yield path, found


def recorded_commands(out):
    names = os.listdir(out) if os.path.isdir(out) else []
    names = sorted(name for name in names if os.path.isfile(os.path.join(out, name, "status")))
    if not names:
        raise WrongUse(f"{out} has no recorded commands, expected a directory that `record` has written")
    return names


def differences(out_a, out_b):
    """A line per difference, in the order of the commands' names."""
    names_a, names_b = recorded_commands(out_a), recorded_commands(out_b)
    for name in sorted(set(names_a) | set(names_b)):
        if name not in names_b:
            yield f"{name}: the command is missing"
        elif name not in names_a:
            yield f"{name}: the command is new"
        else:
            for path, found in differences_of_command(os.path.join(out_a, name), os.path.join(out_b, name)):
                yield f"{name}: {path}: {found}"


def compare(out_a, out_b):
    found = list(differences(out_a, out_b))
    for line in found:
        print(line)
    print(f"{len(recorded_commands(out_a))} commands compared, {len(found)} differences")
    return 1 if found else 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    recording = actions.add_parser("record", help="run every command and keep what it did")
    recording.add_argument("bin_dir", help="where the programs are")
    recording.add_argument("out_dir", help="a new or empty directory")
    comparing = actions.add_parser("compare", help="print one line per difference of two recordings")
    comparing.add_argument("out_a", help="the recording of before")
    comparing.add_argument("out_b", help="the recording of after")
    options = parser.parse_args(arguments)
    try:
        if options.action == "record":
            return record(options.bin_dir, options.out_dir)
        return compare(options.out_a, options.out_b)
    except WrongUse as e:
        print(f"recorded_runs: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
