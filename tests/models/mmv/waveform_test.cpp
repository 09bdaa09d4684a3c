// A waveform of a device: the same bytes twice, the same of both fidelities but for the elements that only a detailed
// array has.
#include <algorithm>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/mmv_program.h"
#include "models/traced_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::vector::opcode;

using traced_device = traced_bench<mmv_bench, std::vector<mmv::element_position>>;

// A small program of every unit.
mmv_bench::program_type running(const mmv::config& config)
{
    return [&config](mmv_bench& b) {
        const std::vector<std::int64_t> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9};
        b.cpu().preload(mmv_bench::data_at, numbers.data(), 72);
        mmv_program p(mmv::limits_of(config));
        p.load(mmv_bench::data_at, 0, 9).matmul(512, 0, 256, 9).vector(opcode::add, 512, 512, 0, 9).charge(4);
        EXPECT_TRUE(b.run(p.bytes()).result.done);
    };
}

mmv::config small(blocks::fidelity fidelity)
{
    mmv::config c;
    c.side = 3;
    c.lanes = 2;
    c.scratchpad_bytes = 4096;
    c.fidelity = fidelity;
    return c;
}

class mmv_waveform : public sim_test {};

TEST_F(mmv_waveform, same_bytes_twice_with_units_phases_and_elements)
{
    const auto config = small(blocks::fidelity::detailed);
    const std::vector<mmv::element_position> elements{{0, 0}, {2, 1}};
    traced_device a("a", config, elements, running(config));
    traced_device b("b", config, elements, running(config));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && b.finished());
    const auto changes = a.changes();
    EXPECT_GT(std::count(changes.begin(), changes.end(), '#'), 20);
    EXPECT_TRUE(b.changes() == changes);
    for (const char* name : {"opcode", "command", "phase", "row", "group", "results", "pe_0_0", "pe_2_1", "c_out",
                             "weight", "busy", "irq"}) {
        EXPECT_NE(a.text().find(name), std::string::npos) << name;
    }
}

TEST_F(mmv_waveform, both_fidelities_write_the_same)
{
    const auto fast_config = small(blocks::fidelity::fast), detailed_config = small(blocks::fidelity::detailed);
    traced_device fast("fast", fast_config, {}, running(fast_config));
    traced_device detailed("detailed", detailed_config, {}, running(detailed_config));
    sc_core::sc_start();
    ASSERT_TRUE(fast.finished() && detailed.finished());
    const auto changes = detailed.changes();
    EXPECT_GT(std::count(changes.begin(), changes.end(), '#'), 15);
    EXPECT_TRUE(fast.changes() == changes);
}

TEST_F(mmv_waveform, element_outside_of_the_array_or_of_a_fast_one_is_an_error)
{
    expected_report report("/tensorloom/mmv/trace");
    const auto fast = small(blocks::fidelity::fast), detailed = small(blocks::fidelity::detailed);
    EXPECT_THROW(traced_device("fast", fast, {{0, 0}}, {}), sc_core::sc_report);
    EXPECT_THROW(traced_device("detailed", detailed, {{3, 0}}, {}), sc_core::sc_report);
    EXPECT_EQ(report.count(), 2u);
}

} // namespace
