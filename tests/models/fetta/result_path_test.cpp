// A result's path adds the sums of engines, and writes rows where the addresses say.
#include <cstdint>
#include <gtest/gtest.h>
#include <systemc>
#include <tensorloom/models/fetta/result_path.h>
#include <tensorloom/models/fetta/unified_memory.h>
#include "models/fetta/naive_memory.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using fetta::contract_command;

class result_path_test : public sim_test {
protected:
    static constexpr unsigned engines = 16, side = 4, levels = 4;

    void SetUp() override
    {
        sim_test::SetUp();
        if (IsSkipped()) { return; }
        m_path.banks(m_memory.result);
        sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates
        m_command.mask_contracted = 1, m_command.mask_ib = 14;
        m_controls.arrives.beats.resize(engines);
        m_controls.arrives.elements.resize(engines * side);
        m_controls.bank_index = m_controls.arrives.place.bank_index = 6;
        m_controls.arrives.place.row = 2;
        m_controls.what.passes_on = true;
        for (unsigned engine = 0; engine < 8; engine += 2) {
            m_controls.arrives.beats[engine].present = true;
            m_controls.arrives.beats[engine].lanes = side;
        }
        for (std::size_t i = 0; i < m_psums.values.size(); ++i) { m_psums.values[i] = static_cast<float>(i); }
        m_psums.valid = 0xff;
    }

    /// The rows of psums enter, and come to the accumulators a cycle per level later.
    void pass_rows()
    {
        for (unsigned cycle = 0; cycle <= levels; ++cycle) {
            m_controls.enters = cycle == 0;
            m_controls.arrives.due = cycle == levels;
            m_path.evaluate(m_psums, m_controls);
            m_path.commit();
            EXPECT_EQ(m_path.writes(), cycle == levels);
        }
    }
    float sum(unsigned engine, unsigned lane) const
    {
        return m_psums.values[engine * side + lane] + m_psums.values[(engine + 1) * side + lane];
    }

    fetta::device_limits m_limits = small_limits(engines, side);
    fetta::unified_memory m_memory{"memory", m_limits};
    fetta::accumulation_unit m_accumulators{"accumulators", m_limits};
    fetta::result_path m_path{"path", m_limits, m_accumulators};
    contract_command m_command;
    fetta::result_controls m_controls;
    fetta::port_beats m_psums{engines, side};
};

TEST_F(result_path_test, banked_sums_of_pairs_leave_by_the_port_that_the_bank_index_says)
{
    m_path.start(m_command);
    m_controls.arrives.due = true;
    EXPECT_EQ(m_path.request(m_controls), 1u);
    pass_rows();
    for (unsigned engine = 0; engine < 8; engine += 2) {
        float row[side];
        m_memory.ia->read_row(element_type::f32, 2, engine ^ 6u, row);
        for (unsigned lane = 0; lane < side; ++lane) { EXPECT_EQ(row[lane], sum(engine, lane)) << engine; }
    }
    EXPECT_EQ(m_path.entered_elements(), 8u * side);
    EXPECT_EQ(m_path.accumulated_psums(), 4u * side);
    EXPECT_EQ(m_path.short_rows_written(), 8u);
}

TEST_F(result_path_test, linear_rows_ask_for_the_cycles_of_the_busiest_bank)
{
    m_command.flags = contract_command::flag_linear_result;
    m_path.start(m_command);
    m_controls.bank_index = m_controls.arrives.place.bank_index = 0;
    // Engine e writes row e / 2 of bank 3: four rows in one bank.
    for (unsigned engine = 0; engine < 8; engine += 2) {
        for (unsigned lane = 0; lane < side; ++lane) {
            m_controls.arrives.elements[engine * side + lane] = (engine / 2 * engines + 3) * side + lane;
        }
    }
    EXPECT_EQ(m_path.request(m_controls), 1u); // not due
    m_controls.arrives.due = true;
    EXPECT_EQ(m_path.request(m_controls), 4u);
    m_controls.what.passes_on = false;
    EXPECT_EQ(m_path.request(m_controls), 1u); // they stay in the accumulators
    m_controls.what.passes_on = true;
    pass_rows();
    for (unsigned engine = 0; engine < 8; engine += 2) {
        float row[side];
        m_memory.ia->read_row(element_type::f32, engine / 2, 3, row);
        for (unsigned lane = 0; lane < side; ++lane) { EXPECT_EQ(row[lane], sum(engine, lane)) << engine; }
    }
    EXPECT_EQ(m_path.short_rows_written(), 8u);
}

TEST_F(result_path_test, nothing_is_on_its_way_after_a_stop)
{
    m_path.start(m_command);
    m_controls.enters = true;
    m_path.evaluate(m_psums, m_controls);
    m_path.commit();
    m_path.clear();
    m_controls.enters = false;
    for (unsigned cycle = 0; cycle < 2 * levels; ++cycle) {
        m_controls.arrives.due = true;
        m_path.evaluate(m_psums, m_controls);
        m_path.commit();
        EXPECT_FALSE(m_path.writes());
    }
    EXPECT_EQ(m_path.accumulated_psums(), 0u);
}

} // namespace
