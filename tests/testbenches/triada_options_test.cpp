#include "platform/triada/triada_options.h"
#include <sstream>
#include <gtest/gtest.h>
#include "platform/run/transform_options.h"
#include "platform/triada/line_time.h"
#include "testbenches/input_error_of.h"

namespace tensorloom::testbench {
namespace {

const std::vector<base::element_type> formats{base::element_type::f64, base::element_type::c64,
                                              base::element_type::bf16};

option_values parsed(std::vector<const char*> arguments)
{
    option_table table("program", "for the test");
    add_format_option(table, formats, "f64");
    add_gemt_options(table);
    add_triada_options(table);
    add_common_options(table);
    arguments.insert(arguments.begin(), "program");
    std::ostringstream out;
    return *table.parse(static_cast<int>(arguments.size()), arguments.data(), out);
}

TEST(triada_options_test, a_step_is_two_cycles_longer_than_a_multiply_add_unless_given)
{
    EXPECT_EQ(read_triada_options(parsed({"--mac-latency", "4"})).config.step_cycles, 6u);
    EXPECT_EQ(read_triada_options(parsed({"--mac-latency", "4", "--step-cycles", "4"})).config.step_cycles, 4u);
    EXPECT_EQ(read_triada_options(parsed({"--step-cycles", "1"})).config.step_cycles, 1u);
    EXPECT_EQ(input_error_of([] {
                  read_triada_options(parsed({"--mac-latency", "4", "--step-cycles", "3"}));
              }),
              "--step-cycles is '3', expected at least the 4 of --mac-latency");
}

TEST(line_time_test, a_wire_takes_as_long_as_it_is)
{
    EXPECT_EQ(wire_cycles(30'000, 0), 1u);
    EXPECT_EQ(wire_cycles(30'000, 10), 3u);
    EXPECT_EQ(wire_cycles(30'001, 10), 4u);
    EXPECT_EQ(wire_cycles(3, 10), 1u);
    EXPECT_EQ(wire_cycles(0, 10), 1u);
    EXPECT_EQ(time_step_cycles(30'000, 0), 3u);
    EXPECT_EQ(time_step_cycles(30'000, 10), 7u);
    EXPECT_EQ(time_step_cycles(30'000, 10, 4), 10u);
}

TEST(triada_options_test, defaults_are_those_of_the_device)
{
    const auto values = parsed({});
    const auto device =
        device_config(read_triada_options(values), read_common_options(values), {2, 3, 4}, base::element_type::f32);
    const triada::config expected;
    EXPECT_EQ(device.mesh, (triada::shape3{2, 3, 4}));
    EXPECT_EQ(device.format, base::element_type::f32);
    EXPECT_EQ(device.fidelity, expected.fidelity);
    EXPECT_EQ(device.step_cycles, expected.step_cycles);
    EXPECT_EQ(device.load_elements, expected.load_elements);
    EXPECT_EQ(device.look_ahead, 0u);
    EXPECT_TRUE(device.port_aligner);
    EXPECT_EQ(device.line_extent, expected.line_extent);
    EXPECT_EQ(device.matrix_elements, expected.matrix_elements);
    EXPECT_EQ(device.threads, expected.threads);
    EXPECT_EQ(device.burst_bytes, expected.burst_bytes);
    EXPECT_EQ(device.clock_period, expected.clock_period);
    EXPECT_FALSE(triada::validate(device));
    const gemt_settings gemt = read_gemt_settings(values);
    EXPECT_TRUE(gemt.esop);
    EXPECT_FALSE(gemt.double_buffer);
    EXPECT_EQ(gemt.zero_threshold, 0);
}

TEST(triada_options_test, every_option_reaches_the_device)
{
    const auto values = parsed({"--step-cycles",
                                "7",
                                "--load-elements",
                                "16",
                                "--look-ahead",
                                "12",
                                "--port-aligner",
                                "off",
                                "--dma-ports",
                                "3",
                                "--line-extent",
                                "active",
                                "--matrix-elements",
                                "99",
                                "--threads",
                                "5",
                                "--burst",
                                "64",
                                "--clock",
                                "0.5",
                                "--fidelity",
                                "detailed",
                                "--vertical-mode",
                                "1",
                                "--double-buffer",
                                "--zero-threshold",
                                "0.25",
                                "--mesh",
                                "5x6x7"});
    const auto options = read_triada_options(values);
    const auto device =
        device_config(options, read_common_options(values), mesh_for(options, {9, 9, 9}), base::element_type::f64);
    EXPECT_EQ(device.mesh, (triada::shape3{5, 6, 7}));
    EXPECT_EQ(device.fidelity, triada::fidelity::detailed);
    EXPECT_EQ(device.step_cycles, 7u);
    EXPECT_EQ(device.load_elements, 16u);
    EXPECT_EQ(device.look_ahead, 12u);
    EXPECT_FALSE(device.port_aligner);
    EXPECT_EQ(device.dma_ports, 3u);
    EXPECT_EQ(device.line_extent, triada::line_extent::active);
    EXPECT_EQ(device.matrix_elements, 99u);
    EXPECT_EQ(device.threads, 5u);
    EXPECT_EQ(device.burst_bytes, 64u);
    EXPECT_EQ(device.clock_period, sc_core::sc_time(2, sc_core::SC_NS));
    EXPECT_EQ(options.vertical_mode, 1u);
    const gemt_settings gemt = read_gemt_settings(values);
    EXPECT_TRUE(gemt.esop);
    EXPECT_FALSE(read_gemt_settings(parsed({"--sparsity", "dense"})).esop);
    EXPECT_TRUE(gemt.double_buffer);
    EXPECT_EQ(gemt.zero_threshold, 0.25);
}

TEST(triada_options_test, limits_are_those_of_the_device)
{
    const auto values = parsed({"--matrix-elements", "1073741824", "--threads", "256", "--step-cycles", "1000000",
                                "--load-elements", "1048576", "--dma-ports", "16", "--mesh", "1024x1024x1024"});
    const auto options = read_triada_options(values);
    const auto device = device_config(options, read_common_options(values), *options.mesh, base::element_type::f64);
    EXPECT_FALSE(triada::validate(device));
}

TEST(triada_options_test, mesh_is_as_the_problem_up_to_its_largest_size)
{
    const auto options = read_triada_options(parsed({}));
    EXPECT_EQ(mesh_for(options, {5, 1024, 1}), (triada::shape3{5, 1024, 1}));
    EXPECT_EQ(mesh_for(options, {1025, 6, 65535}), (triada::shape3{1024, 6, 1024}));
}

workloads::npy_header header_of(workloads::npy_kind kind, std::size_t element_bytes)
{
    workloads::npy_header header;
    header.kind = kind;
    header.element_bytes = element_bytes;
    return header;
}

needed_format needed_by(std::initializer_list<workloads::npy_header> files, bool complex_transform = false)
{
    needed_format needed;
    needed.complex_transform = complex_transform;
    for (const auto& header : files) { needed.add(header); }
    return needed;
}

TEST(triada_options_test, format_is_as_given_or_what_the_data_needs)
{
    using base::element_type;
    using kind = workloads::npy_kind;
    const auto f8 = header_of(kind::real, 8), f4 = header_of(kind::real, 4), i4 = header_of(kind::signed_integer, 4);
    const auto c16 = header_of(kind::complex, 16), c8 = header_of(kind::complex, 8);
    const auto chosen = [](const needed_format& needed) { return read_format(parsed({}), formats, needed); };
    EXPECT_EQ(chosen(needed_by({})), element_type::f64);
    EXPECT_EQ(chosen(needed_by({f8})), element_type::f64);
    EXPECT_EQ(chosen(needed_by({i4})), element_type::f64);
    EXPECT_EQ(chosen(needed_by({f4})), element_type::f32);
    EXPECT_EQ(chosen(needed_by({f4, f8})), element_type::f64);
    EXPECT_EQ(chosen(needed_by({c8, f4})), element_type::c64);
    EXPECT_EQ(chosen(needed_by({c16})), element_type::c128);
    EXPECT_EQ(chosen(needed_by({c8, f8})), element_type::c128);
    EXPECT_EQ(chosen(needed_by({f4}, true)), element_type::c64);
    EXPECT_EQ(chosen(needed_by({}, true)), element_type::c128);
    EXPECT_EQ(read_format(parsed({"--format", "bf16"}), formats, needed_by({f4})), element_type::bf16);
    EXPECT_EQ(read_format(parsed({"--format", "f64"}), formats, needed_by({f4})), element_type::f64);
    EXPECT_EQ(read_format(parsed({"--format", "c64"}), formats, needed_by({c16})), element_type::c64);
}

TEST(triada_options_test, format_that_cannot_be_is_refused)
{
    EXPECT_EQ(input_error_of([] {
                  read_format(parsed({"--format", "int8"}), formats, needed_by({}));
              }),
              "--format is 'int8', expected one of f64, c64, bf16");
    EXPECT_EQ(input_error_of([] {
                  read_format(parsed({"--format", "bf16"}), formats, needed_by({}, true));
              }),
              "--format is 'bf16', expected a complex format (c128, c64) because a transform is complex");
}

TEST(triada_options_test, values_out_of_range_are_refused)
{
    const std::pair<const char*, const char*> wrong[] = {
        {"--mesh", "1x1x1025"},       {"--mesh", "0x1x1"},        {"--threads", "257"},
        {"--threads", "0"},           {"--matrix-elements", "0"}, {"--matrix-elements", "1073741825"},
        {"--step-cycles", "1000001"}, {"--load-elements", "0"},   {"--dma-ports", "17"}};
    for (const auto& [option, value] : wrong) {
        const auto values = parsed({option, value});
        const std::string text = input_error_of([&] { read_triada_options(values); });
        EXPECT_EQ(text.rfind(std::string(option) + " is '" + value + "', expected ", 0), 0u) << text;
    }
}

} // namespace
} // namespace tensorloom::testbench
