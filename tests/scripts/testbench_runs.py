"""Small runs of every testbench, as their programs write them."""
import os
import subprocess

# Directory -> command line without --out.
COMMANDS = {
    "dxt": "dxt --shape 6x5x4 --transform dct --sparsity dense",
    "tucker": "tucker --shape 12x10x8 --ranks 3x3x2 --method hosvd",
    "orbital": "orbital --shape 6x5x4 --grid 2",
    "orbital_compare": "orbital --sweep 4,6 --block 2 --compare triada",
    "orbital_class": "orbital --shape 6x5x4 --grid 2 --class all",
    "soc": "soc --large 8x8x8 --small 4x4x4 --memory split --small-runs 3",
    "segmented": "segmented --operation spmv --length 200 --density 0.02 --format f64",
    "segmented_compare": "segmented --operation segmented-scan --compare --length 64",
    "tensor_unit": "tensor_unit --algorithm karatsuba --size 32 --cutoff 4 --m 16",
    "contract": "contract --sizes i=64,j=64,k=64 --layout conflicted",
    "contraction_search": "contraction_search --layer atis-tt --objective latency",
    "tnn_step": "tnn_step --format ttm --rows 4x4 --cols 4x6 --ranks 3 --batch 12 --dx off",
    "tnn_training": "tnn_training --model digits-tt --epochs 1",
    "compare_accelerators": "compare_accelerators --workloads atis-tt --sweep conflicts",
    "compare_devices": "compare_devices --shape 6x5x4",
}
WITHOUT_TIMELINE = ("orbital_compare", "contraction_search", "compare_accelerators")
WITHOUT_ENERGY = ("contraction_search", "compare_accelerators")


def run_testbenches(programs, folder, names=tuple(COMMANDS)):
    """Runs them into folder/NAME; the paths by name."""
    written = {}
    for name in names:
        written[name] = os.path.join(folder, name)
        program, *arguments = COMMANDS[name].split()
        subprocess.run([os.path.join(programs, program), *arguments, "--quiet", "--out", written[name]], check=True,
                       stdout=subprocess.DEVNULL)
    return written
