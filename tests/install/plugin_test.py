"""The plug-in: a host that knows one header of ours loads it, and makes and uses modules by name."""
import os
import shutil
import subprocess
import tempfile

from consumer import CXX, CXX_FLAGS, PREFIX, SOURCE, Consumer

PLUGIN = os.path.join(PREFIX, "lib/tensorloom/tensorloom_plugin.so")
SUMS = """
.device mmv
load tensor=0x1000:int64:4x16
load tensor=0x2000:int64:16x16 local=0x20000
loop count=4
    matmul result=0x30000 left=0x0 weights=0x20000 weights_stride=16 words=16 left_columns=16 result_columns=16 left_step=128,0 result_step=128,0
end
store tensor=0x4000:int64:4x16 local=0x30000
"""


class Plugin(Consumer):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="plugin-host-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # The one header, so that nothing else can be included.
        header = "tensorloom/models/plugin/tensorloom_plugin.h"
        os.makedirs(os.path.dirname(os.path.join(cls.folder, header)))
        shutil.copy(os.path.join(PREFIX, "include", header), os.path.join(cls.folder, header))
        subprocess.run(f"{CXX} {CXX_FLAGS} -std=c++17 -Wall -Wextra -Werror -I. {SOURCE}/tests/install/plugin_host.cpp -o host "
                       "$(pkg-config --cflags --libs systemc) -ldl", shell=True, cwd=cls.folder, check=True)

    def host(self, *arguments):
        return self.succeeds([os.path.join(self.folder, "host"), PLUGIN, *arguments])

    def tried(self, *arguments):
        """The line for each (kind, name, properties)."""
        words = [word for one in arguments for word in one]
        return self.host("--try", *words).splitlines()

    def test_device_made_by_name_runs_a_program_and_is_destroyed(self):
        self.write("sums.asm", SUMS)
        self.succeeds([os.path.join(PREFIX, "bin/tensorloom-asm"), "sums.asm", "-o", "sums.bin"])
        said = self.host("sums.bin").splitlines()
        expected = []
        for row in range(4):
            squares = [i * i for i in range(16 * row, 16 * row + 16)]
            expected += [sum(squares[:i + 1]) for i in range(16)]
        self.assertEqual([[int(word) for word in line.split()] for line in said], [expected])

    def test_every_kind_is_made_several_times(self):
        kinds = ("triada", "mmv", "fetta", "torus", "sram", "dram")
        self.assertEqual(self.tried(*((kind, f"{kind}_{i}", "") for kind in kinds for i in range(2))), 12 * ["made"])

    def test_bus_width_is_a_property(self):
        self.assertEqual(self.tried(("torus", "wide", "bus-width=512 side=2\n block=4x4x4"), ("dram", "m", "bus_width=64")),
                         2 * ["made"])

    def test_what_is_wrong_is_one_line(self):
        lines = self.tried(("gpu", "a", ""), ("triada", "b", "mush=4x4x4"), ("triada", "c", "mesh=0x4x4"),
                           ("mmv", "d", "lanes"), ("mmv", "e", "banks=4096 scratchpad-bytes=1024"), ("mmv", "f", ""),
                           ("mmv", "f", ""), ("mmv", "", ""), ("sram", "g", "bus-width=48"))
        self.assertEqual(lines[0], "kind: found 'gpu', expected one of triada, mmv, fetta, torus, sram, dram")
        self.assertTrue(lines[1].startswith("b: no field 'mush', expected one of mesh, format, "), lines[1])
        self.assertEqual(lines[2], "c: mesh is '0x4x4', expected three sizes from 1 to 1024, like 4x5x6")
        self.assertEqual(lines[3], "d: found 'lanes', expected NAME=VALUE")
        self.assertEqual(lines[4], "e: scratchpad banks: 4096, expected at most the 128 words of the scratchpad")
        self.assertEqual(lines[5], "made")
        self.assertEqual(lines[6], "f: found a name in use, expected another one")
        self.assertEqual(lines[7], "expected a kind and a name")
        self.assertEqual(lines[8], "g: bus-width is '48', expected one of 32, 64, 128, 256, 512")
        self.assertEqual(len(lines), 9)

    def test_order_of_properties_does_not_matter(self):
        self.assertEqual(self.tried(("mmv", "a", "in-words=40 side=64"), ("dram", "b", "page=closed dram=ddr4-3200")),
                         2 * ["made"])

    def test_name_that_systemc_would_change_is_refused(self):
        self.assertEqual(self.tried(("sram", "a.b", ""), ("sram", "a b", "")),
                         [f"name: found '{name}', expected one without dots and blanks" for name in ("a.b", "a b")])

    def test_fields_of_a_kind_are_listed(self):
        said = self.host("--fields", "triada")
        self.assertIn("mesh\t32x32x32\tthree sizes from 1 to 1024, like 4x5x6\tCells of the mesh", said)
        self.assertIn("no such kind", self.host("--fields", "gpu"))

    def test_exports_its_entry_alone(self):
        symbols = self.succeeds(f"nm -D --defined-only {PLUGIN}").splitlines()
        self.assertEqual([line.split()[-1] for line in symbols], ["tensorloom_plugin_entry"])  # weak ones, too

    def test_is_named_by_pkg_config_and_cmake(self):
        folder = os.path.join(PREFIX, "lib/pkgconfig")
        said = self.succeeds("pkg-config --variable=plugin tensorloom", PKG_CONFIG_PATH=folder).strip()
        self.assertTrue(os.path.samefile(said, PLUGIN), said)
        self.write_project("find_package(TensorLoom REQUIRED COMPONENTS base)\n"
                           'message(STATUS "plug-in: ${TensorLoom_PLUGIN}")\n')
        said = self.succeeds(self.cmake_line())
        self.assertIn(f"plug-in: {PLUGIN}", said)
