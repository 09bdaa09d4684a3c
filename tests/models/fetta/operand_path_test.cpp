// An operand's path brings rows of the banks to the engines that the addresses say.
#include <cstdint>
#include <gtest/gtest.h>
#include <systemc>
#include <tensorloom/models/fetta/operand_path.h>
#include <tensorloom/models/fetta/operand_stream.h>
#include <tensorloom/models/fetta/unified_memory.h>
#include "models/fetta/naive_memory.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using fetta::contract_command;

class operand_path_test : public sim_test {
protected:
    static constexpr unsigned engines = 16, side = 4;

    void SetUp() override
    {
        sim_test::SetUp();
        if (IsSkipped()) { return; }
        m_path.banks(m_memory.ia);
        sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates
        for (std::uint64_t row = 0; row < 8; ++row) {
            for (unsigned bank = 0; bank < engines; ++bank) {
                float values[side];
                for (unsigned lane = 0; lane < side; ++lane) { values[lane] = value(row, bank, lane); }
                m_memory.result->write_row(element_type::bf16, row, bank, values, 0xf);
            }
        }
        m_addresses.due = true;
        m_addresses.beats.resize(engines);
        m_addresses.elements.resize(engines * side);
    }

    // bfloat16 has 8 bits of precision.
    static float value(std::uint64_t row, unsigned bank, unsigned lane)
    {
        return row < 4 ? static_cast<float>(row * 64 + bank * 4 + lane) : -1.0f;
    }
    /// Engines 2i and 2i + 1 share a row.
    contract_command pairs() const
    {
        contract_command c;
        c.mask_ib = 1, c.mask_ia = 14;
        return c;
    }
    void give(unsigned engine, std::uint32_t lanes)
    {
        m_addresses.beats[engine].present = true;
        m_addresses.beats[engine].lanes = lanes;
    }
    float delivered(const fetta::port_beats& rows, unsigned engine, unsigned lane) const
    {
        return rows.values[engine * side + lane];
    }

    fetta::device_limits m_limits = small_limits(engines, side);
    fetta::unified_memory m_memory{"memory", m_limits};
    fetta::operand_path m_path{"path", fetta::operand_role::ia, m_limits};
    fetta::beat_addresses m_addresses;
};

TEST_F(operand_path_test, banked_rows_go_to_the_engines_that_the_bank_index_says)
{
    m_path.start(pairs());
    for (unsigned engine = 0; engine < 14; engine += 2) { give(engine, engine == 4 ? 3 : side); }
    m_addresses.place = {3, 7};
    m_path.fetch(m_addresses);
    const auto* rows = m_path.deliver();
    ASSERT_NE(rows, nullptr);
    EXPECT_EQ(m_path.bank_cycles(), 1u);
    EXPECT_EQ(rows->valid, 0x3fffu); // engines 14 and 15 have none
    for (unsigned engine = 0; engine < 14; ++engine) {
        for (unsigned lane = 0; lane < side; ++lane) {
            const bool in_range = engine / 2 != 2 || lane < 3;
            EXPECT_EQ(delivered(*rows, engine, lane), in_range ? value(3, (engine & ~1u) ^ 7u, lane) : 0.0f) << engine;
        }
    }
    EXPECT_EQ(m_path.short_rows_read(), 7u);
    EXPECT_EQ(m_path.delivered_elements(), 14u * side);
}

TEST_F(operand_path_test, linear_rows_wait_for_the_busiest_bank)
{
    auto c = pairs();
    c.flags = contract_command::flag_linear_ia;
    m_path.start(c);
    give(0, side), give(2, 2);
    // Elements of bank 5: row 0, 1 and 2 for engine 0, row 1 again for engine 2; one of bank 6.
    const auto element = [](std::uint64_t row, unsigned bank, unsigned lane) {
        return (row * engines + bank) * side + lane;
    };
    const std::uint64_t wanted[] = {element(0, 5, 3), element(1, 5, 0), element(2, 5, 1), element(1, 5, 2)};
    std::copy_n(wanted, side, m_addresses.elements.begin());
    m_addresses.elements[2 * side] = element(1, 5, 1);
    m_addresses.elements[2 * side + 1] = element(3, 6, 2);
    m_path.fetch(m_addresses);
    EXPECT_EQ(m_path.bank_cycles(), 3u);
    const auto* rows = m_path.deliver();
    ASSERT_NE(rows, nullptr);
    EXPECT_EQ(rows->valid, 0xfu);
    for (const unsigned engine : {0u, 1u}) {
        EXPECT_EQ(delivered(*rows, engine, 0), value(0, 5, 3));
        EXPECT_EQ(delivered(*rows, engine, 2), value(2, 5, 1));
        EXPECT_EQ(delivered(*rows, engine, 3), value(1, 5, 2));
    }
    EXPECT_EQ(delivered(*rows, 3, 0), value(1, 5, 1));
    EXPECT_EQ(delivered(*rows, 3, 1), value(3, 6, 2));
    EXPECT_EQ(delivered(*rows, 3, 2), 0.0f);
    EXPECT_EQ(m_path.short_rows_read(), 4u);

    m_addresses.due = false;
    m_path.fetch(m_addresses);
    EXPECT_EQ(m_path.deliver(), nullptr);
    EXPECT_EQ(m_path.bank_cycles(), 1u);
}

} // namespace
