// What is wrong with a configuration is said in a line, and is an SC_ERROR of the device.
#include <functional>
#include <ostream>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/mmv/device.h>
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

struct wrong_setting {
    const char* name;
    std::function<void(mmv::config&)> set;
    const char* error;
};
void PrintTo(const wrong_setting& w, std::ostream* out) { *out << w.name; }

const wrong_setting wrong_settings[] = {
    {"side", [](auto& c) { c.side = 1; }, "array side: 1, expected 2 to 1024"},
    {"format", [](auto& c) { c.format = base::element_type::c64; }, "unknown element format"},
    {"in_words", [](auto& c) { c.in_words = 17; }, "words per cycle into the array: 17, expected 0 to 16"},
    {"out_words", [](auto& c) { c.out_words = 17; }, "words per cycle out of the array: 17, expected 0 to 16"},
    {"pipeline_depth", [](auto& c) { c.pipeline_depth = 65; },
     "cycles of a multiply-add in the array: 65, expected 1 to 64"},
    {"call_latency", [](auto& c) { c.call_latency = (1u << 20) + 1; }, "call latency: 1048577, expected 0 to 1048576"},
    {"lanes", [](auto& c) { c.lanes = 0; }, "vector lanes: 0, expected 1 to 65536"},
    {"word_bits", [](auto& c) { c.word_bits = 129; }, "word bits of the model: 129, expected 0 to 128"},
    {"scalar_ops", [](auto& c) { c.scalar_ops = 0; }, "scalar operations per cycle: 0, expected 1 to 1024"},
    {"scratchpad_size", [](auto& c) { c.scratchpad_bytes = std::uint64_t{1} << 32; },
     "scratchpad bytes: 4294967296, expected 1024 to 4294966272"},
    {"scratchpad_multiple", [](auto& c) { c.scratchpad_bytes = 1600; },
     "scratchpad bytes: 1600, expected a multiple of 1024"},
    {"more_banks_than_words",
     [](auto& c) {
         c.format = base::element_type::c128;
         c.scratchpad_bytes = 2048;
         c.banks = 256;
     },
     "scratchpad banks: 256, expected at most the 128 words of the scratchpad"},
    {"banks", [](auto& c) { c.banks = 48; }, "scratchpad banks: 48, expected a power of two"},
    {"vector_costs", [](auto& c) { c.vector_costs[instruction_index(isa::vector::opcode::add)].cycles_per_group = 0; },
     "vector cost of add: depth 2 and 0 cycles per group, expected at most 1000000, and at least 1 cycle per group"},
};

class mmv_config : public ::testing::TestWithParam<wrong_setting> {};

TEST_P(mmv_config, complaint_names_what_was_found_and_what_was_expected)
{
    mmv::config c;
    EXPECT_EQ(mmv::validate(c), std::nullopt);
    GetParam().set(c);
    EXPECT_EQ(mmv::validate(c), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(settings, mmv_config, ::testing::ValuesIn(wrong_settings),
                         [](const auto& of) { return std::string(of.param.name); });

class mmv_config_error : public sim_test {};

TEST_F(mmv_config_error, device_with_a_complaint_is_an_error)
{
    mmv::config c;
    c.burst_bytes = 3;
    expected_report report("/tensorloom/mmv/config");
    EXPECT_THROW(mmv::device<32>("device", c), sc_core::sc_report);
    EXPECT_EQ(report.count(), 1u);
}

// Two of them below one module.
struct cluster : sc_core::sc_module {
    cluster(sc_core::sc_module_name name, const mmv::config& first, const mmv::config& second)
        : sc_core::sc_module(name), left("left", first), right("right", second)
    {}

    mmv::device<32> left, right;
};

TEST_F(mmv_config_error, complaint_names_the_device_and_no_path_of_the_build)
{
    mmv::config wrong;
    wrong.burst_bytes = 3;
    expected_report report("/tensorloom/mmv/config");
    try {
        cluster two("cluster", {}, wrong);
        ADD_FAILURE() << "taken";
    } catch (const sc_core::sc_report& refused) {
        EXPECT_STREQ(refused.get_msg(),
                     "cluster.right: DMA burst of 3 bytes, expected a power of two from 4 to 1048576");
        EXPECT_STREQ(refused.get_file_name(), "cluster.right");
        const std::string shown = refused.what();
        EXPECT_EQ(shown.find('/', shown.find("cluster.right")), std::string::npos) << shown;
        EXPECT_EQ(shown.find(".cpp"), std::string::npos) << shown;
    }
}

} // namespace
