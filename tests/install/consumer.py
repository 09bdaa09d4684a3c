"""A project outside the tree that uses an installed TensorLoom, or its sources."""
import os
import shutil
import subprocess
import unittest

import integration_page

SOURCE = os.environ["TENSORLOOM_SOURCE"]
BUILD = os.environ["TENSORLOOM_BUILD"]
CONFIG = os.environ["TENSORLOOM_CONFIG"]  # Release, Debug, ...
PREFIX = os.environ["TENSORLOOM_PREFIX"]  # where the fixture has installed
CXX = os.environ["TENSORLOOM_CXX"]
CXX_FLAGS = os.environ["TENSORLOOM_CXX_FLAGS"]  # of the libraries: coverage must be linked, too
GENERATOR = os.environ["TENSORLOOM_GENERATOR"]


def walsh_hadamard(x):
    """The 3D transform of 2 x 2 x 2 values, last index fastest: a direct sum over all elements."""
    def sign(k, n):
        return -1 if bin(k & n).count("1") % 2 else 1
    return [sum(sign(k, n) * x[n] for n in range(8)) for k in range(8)]


class Consumer(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # The same folder every time, so that a compiler cache knows it.
        self.directory = os.path.join(os.environ["TENSORLOOM_SCRATCH"], self.id())
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        self.addCleanup(shutil.rmtree, self.directory)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    # ---- commands

    def run_command(self, command, **environment):
        """Runs a list of words, or a line of a shell, in the consumer's directory."""
        clean = {name: value for name, value in os.environ.items() if name not in ("DESTDIR", "CXXFLAGS", "LDFLAGS")}
        return subprocess.run(command, shell=isinstance(command, str), cwd=self.directory, env={**clean, **environment},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              encoding="utf-8", timeout=900)

    def succeeds(self, command, **environment):
        done = self.run_command(command, **environment)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        return done.stdout

    def fails(self, command, *words, **environment):
        """With all these words in what it says, wherever the lines break."""
        done = self.run_command(command, **environment)
        self.assertNotEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        said = " ".join(done.stdout.split())
        for word in words:
            self.assertIn(word, said, command)
        return said

    def cmake_line(self, *options, prefix=PREFIX):
        return ["cmake", "-S", ".", "-B", "build", "-G", GENERATOR, f"-DCMAKE_CXX_COMPILER={CXX}",
                f"-DCMAKE_CXX_FLAGS={CXX_FLAGS}", f"-DCMAKE_PREFIX_PATH={prefix}", *options]

    def build_line(self, *options):
        return ["cmake", "--build", "build", "--target", "platform", *options]

    # ---- projects

    def write_project(self, lines):
        """A project of these lines, which configures and builds nothing else."""
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(consumer LANGUAGES CXX)\n" + lines)

    def write_platform(self, mark):
        """The platform of the page, with the page's build file that has `mark` in it."""
        self.write("platform.cpp", integration_page.platform())
        self.write("CMakeLists.txt", integration_page.block("cmake", mark))

    def check_platform(self, output):
        """The page says what the program prints, and that is the transform."""
        result = output.splitlines()[-1].strip()
        self.assertEqual(result, integration_page.printed())
        self.assertEqual([float(value) for value in result.split()], walsh_hadamard([1, 2, 3, 4, 5, 6, 7, 8]))
