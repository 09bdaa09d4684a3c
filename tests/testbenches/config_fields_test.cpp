// The configuration of every device by names: what a table says, set() takes and list() gives back.
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/config_lines.h>
#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/mmv/config.h>
#include <tensorloom/models/triada/config.h>

namespace tensorloom {
namespace {

using texts = std::map<std::string, std::string>;

template <class Config> texts listed(const Config& config)
{
    const auto all = base::list(config);
    return {all.begin(), all.end()};
}

TEST(config_fields_test, value_reaches_the_configuration_and_its_list)
{
    mmv::config c;
    EXPECT_EQ(base::set(c, "side", "8"), std::nullopt);
    EXPECT_EQ(base::set(c, "format", "f64"), std::nullopt);
    EXPECT_EQ(base::set(c, "blocks", "compact,revspec"), std::nullopt);
    EXPECT_EQ(base::set(c, "overlap", "true"), std::nullopt);
    EXPECT_EQ(base::set(c, "clock-period", "2500"), std::nullopt);
    EXPECT_EQ(base::set(c, "fidelity", "detailed"), std::nullopt);
    EXPECT_EQ(base::set(c, "scratchpad-bytes", "4096"), std::nullopt);
    EXPECT_EQ(c.side, 8u);
    EXPECT_EQ(c.format, base::element_type::f64);
    EXPECT_EQ(c.blocks, 3u);
    EXPECT_TRUE(c.overlap);
    EXPECT_EQ(c.clock_period, sc_core::sc_time(2.5, sc_core::SC_NS));
    EXPECT_EQ(c.fidelity, blocks::fidelity::detailed);
    EXPECT_EQ(c.scratchpad_bytes, 4096u);
    auto list = listed(c);
    EXPECT_EQ(list["side"], "8");
    EXPECT_EQ(list["blocks"], "revspec,compact");
    EXPECT_EQ(list["clock-period"], "2500");
    EXPECT_EQ(list["burst-bytes"], "4096");
}

TEST(config_fields_test, mesh_and_options_of_the_dma_have_names_too)
{
    triada::config c;
    EXPECT_EQ(base::set(c, "mesh", "4x5x6"), std::nullopt);
    EXPECT_EQ(base::set(c, "line-extent", "active"), std::nullopt);
    EXPECT_EQ(base::set(c, "transport", "non_blocking"), std::nullopt);
    EXPECT_EQ(base::set(c, "outstanding", "16"), std::nullopt);
    EXPECT_EQ(c.mesh, (triada::shape3{4, 5, 6}));
    EXPECT_EQ(c.line_extent, triada::line_extent::active);
    EXPECT_EQ(c.dma.transport, bus::dma_transport::non_blocking);
    EXPECT_EQ(c.dma.outstanding, 16u);
}

TEST(config_fields_test, what_a_list_says_makes_the_same_configuration)
{
    mmv::config odd;
    odd.side = 32;
    odd.in_words = 31;
    odd.blocks = 0;
    odd.tolerance.wait_out_delay = true;
    mmv::config again;
    for (const auto& [name, text] : base::list(odd)) { EXPECT_EQ(base::set(again, name, text), std::nullopt) << name; }
    EXPECT_EQ(base::list(again), base::list(odd));
    EXPECT_EQ(again.in_words, 31u);
    EXPECT_TRUE(again.tolerance.wait_out_delay);

    fetta::config wide;
    wide.limits.operand = wide.limits.psum = base::element_type::f32;
    wide.limits.engines = 64;
    wide.overlap = false;
    fetta::config wide_again;
    for (const auto& [name, text] : base::list(wide)) { EXPECT_EQ(base::set(wide_again, name, text), std::nullopt); }
    EXPECT_EQ(base::list(wide_again), base::list(wide));
}

TEST(config_fields_test, wrong_value_is_refused_with_what_was_found_and_expected)
{
    mmv::config c;
    const std::pair<const char*, const char*> wrong[] = {
        {"lanes=0", "lanes is '0', expected an integer from 1 to 65536"},
        {"lanes=0x10", "lanes is '0x10', expected an integer from 1 to 65536"},
        {"lanes=", "lanes is '', expected an integer from 1 to 65536"},
        {"banks=48", "banks is '48', expected a power of two from 1 to 4096"},
        {"scratchpad-bytes=1600", "scratchpad-bytes is '1600', expected a multiple of 1024"},
        {"in-words=17", "in-words is '17', expected an integer from 1 to 16"},
        {"format=c64", "format is 'c64', expected one of f64, f32, c128, bf16, f16, int8, int32, int64"},
        {"overlap=yes", "overlap is 'yes', expected on or off"},
        {"blocks=a", "blocks is 'a', expected none, or some of revspec,compact,revert,multiplier,activation,reduction,"
                     "multiply_add,conversion, each once"},
        {"burst-bytes=3", "burst-bytes is '3', expected a power of two from 4 to 1048576"},
    };
    const auto before = base::list(c);
    for (const auto& [assignment, line] : wrong) {
        const std::string text = assignment;
        const auto equals = text.find('=');
        EXPECT_EQ(base::set(c, text.substr(0, equals), text.substr(equals + 1)), line);
    }
    EXPECT_EQ(base::list(c), before);
    triada::config mesh;
    EXPECT_EQ(base::set(mesh, "mesh", "0x1x1"), "mesh is '0x1x1', expected three sizes from 1 to 1024, like 4x5x6");
}

TEST(config_fields_test, page_shows_what_set_answers)
{
    std::ifstream page(TENSORLOOM_DOCS "/integration.md");
    std::string line;
    while (std::getline(page, line) && line != "## A configuration by name") {}
    while (std::getline(page, line) && line != "```console") {}
    mmv::config c;
    unsigned examples = 0;
    for (; std::getline(page, line) && line != "```"; ++examples) {
        const auto equals = line.find('='), gap = line.find(' ');
        const auto wrong = base::set(c, line.substr(0, equals), line.substr(equals + 1, gap - equals - 1));
        const auto said = line.find_first_not_of(' ', std::min(gap, line.size()));
        EXPECT_EQ(wrong.value_or(""), said == std::string::npos ? "" : line.substr(said));
    }
    EXPECT_EQ(examples, 7u);
}

TEST(config_fields_test, costs_of_instructions_are_those_that_differ_from_the_default)
{
    mmv::config c;
    EXPECT_EQ(listed(c)["vector-costs"], "default");
    EXPECT_EQ(base::set(c, "vector-costs", "mul:6:2,add:3:1"), std::nullopt);
    EXPECT_EQ(listed(c)["vector-costs"], "add:3:1,mul:6:2");
    const auto mul = std::find_if(std::begin(isa::vector::instructions), std::end(isa::vector::instructions),
                                  [](const auto& i) { return i.code == isa::vector::opcode::mul; });
    const auto& cost = c.vector_costs[static_cast<std::size_t>(mul - std::begin(isa::vector::instructions))];
    EXPECT_EQ(cost.depth, 6u);
    EXPECT_EQ(cost.cycles_per_group, 2u);
    const std::string expected =
        ", expected default, or NAME:DEPTH:CYCLES_PER_GROUP of some instructions, with commas between them";
    for (const char* const wrong : {"", "mul", "mul:1", "mul:1:1:1", "mull:1:1", "mul:-1:1", "mul:1:1,"}) {
        EXPECT_EQ(base::set(c, "vector-costs", wrong), "vector-costs is '" + std::string(wrong) + "'" + expected);
    }
    EXPECT_NE(base::set(c, "vector-costs", "mul:1:0"), std::nullopt);
    EXPECT_EQ(listed(c)["vector-costs"], "add:3:1,mul:6:2");
    EXPECT_EQ(base::set(c, "vector-costs", "default"), std::nullopt);
    EXPECT_EQ(listed(c)["vector-costs"], "default");
}

TEST(config_fields_test, number_that_follows_another_is_0_until_it_is_said)
{
    mmv::config c;
    EXPECT_EQ(listed(c)["in-words"], "0");
    EXPECT_EQ(base::set(c, "in-words", "3"), std::nullopt);
    EXPECT_EQ(base::set(c, "in-words", "0"), std::nullopt);
    EXPECT_EQ(c.in_words, 0u);
    EXPECT_EQ(base::set(c, "side", "32"), std::nullopt);
    EXPECT_EQ(base::set(c, "in-words", "32"), std::nullopt);
}

TEST(config_fields_test, order_of_a_text_does_not_matter)
{
    mmv::config c;
    EXPECT_EQ(base::set_all(c, "in-words=40 side=64"), std::nullopt);
    EXPECT_EQ(c.in_words, 40u);
    EXPECT_NE(base::set_all(c, "in-words=65 side=64"), std::nullopt);
    EXPECT_EQ(c.in_words, 40u);
}

TEST(config_fields_test, unknown_name_is_told_with_those_that_there_are)
{
    fetta::config c;
    EXPECT_EQ(base::set(c, "lane", "4"),
              "no field 'lane', expected one of operand, psum, engines, side, bank-bytes, accumulator-bank-bytes, "
              "buffer-cycles, mac-latency, fidelity, lanes, bank-broadcast, vector-costs, overlap, program-prefetch, "
              "clock-period, "
              "burst-bytes, count-banks, outstanding, overlap-runs, transport, use-dmi, "
              "accept-incomplete, "
              "timeout-cycles, zero-streaming-width, wait-out-delay");
}

TEST(config_fields_test, fields_that_do_not_fit_each_other_are_a_complaint_of_the_whole)
{
    fetta::config c;
    EXPECT_EQ(base::set(c, "psum", "bf16"), std::nullopt);
    EXPECT_EQ(fetta::validate(c), std::nullopt);
    EXPECT_EQ(base::set(c, "operand", "f32"), std::nullopt);
    EXPECT_EQ(fetta::validate(c), "psum is bf16, expected f32, or bf16 with operands of bf16");
}

} // namespace
} // namespace tensorloom
