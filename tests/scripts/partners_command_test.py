#!/usr/bin/env python3
"""scripts/partners as a command: where it finds the TLM examples, what it downloads, and what it says when it cannot.

apt-get and dpkg-deb are stand-ins: the package of the test is a folder.
"""
import gzip
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts", "partners")
EXAMPLES = "usr/share/doc/libsystemc/examples/tlm"
with open(os.path.join(ROOT, "tests/conformance/partners/sources.txt"), encoding="utf-8") as listed:
    SOURCES = listed.read().split()

APT_GET = """#!/bin/bash
echo "apt-get $*" >> "$CALLS"
[ "$1" != update ] || { touch "$LISTS"; exit 0; }
[ -e "$LISTS" ] || { echo "E: Unable to locate package libsystemc-doc"; exit 100; }
touch libsystemc-doc_1_all.deb
"""
DPKG_DEB = """#!/bin/bash
echo "dpkg-deb $1" >> "$CALLS"
cp -r "$PACKAGE/." "$3"
"""
SUDO = '#!/bin/bash\nexec "$@"\n'


def write_examples(folder, without=(), compressed=()):
    for name in SOURCES:
        if name in without:
            continue
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if name in compressed:
            with gzip.open(path + ".gz", "wt") as file:
                file.write(name)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(name)


class PartnersCommandTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.installed = os.path.join(scratch.name, "installed")
        self.into = os.path.join(scratch.name, "build", "partners")
        self.package = os.path.join(scratch.name, "package")
        self.calls = os.path.join(scratch.name, "calls")
        self.lists = os.path.join(scratch.name, "lists")
        tools = os.path.join(scratch.name, "tools")
        os.makedirs(self.package)
        os.makedirs(tools)
        for name, text in (("apt-get", APT_GET), ("dpkg-deb", DPKG_DEB), ("sudo", SUDO)):
            path = os.path.join(tools, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)
        with open(self.lists, "w", encoding="utf-8"):
            pass
        self.environment = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], CALLS=self.calls, LISTS=self.lists,
                                PACKAGE=self.package)

    def run_script(self, *options):
        options = options or ("--installed", self.installed, "--into", self.into)
        return subprocess.run([SCRIPT, *options], env=self.environment, capture_output=True, text=True, check=False)

    def called(self):
        if not os.path.exists(self.calls):
            return []
        with open(self.calls, encoding="utf-8") as file:
            return file.read().splitlines()

    def unpacked(self):
        return os.path.join(self.into, EXAMPLES)

    def test_installed_examples_are_used_where_they_are(self):
        write_examples(self.installed)
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout), (0, self.installed + "\n"))
        self.assertEqual(self.called(), [])

    def test_incomplete_examples_are_replaced_by_the_package(self):
        write_examples(self.installed, without=SOURCES[-1:])
        write_examples(os.path.join(self.package, EXAMPLES))
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout), (0, self.unpacked() + "\n"))
        for name in SOURCES:
            with open(os.path.join(self.unpacked(), name), encoding="utf-8") as file:
                self.assertEqual(file.read(), name)
        self.assertEqual(os.listdir(os.path.dirname(self.into)), ["partners"])

    def test_unpacked_examples_are_not_downloaded_again(self):
        write_examples(self.unpacked())
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout), (0, self.unpacked() + "\n"))
        self.assertEqual(self.called(), [])

    def test_compressed_files_are_decompressed(self):
        write_examples(os.path.join(self.package, EXAMPLES), compressed=SOURCES[:3])
        self.assertEqual(self.run_script().returncode, 0)
        for name in SOURCES[:3]:
            with open(os.path.join(self.unpacked(), name), encoding="utf-8") as file:
                self.assertEqual(file.read(), name)

    def test_missing_package_lists_are_read_first(self):
        os.remove(self.lists)
        write_examples(os.path.join(self.package, EXAMPLES))
        self.assertEqual(self.run_script().returncode, 0)
        self.assertEqual([call.split()[1] for call in self.called()], ["download", "update", "download", "--extract"])

    def test_failure_is_one_clear_line(self):
        for program, text, said in (("apt-get", "#!/bin/bash\necho 'E: no network'\nexit 100\n", "E: no network"),
                                    ("dpkg-deb", "#!/bin/bash\necho 'broken archive'\nexit 2\n", "broken archive")):
            with self.subTest(program):
                path = os.path.join(self.environment["PATH"].split(":")[0], program)
                with open(path, encoding="utf-8") as file:
                    usual = file.read()
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                self.expect_failure(said)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(usual)

    def test_package_without_a_file_is_a_failure_that_names_it(self):
        write_examples(os.path.join(self.package, EXAMPLES), without=SOURCES[5:6])
        self.expect_failure(SOURCES[5] + " is not in the package")

    def expect_failure(self, said):
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        errors = [line for line in result.stderr.splitlines() if "downloading" not in line]
        self.assertEqual(len(errors), 1, errors)
        self.assertIn("no TLM examples", errors[0])
        self.assertIn(said, errors[0])
        self.assertEqual(os.listdir(os.path.dirname(self.into)), [])

    def test_wrong_use(self):
        for options in (["--into"], ["--into", ""], ["--frobnicate"]):
            with self.subTest(options):
                result = self.run_script(*options)
                self.assertEqual(result.returncode, 2)
                self.assertIn("partners: ", result.stderr)


if __name__ == "__main__":
    unittest.main()
