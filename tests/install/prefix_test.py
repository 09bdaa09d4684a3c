"""What an installation consists of."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from consumer import BUILD, CONFIG, PREFIX, SOURCE


def files_below(folder):
    return {os.path.relpath(os.path.join(directory, name), folder)
            for directory, _, names in os.walk(folder) for name in names}


class Prefix(unittest.TestCase):
    maxDiff = None

    def test_has_every_header_but_those_of_kernels_under_its_path_of_the_tree_and_nothing_else(self):
        tree = {os.path.join(folder, name) for folder in ("models", "tlm", "workloads")
                for name in files_below(os.path.join(SOURCE, folder)) if name.endswith(".h")}
        expected = {name for name in tree if not name.startswith("models/arithmetic/kernels/")}
        self.assertIn("models/triada/device.h", expected)
        self.assertIn("models/arithmetic/mode_product.h", expected)
        self.assertLess(expected, tree)
        self.assertEqual(files_below(os.path.join(PREFIX, "include")), {"tensorloom/" + name for name in expected})

    def test_has_no_empty_folder(self):
        empty = [directory for directory, folders, names in os.walk(PREFIX) if not folders and not names]
        self.assertEqual(empty, [])

    def test_has_the_technologies_the_firmware_the_package_of_pictures_and_the_manifests(self):
        tree = files_below(os.path.join(SOURCE, "models"))
        expected = {re.sub("^(isa|costs|costs/dram)/(?=[^/]+/[^/]+$)", "", name) for name in tree
                    if (name.endswith(".yaml") and not name.startswith("rtl/")) or re.match(r"isa/firmware/[^/]+\.[ch]$", name)}
        self.assertLessEqual({"technologies/45nm.yaml", "technologies/7nm.yaml", "memories/lpddr4-3200.yaml"}, expected)
        expected |= {"models/" + name for name in files_below(os.path.join(SOURCE, "workloads/training/models"))}
        self.assertIn("models/digits-ttm.yaml", expected)
        expected |= {"python/" + name for name in files_below(os.path.join(SOURCE, "scripts/python"))
                     if name.startswith("tensorloom/") and "__pycache__" not in name}
        self.assertIn("python/tensorloom/run.py", expected)
        manifests = {name for name in files_below(os.path.join(SOURCE, "testbenches")) if name.endswith("/testbench.json")}
        self.assertIn("dxt/testbench.json", manifests)
        expected |= {"testbenches/" + name for name in manifests}
        self.assertEqual({name for name in files_below(os.path.join(PREFIX, "share/tensorloom")) if "__pycache__" not in name},
                         expected)

    def test_has_the_licence_and_the_pages(self):
        pages = {"docs/" + name for name in files_below(os.path.join(SOURCE, "docs"))
                 if not name.startswith("examples/virtual_platform/")}
        self.assertEqual(files_below(os.path.join(PREFIX, "share/doc/tensorloom")),
                         pages | {"LICENSE", "README.md", "CHANGELOG.md"})

    def test_programs_read_the_figures_that_are_installed(self):
        figures = os.path.join(PREFIX, "share/tensorloom")
        done = subprocess.run([os.path.join(PREFIX, "bin/soc"), "--large", "4x4x4", "--small", "2x2x2", "--memory", "dram",
                               "--technology", os.path.join(figures, "technologies/7nm.yaml"),
                               "--dram", os.path.join(figures, "memories/lpddr4-3200.yaml")],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, encoding="utf-8", cwd="/")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_programs_run_from_there(self):
        done = subprocess.run([os.path.join(PREFIX, "bin/dxt"), "--shape", "4x4x4", "--technology", "7nm"],
                              stdout=subprocess.PIPE, check=False, encoding="utf-8", cwd="/")
        self.assertEqual(done.returncode, 0)
        self.assertIn("energy", done.stdout)

    def test_the_command_runs_every_device_from_there(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([os.path.join(PREFIX, "bin/tensorloom"), "demo", "--out", folder], stdout=subprocess.PIPE,
                                  env={"PATH": "/nowhere", "PYTHONDONTWRITEBYTECODE": "1"}, check=True, encoding="utf-8", cwd="/")
            self.assertEqual(len(done.stdout.splitlines()), 5)
            self.assertTrue(os.path.isfile(os.path.join(folder, "report.html")))

    def test_components_are_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            for component in ("runtime", "development", "documentation"):
                subprocess.run(["cmake", "--install", BUILD, "--config", CONFIG, "--prefix", os.path.join(folder, component),
                                "--component", component], check=True, stdout=subprocess.DEVNULL)
            parts = [files_below(os.path.join(folder, component)) for component in os.listdir(folder)]
            self.assertEqual(sum(map(len, parts)), len(set().union(*parts)))
            self.assertEqual({name for name in set().union(*parts) if "__pycache__" not in name},
                             {name for name in files_below(PREFIX) if "__pycache__" not in name})

    def test_pictures_and_reports_are_made_from_there(self):
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "run")
            subprocess.run([os.path.join(PREFIX, "bin/dxt"), "--shape", "4x4x4", "--quiet", "--out", run], check=True, cwd="/")
            printed = [subprocess.run([os.path.join(PREFIX, "bin", command), *arguments, run], stdout=subprocess.PIPE,
                                      env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, check=True, encoding="utf-8",
                                      cwd="/").stdout
                       for command, *arguments in (("tensorloom-plot", "table"),
                                                   ("tensorloom-report", "--output", os.path.join(folder, "report.html")))]
        self.assertIn("multiply-adds", printed[0])
        self.assertIn("report.html", printed[1])

    def test_the_package_runs_the_programs_of_its_prefix(self):
        code = ("import numpy, tensorloom as tl\n"
                "x = numpy.arange(60.).reshape(3, 4, 5)\n"
                "print(tl.find_program('dxt'), numpy.allclose(tl.dxt(x, transform='dft').result, numpy.fft.fftn(x, norm='ortho')))")
        names = {name: value for name, value in os.environ.items() if name != "TENSORLOOM_BIN"}
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, encoding="utf-8", cwd="/",
                              env={**names, "PATH": "/nowhere", "PYTHONDONTWRITEBYTECODE": "1",
                                   "PYTHONPATH": os.path.join(PREFIX, "share/tensorloom/python")})
        self.assertEqual(done.stdout, f"{os.path.join(PREFIX, 'bin/dxt')} True\n")

    def test_the_package_finds_the_schemas_of_its_prefix(self):
        code = ("from tensorloom.schemas import load_schema\n"
                "print(load_schema('dxt-summary')['properties']['simulation']['required'])")
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, encoding="utf-8", cwd="/",
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
                                   "PYTHONPATH": os.path.join(PREFIX, "share/tensorloom/python")})
        self.assertEqual(done.stdout, "['wall_s', 'cpu_s', 'macs_per_cpu_s', 'peak_rss_bytes']\n")

    @unittest.skipUnless(os.environ.get("CI") == "true" or shutil.which("snakemake"), "no snakemake (scripts/setup --studies)")
    def test_studies_run_from_there(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "study.yaml"), "w", encoding="utf-8") as file:
                file.write("testbench: dxt\ngrid: {shape: [2x2x2, 4x4x4]}\n")
            done = subprocess.run([os.path.join(PREFIX, "bin/tensorloom-study"), "study.yaml"], stdout=subprocess.PIPE,
                                  env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, check=True, encoding="utf-8", cwd=folder)
            self.assertIn("2 runs: 2 done", done.stdout)
            self.assertEqual(len(os.listdir(os.path.join(folder, "study/runs"))), 2)
        self.assertTrue(os.access(os.path.join(PREFIX, "share/tensorloom/python/tensorloom/study/profiles/slurm/slurm-status"),
                                  os.X_OK))

    def test_no_file_knows_where_it_was_built(self):
        for name in sorted(files_below(PREFIX)):
            if name.startswith("lib/") and not name.endswith((".a", ".so")):  # verilated code knows its files
                with open(os.path.join(PREFIX, name), encoding="utf-8") as file:
                    text = file.read()
                for place in (SOURCE, BUILD, PREFIX):
                    self.assertNotIn(place, text, name)

    def test_holds_one_configuration(self):
        targets = [name for name in files_below(os.path.join(PREFIX, "lib/cmake/TensorLoom"))
                   if name.startswith("TensorLoomTargets-")]
        self.assertEqual(targets, [f"TensorLoomTargets-{CONFIG.lower()}.cmake"])
