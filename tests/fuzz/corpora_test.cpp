// What the corpora are worth: they hold every command of every device, and little else.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/program/program.h>
#include "fuzz/device_input.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
namespace fs = std::filesystem;

const fs::path found = TENSORLOOM_FUZZ_FOUND, seeds = TENSORLOOM_FUZZ_SEEDS; // folders with one folder per target

std::vector<std::uint8_t> bytes_of(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_of(const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) { files.push_back(entry.path()); }
    return files;
}

TEST(fuzz_corpora, there_is_one_for_every_target_and_little_more_than_a_megabyte_in_all)
{
    std::uintmax_t bytes = 0;
    for (const char* target : {"yaml", "asm", "npy", "mtx", "desc", "device"}) {
        const auto files = files_of(found / target);
        EXPECT_GE(files.size(), 10u) << target;
        for (const auto& f : files) { bytes += fs::file_size(f); }
        if (!fs::exists(seeds / target)) { continue; }
        for (const auto& f : files_of(seeds / target)) { bytes += fs::file_size(f); }
    }
    EXPECT_LE(bytes, 1'400'000u);
}

TEST(fuzz_corpora, every_opcode_of_every_device_has_a_seed)
{
    std::set<std::pair<std::string, unsigned>> opcodes; // by name of the device
    for (const auto& path : files_of(seeds / "device")) {
        const auto bytes = bytes_of(path);
        const auto input = device_input::decode(bytes.data(), bytes.size());
        ASSERT_TRUE(input) << path;
        if (input->program.size() < isa::program_header::encoded_bytes) { continue; }
        for (const auto& c : isa::program_commands(input->program)) {
            if (c.is_whole()) { opcodes.insert({input->device, c.header.opcode}); }
        }
    }
    for (const auto* device : isa::described_devices()) {
        for (const auto& commands : {isa::shell_command_descriptions(), device->commands}) {
            for (const auto& c : commands) {
                EXPECT_EQ(opcodes.count({device->name, c.opcode.value}), 1u) << device->name << " " << c.opcode.name;
            }
        }
    }
}

TEST(fuzz_corpora, inputs_name_devices_that_there_are)
{
    for (const auto& folder : {found / "device", seeds / "device", found / "asm", seeds / "asm"}) {
        for (const auto& path : files_of(folder)) {
            const auto bytes = bytes_of(path);
            const auto input = device_input::decode(bytes.data(), bytes.size());
            EXPECT_TRUE(bytes.empty() || (input && isa::find_described_device(input->device) != nullptr)) << path;
        }
    }
}

} // namespace
