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
#include <tensorloom/models/isa/program/program.h>
#include "fuzz/device_input.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
namespace fs = std::filesystem;

const fs::path corpora = TENSORLOOM_CORPORA;

std::vector<std::uint8_t> bytes_of(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(fuzz_corpora, there_is_one_for_every_target_and_a_megabyte_in_all)
{
    std::uintmax_t bytes = 0;
    for (const char* target : {"yaml", "asm", "npy", "mtx", "desc", "device"}) {
        unsigned files = 0;
        for (const auto& entry : fs::directory_iterator(corpora / target)) {
            bytes += entry.file_size();
            ++files;
        }
        EXPECT_GE(files, 10u) << target;
    }
    EXPECT_LE(bytes, 1'000'000u);
}

TEST(fuzz_corpora, every_opcode_of_every_device_has_a_seed)
{
    std::set<std::pair<unsigned, unsigned>> found; // device, opcode
    for (const auto& entry : fs::directory_iterator(corpora / "device")) {
        const auto bytes = bytes_of(entry.path());
        const auto input = device_input::decode(bytes.data(), bytes.size());
        if (input.program.size() < isa::program_header::encoded_bytes) { continue; }
        for (const auto& c : isa::program_commands(input.program)) {
            if (c.is_whole()) { found.insert({input.device, c.header.opcode}); }
        }
    }
    for (unsigned d = 0; d < fuzzed_devices().size(); ++d) {
        for (const auto& commands : {isa::shell_command_descriptions(), fuzzed_devices()[d]->commands}) {
            for (const auto& c : commands) {
                EXPECT_EQ(found.count({d, c.opcode.value}), 1u) << fuzzed_devices()[d]->name << " " << c.opcode.name;
            }
        }
    }
}

} // namespace
