"""add_subdirectory and FetchContent: the sources as part of another project"""
import json
import os

from consumer import CXX, CXX_FLAGS, GENERATOR, PREFIX, SOURCE, Consumer

COSTS_PROGRAM = """
#include <cstdio>
#include <tensorloom/models/costs/technology.h>
int main() { std::puts(tensorloom::costs::load_technology("45nm").process().c_str()); }
"""

LEAKS = """
if(DEFINED CMAKE_CXX_STANDARD OR DEFINED CMAKE_CXX_EXTENSIONS OR CMAKE_BUILD_TYPE OR DEFINED CMAKE_RUNTIME_OUTPUT_DIRECTORY
   OR CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_EXPORT_COMPILE_COMMANDS OR NOT CMAKE_CXX_FLAGS STREQUAL flags_before)
    message(FATAL_ERROR "a setting of the project leaks into the project around it")
endif()
foreach(name dxt tlm_bus tensorloom_platform)
    if(TARGET ${name})
        message(FATAL_ERROR "${name} is there")
    endif()
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/own.cpp "int main() {}\\n")
add_executable(own ${CMAKE_CURRENT_BINARY_DIR}/own.cpp)
set_target_properties(own PROPERTIES EXPORT_COMPILE_COMMANDS ON)
"""


class Subdirectory(Consumer):
    def setUp(self):
        super().setUp()
        os.symlink(SOURCE, self.path("tensorloom"))

    # What the platform links has been built once: to build it all again here would show nothing new. So its object,
    # which is compiled as the sources ask for it, runs with the libraries of the installation.
    def test_platform_of_the_page_runs_and_needs_no_more_than_it_links(self):
        self.write_platform("add_subdirectory")
        self.succeeds(self.cmake_line())
        compiled = "CMakeFiles/platform.dir/platform.cpp.o" if GENERATOR == "Ninja" else "platform.cpp.o"
        self.succeeds(["cmake", "--build", "build", "--target", compiled])
        # Ninja's dry run ends at the check of globbed directories, which comes before every build.
        dry_run = ["-t", "commands", "platform"] if GENERATOR == "Ninja" else ["-n"]
        steps = self.succeeds(["cmake", "--build", "build", "--", *dry_run])
        for name in ("tensorloom_triada", "tensorloom_memory", "tensorloom_tlm"):
            self.assertIn(name, steps)
        for name in ("tensorloom_workloads", "tensorloom_mmv", "tensorloom_platform", "cmake_pch"):
            self.assertNotIn(name, steps, "EXCLUDE_FROM_ALL: what nobody needs is not built")
        self.succeeds(f"{CXX} {CXX_FLAGS} -o platform $(find build -name platform.cpp.o) $(pkg-config --libs tensorloom)",
                      PKG_CONFIG_PATH=os.path.join(PREFIX, "lib/pkgconfig"))
        self.check_platform(self.succeeds("./platform"))

    def test_program_with_a_library_builds_and_runs(self):
        self.write("costs.cpp", COSTS_PROGRAM)
        self.write_project("add_subdirectory(tensorloom EXCLUDE_FROM_ALL)\n"
                           "add_executable(platform costs.cpp)\n"
                           "target_link_libraries(platform PRIVATE TensorLoom::costs)\n")
        self.succeeds(self.cmake_line("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"))  # cheap to compile
        self.succeeds(self.build_line("--parallel", "2"))
        self.assertEqual(self.succeeds(["build/platform"]), "45 nm, 0.9 V\n")

    def check_configured(self):
        self.succeeds(self.cmake_line())
        with open(self.path("build/compile_commands.json"), encoding="utf-8") as file:
            commands = json.load(file)
        own = [entry["command"] for entry in commands if entry["file"].endswith("/own.cpp")]
        self.assertEqual(len(own), 1)
        for flag in ("-std=", "-ffp-contract", "-Wall", "tensorloom"):
            self.assertNotIn(flag, own[0].replace(self.directory, ""))
        self.assertIn("No tests were found", self.succeeds(["ctest", "--test-dir", "build"]))
        self.assertEqual(self.succeeds(["cmake", "--install", "build", "--prefix", self.path("prefix")]).count("Installing"), 0)

    def test_changes_nothing_in_the_project_around_it(self):
        self.write_project("set(flags_before \"${CMAKE_CXX_FLAGS}\")\nadd_subdirectory(tensorloom)\n" + LEAKS)
        self.check_configured()

    def test_fetched_content_changes_nothing_either(self):
        self.write_project("set(flags_before \"${CMAKE_CXX_FLAGS}\")\n"
                           "include(FetchContent)\n"
                           "FetchContent_Declare(tensorloom SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/tensorloom)\n"
                           "FetchContent_MakeAvailable(tensorloom)\n"
                           "if(NOT TARGET TensorLoom::triada)\n  message(FATAL_ERROR \"no TensorLoom::triada\")\nendif()\n" + LEAKS)
        self.check_configured()
