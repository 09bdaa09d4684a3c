// The waveform of a node of the detailed array: what it multiplies in each step, and what leaves it.
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <unistd.h>
#include <gtest/gtest.h>
#include "models/torus/array_bench.h"
#include "support/sim_test.h"
#include "support/vcd_signals.h"

namespace tensorloom::test {
namespace {

/// Runs a stage, a nanosecond each step; then begins it again, and stops behind a step.
class slow_stage : public sc_core::sc_module {
public:
    slow_stage(sc_core::sc_module_name name, node_array& array, const torus::stage_descriptor& stage)
        : sc_core::sc_module(name), m_array(array), m_stage(stage)
    {
        SC_HAS_PROCESS(slow_stage);
        SC_THREAD(run);
    }
    std::function<void()> load;

private:
    void run()
    {
        load();
        torus::counts counts;
        m_array.control->begin({m_stage, {0, 0}, true});
        for (std::uint32_t t = 0; t < m_stage.steps; ++t) {
            m_array.control->compute(counts);
            wait(1, sc_core::SC_NS);
            m_array.control->roll(counts);
        }
        m_array.control->end();
        wait(1, sc_core::SC_NS);
        m_array.control->begin({m_stage, {0, 0}, true});
        m_array.control->compute(counts);
        wait(1, sc_core::SC_NS);
        m_array.control->roll(counts);
        m_array.control->abandon();
        wait(1, sc_core::SC_NS);
        load(); // the waveform ends with something to be seen
        m_array.control->begin({m_stage, {0, 0}, true});
        m_array.control->compute(counts);
    }

    node_array& m_array;
    torus::stage_descriptor m_stage;
};

class node_waveform : public sim_test {};

// Node (0, 1, 0) of 2 x 2 x 2 in stage I forward, T = 1: X1 (0, 1, 1), then X1 (0, 1, 0), which comes from node (0, 1,
// 1) of T = 0; the matrix's (0, 1), then (0, 0), which comes from node (1, 1, 0) of T = 0.
TEST_F(node_waveform, shows_operands_sums_and_what_leaves)
{
    const std::string path =
        (std::filesystem::temp_directory_path() / ("node_waveform" + std::to_string(::getpid()))).string();
    auto* const file = sc_core::sc_create_vcd_trace_file(path.c_str());
    file->set_time_unit(1, sc_core::SC_PS);
    const auto array = make_array<double>(detailed_arrays, 2);
    const array_layout layout;
    slow_stage stage("stage", *array, stages_of(direction::forward, layout.vector, 2)[0]);
    stage.load = [&] {
        array->memory->lay_out(layout);
        write_tensor<double>(*array, slot::x, {1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
        const std::vector<double> matrix{10, 20, 30, 40};
        array->memory->resize_matrix(slot::c_i, 2, 2);
        array->memory->write_matrix(slot::c_i, 0, bytes_of(matrix), matrix.size());
    };
    array->trace_node(*file, {0, 1, 0}, "node");
    sc_core::sc_start();
    sc_core::sc_close_vcd_trace_file(file);

    std::ostringstream text;
    text << std::ifstream(path + ".vcd").rdbuf();
    std::filesystem::remove(path + ".vcd");
    std::vector<vcd_signals::values> shown; // from nanosecond to nanosecond
    vcd_signals(text.str()).visit([&](const auto& now, std::uint64_t ps) {
        EXPECT_EQ(ps, 1000u);
        shown.push_back(now);
    });
    ASSERT_EQ(shown.size(), 5u);
    const auto expect = [&](std::size_t at, const vcd_signals::values& expected) {
        for (const auto& [name, value] : expected) {
            EXPECT_EQ(shown[at]["SystemC.node." + name], value) << name << at;
        }
    };
    // The second step's sum begins as x(0,1,1) c(1,0), at the neighbour.
    expect(0, {{"step", 1},
               {"accumulator_slot", 1},
               {"operand_slot", 0},
               {"coefficient_slot", 4},
               {"operand", 3},
               {"coefficient", 20},
               {"accumulator", 60},
               {"s_plus.valid", 1},
               {"s_plus.words", 1},
               {"s_plus.first", 60},
               {"q_plus.valid", 1},
               {"q_plus.words", 1},
               {"q_plus.first", 20},
               {"s_minus.valid", 0},
               {"q_minus.valid", 0},
               {"r_plus.valid", 0},
               {"r_minus.valid", 0}});
    expect(1, {{"step", 2},
               {"operand", 3},
               {"coefficient", 10},
               {"accumulator", 150},
               {"s_plus.valid", 1},
               {"s_plus.first", 150},
               {"q_plus.first", 10}});
    expect(2, {{"step", 0}, {"s_plus.valid", 0}, {"q_plus.valid", 0}});
    expect(3, {{"step", 1}, {"s_plus.valid", 1}});
    expect(4, {{"step", 0}, {"s_plus.valid", 0}});
}

} // namespace
} // namespace tensorloom::test
