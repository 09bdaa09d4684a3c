#!/usr/bin/env python3
"""scripts/demo as a command: options, order of its steps, and what it does when a step fails.

Set-up, CMake and the testbenches are stand-ins in a scratch tree, so nothing is installed or built. The pictures are
the real ones twice, and stand-ins where the steps are what matters.
"""
import os
import shutil
import subprocess
import tempfile
import unittest

import package_path
from hand_made_runs import write_jobs

RECORD = 'echo "$(basename "$0") $*" >> "$CALLS"\n'
# Writes what dxt would: copies the hand-made job of the sparsity and direction that it is told.
DXT = "#!/bin/bash\n" + RECORD + """
[ "$(wc -l < "$CALLS")" -ne "${FAILS_AT:-0}" ] || { echo "dxt: broken" >&2; exit "${FAILS_WITH:-1}"; }
sparsity=esop direction=forward
while [ $# -gt 0 ]; do
    case "$1" in
        --out) out=$2 ;;
        --output) output=$2 ;;
        --sparsity) sparsity=$2 ;;
        --inverse) direction=inverse ;;
    esac
    shift
done
for folder in "$(dirname "$out")" ${output:+"$(dirname "$output")"}; do
    [ -d "$folder" ] || { echo "dxt: no directory $folder" >&2; exit 2; }
done
mkdir -p "$out"
cp "$JOBS/$sparsity/$direction"/* "$out"
[ -z "$output" ] || cp "$JOBS/$sparsity/reconstruction.npy" "$output"
"""
# Write what segmented and tensor_unit would, as far as the demo reads it.
FAILS = '[ "$(wc -l < "$CALLS")" -ne "${FAILS_AT:-0}" ] || { echo "$(basename "$0"): broken" >&2; exit "${FAILS_WITH:-1}"; }\n'
SEGMENTED = "#!/bin/bash\n" + RECORD + FAILS + """
mkdir -p "${@: -1}"
cat > "${@: -1}/summary.json" <<'TEXT'
{"schema": "s", "testbench": "segmented", "configuration": {"side": 8, "dma_width_bits": 512}, "cycles": 8, "macs": 64}
TEXT
echo "crossover of segscan"
"""
TENSOR_UNIT = "#!/bin/bash\n" + RECORD + FAILS + "echo theorem 2\n"
VIRTUAL_PLATFORM = "#!/bin/bash\n" + RECORD + FAILS + "echo 6 of 6: PASS\n"
SHOW = """
import sys
if sys.argv[1] == "pareto":
    print("the front")
if sys.argv[1] == "table":
    print("multiply-adds")
else:
    open(sys.argv[sys.argv.index("--output") + 1], "w").close()
"""
TEXTS = ["comparison.txt", "slices.png", "energy.png", "timeline.png", "study.txt", "pareto.png", "segmented.txt",
         "roofline.png", "report.html", "theorems.txt", "virtual_platform.txt"]
MESHES = ("8x8x8", "16x16x16", "32x32x24", "64x48x24")
WRITTEN = TEXTS + ["first_pass/coefficients.npy", "first_pass/run/summary.json"] + [
    f"{sparsity}/{name}" for sparsity in ("dense", "esop") for name in ("reconstruction.npy", "chain/summary.json")] + [
    f"study/{mesh}/{sparsity}/{name}" for mesh in MESHES for sparsity in ("dense", "esop")
    for name in ("forward/summary.json", "inverse/summary.json")] + ["study/16x16x16/esop/forward/latency.csv"]
RUNS = 3 + 4 * len(MESHES)  # of dxt
FIRST = 4                   # its first one among all calls


class DemoCommandTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.root = self.path("the project")  # a blank in the path must not matter
        self.elsewhere = self.path("elsewhere")
        os.makedirs(self.elsewhere)
        os.makedirs(os.path.join(self.root, "scripts"))
        shutil.copy(os.path.join(package_path.ROOT, "scripts", "demo"), os.path.join(self.root, "scripts"))
        for command in ("plot", "report"):
            self.write_program(os.path.join(self.root, "scripts", "python", f"tensorloom-{command}"), SHOW)
        write_jobs(self.path("jobs"))
        os.makedirs(os.path.join(self.root, "data"))
        shutil.copy(self.path("jobs", "original.npy"), os.path.join(self.root, "data", "mri_128x96x24_int16.npy"))
        self.write_program(os.path.join(self.root, "scripts", "setup"), "#!/bin/bash\n" + RECORD)
        self.write_program(self.path("bin", "cmake"), "#!/bin/bash\n" + RECORD)
        for name, text in (("dxt", DXT), ("segmented", SEGMENTED), ("tensor_unit", TENSOR_UNIT),
                           ("virtual_platform", VIRTUAL_PLATFORM)):
            self.write_program(os.path.join(self.root, "build", "release", "bin", name), text)

    def path(self, *names):
        return os.path.join(self.scratch, *names)

    @staticmethod
    def write_program(path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def take_the_real_pictures(self):
        python = os.path.join(self.root, "scripts", "python")
        shutil.rmtree(python)
        os.symlink(package_path.PYTHON, python)

    def demo(self, *arguments, **variables):
        environment = {**os.environ, "CALLS": self.path("calls"), "JOBS": self.path("jobs"),
                       "PATH": self.path("bin") + os.pathsep + os.environ["PATH"], **variables}
        return subprocess.run([os.path.join(self.root, "scripts", "demo"), *arguments], capture_output=True, text=True,
                              cwd=self.elsewhere, env=environment, check=False)

    def calls(self):
        if not os.path.exists(self.path("calls")):
            return []
        with open(self.path("calls"), encoding="utf-8") as file:
            return file.read().splitlines()

    def assert_written(self, folder):
        for name in WRITTEN:
            self.assertTrue(os.path.isfile(os.path.join(folder, name)), name)

    def test_help(self):
        done = self.demo("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Usage: scripts/demo", done.stdout)
        self.assertIn("--out DIR", done.stdout)
        self.assertEqual(self.calls(), [])

    def test_wrong_use_is_one_line_and_runs_nothing(self):
        with open(self.path("a file"), "w", encoding="utf-8"):
            pass
        for arguments, text in ((("--ou", "x"), "--ou"), (("--out",), "--out"), (("--out=",), "--out"), (("--out", ""), "--out"),
                                (("somewhere",), "somewhere"), (("-h",), "-h"), (("",), "argument"),
                                (("--out", self.path("a file")), "a file"), (("--out", self.path("a file", "x")), "a file")):
            with self.subTest(arguments):
                done = self.demo(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(text, done.stderr)
        self.assertEqual(self.calls(), [])

    def test_steps_in_order(self):
        self.take_the_real_pictures()
        done = self.demo()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        calls = self.calls()
        self.assertEqual([call.split()[0] for call in calls], ["setup", "cmake", "cmake", *RUNS * ["dxt"], "segmented",
                                                               "tensor_unit", "virtual_platform"])
        self.assertIn("--compare", calls[-3])
        self.assertIn("--theorems", calls[-2])
        first, *chains = calls[3:6]
        self.assertIn("--keep 0.05", first)
        threshold = repr(2.0 * (1 - 1e-9))  # the smallest number of the hand-made coefficients
        for call, sparsity in zip(chains, ("dense", "esop")):
            self.assertIn(f"--chain --threshold {threshold} --sparsity {sparsity}", call)
        studied = calls[6:6 + 4 * len(MESHES)]
        self.assertEqual([call.split("--mesh ")[1].split()[0] for call in studied],
                         [mesh for mesh in MESHES for _ in range(4)])
        self.assertEqual(["--inverse" in call for call in studied], 2 * len(MESHES) * [False, True])
        self.assertEqual(["--no-check=false" in call for call in studied], ["16x16x16" in call for call in studied])
        self.assert_written(os.path.join(self.root, "demo"))
        self.assertIn("multiply-adds", done.stdout)
        self.assertIn("crossover of segscan", done.stdout)
        self.assertIn("6 of 6: PASS", done.stdout)
        self.assertRegex(done.stdout, r"of 10 machines are on the front of time, energy and area; .* the least product")
        with open(os.path.join(self.root, "demo", "theorems.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "theorem 2\n")
        for name in TEXTS:
            self.assertIn(name, done.stdout)

    def test_without_the_virtual_platform_it_says_what_is_missing(self):
        os.remove(os.path.join(self.root, "build", "release", "bin", "virtual_platform"))
        done = self.demo()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("no virtual platform: scripts/setup --platform", done.stdout)
        self.assert_written(os.path.join(self.root, "demo"))

    def test_out_is_of_the_callers_directory(self):
        for arguments in (("--out", "my pictures"), ("--out=my pictures",)):
            with self.subTest(arguments):
                self.assertEqual(self.demo(*arguments).returncode, 0)
                self.assert_written(os.path.join(self.elsewhere, "my pictures"))
                shutil.rmtree(os.path.join(self.elsewhere, "my pictures"))
        self.assertFalse(os.path.exists(os.path.join(self.root, "demo")))

    def test_failing_run_ends_it_and_leaves_no_old_results(self):
        self.assertEqual(self.demo().returncode, 0)
        scans = FIRST + RUNS
        for run in (FIRST, FIRST + 2, FIRST + 6, scans - 1, scans, scans + 1, scans + 2):
            with self.subTest(run):
                os.remove(self.path("calls"))
                done = self.demo(FAILS_AT=str(run), FAILS_WITH="3")
                self.assertEqual(done.returncode, 1)
                program = "dxt" if run < scans else ("segmented", "tensor_unit", "virtual_platform")[run - scans]
                self.assertIn(f"failed: {program} ended with status 3", done.stderr)
                self.assertEqual(len(self.calls()), run)
                for name in TEXTS[:6] if run < scans else TEXTS[7:9] if run == scans else ():
                    self.assertFalse(os.path.exists(os.path.join(self.root, "demo", name)), name)

    def test_failing_picture_fails_it(self):
        self.take_the_real_pictures()
        os.remove(self.path("jobs", "esop", "inverse", "latency.csv"))
        os.remove(self.path("jobs", "esop", "forward", "latency.csv"))
        done = self.demo()
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no rows over time in latency.csv", done.stderr)

    def test_failing_set_up_or_build_fails_it(self):
        for path in (self.path("bin", "cmake"), os.path.join(self.root, "scripts", "setup")):
            with self.subTest(path):
                self.write_program(path, "#!/bin/bash\nexit 1\n")
                self.assertNotEqual(self.demo().returncode, 0)
                self.assertFalse([call for call in self.calls() if call.startswith("dxt")])


if __name__ == "__main__":
    unittest.main()
