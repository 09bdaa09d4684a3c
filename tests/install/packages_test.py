"""scripts/package: what its packages contain, and that they work where nothing else of the project is.

Outside the usual tests (scripts/test --label packages): it builds everything, and reads packages of the distribution.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

import integration_page
from consumer import SOURCE, walsh_hadamard

NOBODY = 65534
DEVICES = ("TriADA", "orbital torus", "MMU/VCU pair", "FETTA")
TOOLS = {"tensorloom-asm", "tensorloom-modules", "tensorloom-registers"}
COMMANDS = {"tensorloom", "tensorloom-plot", "tensorloom-report", "tensorloom-study", "tensorloom-energy"}
BUNDLED = {"libsystemc", "libyaml-cpp", "libboost_program_options", "libboost_iostreams"}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def programs():
    """Those of all testbenches, by their manifests, and the tools."""
    found = set(TOOLS)
    for path in glob.glob(os.path.join(SOURCE, "testbenches/*/testbench.json")):
        with open(path, encoding="utf-8") as file:
            found.update(json.load(file)["programs"])
    return found


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False,
                          **{"env": {"PATH": PATH, "LC_ALL": "C.UTF-8"}, **options})
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tensorloom-packages-")
        os.chmod(cls.folder, 0o755)
        for kind in ("deb", "wheel", "tar"):
            run(os.path.join(SOURCE, "scripts/package"), kind, "--out", os.path.join(cls.folder, "made"), env=os.environ)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def made(self, pattern):
        path, = glob.glob(os.path.join(self.folder, "made", pattern))
        return path

    def debs(self):
        return sorted(glob.glob(os.path.join(self.folder, "made/*.deb")))

    def check_demo(self, printed):
        lines = printed.splitlines()
        self.assertEqual([line[:len(name)] for line, name in zip(lines, DEVICES)], list(DEVICES), printed)
        self.assertLess(float(re.search(r"has the pictures; ([\d.]+) s\.", lines[-1])[1]), 30)

    def test_nothing_else_is_made(self):
        self.assertEqual(len(os.listdir(os.path.join(self.folder, "made"))), 5)

    def test_lintian_finds_no_errors(self):
        run("lintian", "--fail-on", "error", *self.debs())

    def test_debs_share_no_file_and_need_what_they_use(self):
        files = {}
        for deb in self.debs():
            for line in run("dpkg-deb", "--contents", deb).splitlines():
                path = line.split()[5]
                if not path.endswith("/"):
                    self.assertNotIn(path, files)
                    files[path] = os.path.basename(deb).split("_")[0]
        self.assertEqual({os.path.basename(path) for path, package in files.items() if path.startswith("./usr/bin/")},
                         programs() | COMMANDS)
        self.assertEqual({package for path, package in files.items() if path.endswith((".h", ".a", ".cmake", ".pc"))}, {"tensorloom-dev"})
        self.assertEqual({package for path, package in files.items() if re.search(r"/docs/\w+\.md$", path)}, {"tensorloom-doc"})
        needed = run("dpkg-deb", "--field", self.made("tensorloom_*.deb"), "Depends")
        for package in ("libsystemc", "libyaml-cpp0.7", "libc6", "python3-numpy"):
            self.assertIn(package, needed)

    def test_debs_work_in_a_root_of_their_dependencies(self):
        root = os.path.join(self.folder, "root")
        needed = set()
        for deb in self.debs():
            told = subprocess.run(["dpkg-deb", "--field", deb, "Depends"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
            needed |= {re.sub(r" *\(.*", "", one).strip() for one in told.split(",") if one.strip()}
        with open("/etc/os-release", encoding="utf-8") as file:
            suite = re.search(r"VERSION_CODENAME=(\w+)", file.read())[1]
        include = sorted({name for name in needed if not name.startswith("tensorloom")} | {"g++", "pkg-config"})
        run("mmdebstrap", "--variant=minbase", "--include=" + ",".join(include), suite, root, env=os.environ)
        os.makedirs(os.path.join(root, "debs"))
        for deb in self.debs():
            shutil.copy(deb, os.path.join(root, "debs"))
        inside = ("chroot", root)
        run(*inside, "sh", "-c", "dpkg -i /debs/*.deb")
        self.check_demo(run(*inside, "tensorloom", "demo", "--out", "/tmp/demo"))
        self.assertTrue(os.path.getsize(os.path.join(root, "tmp/demo/report.html")) > 100_000)
        self.assertEqual(run(*inside, "/usr/bin/python3", "-c", "import tensorloom as tl; print(tl.find_program('dxt'))"), "/usr/bin/dxt\n")
        run(*inside, "dxt", "--shape", "4x4x4", "--quiet", "--technology", "/usr/share/tensorloom/technologies/45nm.yaml")
        with open(os.path.join(root, "tmp/platform.cpp"), "w", encoding="utf-8") as file:
            file.write(integration_page.platform())
        line = integration_page.block("sh", "g++")
        self.assertIn(" ".join(f"{value:g}" for value in walsh_hadamard([1, 2, 3, 4, 5, 6, 7, 8])), run(*inside, "sh", "-c", "cd /tmp && " + line))
        run(*inside, "sh", "-c", "dpkg --purge tensorloom tensorloom-dev tensorloom-doc")
        self.assertFalse(os.path.exists(os.path.join(root, "usr/share/tensorloom")))

    def test_wheel_has_its_libraries_and_their_licences(self):
        path = self.made("*.whl")
        self.assertRegex(os.path.basename(path), r"^tensorloom-[\d.]+-py3-none-manylinux_\d+_\d+_\w+\.whl$")
        with zipfile.ZipFile(path) as wheel:
            self.assertIsNone(wheel.testzip())
            names = wheel.namelist()
            records = wheel.read(next(name for name in names if name.endswith("/RECORD"))).decode().splitlines()
        self.assertEqual([line.split(",")[0] for line in records], names)
        self.assertEqual({os.path.basename(name) for name in names if name.startswith("tensorloom/prefix/bin/")}, programs())
        libraries = {os.path.basename(name).split(".so")[0].split("-2")[0] for name in names if name.startswith("tensorloom/prefix/lib/")}
        self.assertLessEqual(BUNDLED, libraries)
        self.assertTrue(any(name.endswith("licences/libsystemc") for name in names))
        self.assertFalse({name for name in names if "libstdc++" in name or "libc.so" in name})

    def test_wheel_installs_without_root_and_runs_with_its_own_libraries(self):
        home = os.path.join(self.folder, "home")
        os.makedirs(home)
        os.chown(home, NOBODY, NOBODY)
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": home, "env": {"PATH": PATH, "HOME": home, "LC_ALL": "C.UTF-8"}}
        run("/usr/bin/python3", "-m", "venv", "--system-site-packages", "place", **as_nobody)
        run("place/bin/pip", "install", "--no-index", "--no-deps", self.made("*.whl"), **as_nobody)
        self.check_demo(run("place/bin/tensorloom", "demo", **as_nobody))
        program = run("place/bin/python", "-c", "import tensorloom as tl; print(tl.find_program('dxt'))", **as_nobody).strip()
        self.assertTrue(os.path.realpath(program).startswith(os.path.realpath(home)))
        found = dict(re.findall(r"(\S+) => (\S+)", run("ldd", program)))
        for library, place in found.items():
            ours = any(library.startswith(name) for name in BUNDLED)
            self.assertEqual(os.path.realpath(place).startswith(os.path.realpath(home)), ours or not library.startswith(
                ("libc.", "libm.", "libstdc++", "libgcc_s", "ld-linux")), (library, place))
        models = run("place/bin/python", "-c", "from tensorloom.option_keys import shipped_models; print(*shipped_models())", **as_nobody)
        self.assertIn("digits-ttm", models.split())

    def test_archive_works_where_it_is_unpacked_and_moved(self):
        place = os.path.join(self.folder, "unpacked")
        with tarfile.open(self.made("*.tar.gz")) as archive:
            archive.extractall(place)
        top, = os.listdir(place)
        self.check_demo(run(os.path.join(place, top, "bin/tensorloom"), "demo", "--out", os.path.join(place, "one")))
        os.rename(os.path.join(place, top), os.path.join(place, "a place"))
        self.check_demo(run(os.path.join(place, "a place/bin/tensorloom"), "demo", "--out", os.path.join(place, "two")))
        self.assertIn("a place", run("ldd", os.path.join(place, "a place/bin/dxt")))
        self.assertTrue(os.path.isfile(os.path.join(place, "a place/include/tensorloom/models/triada/device.h")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
