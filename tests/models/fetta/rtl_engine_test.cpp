// A contraction engine in Verilog does what a detailed one does, cycle by cycle: rows that leave, multiply-adds,
// tokens, and the registers of every PE.
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/fetta/engine_case.h"
#include "models/rtl/amount.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using fetta::engine_dataflow;

constexpr unsigned side = 4;

struct watched_engine {
    watched_engine(const std::string& name, element_type operand, blocks::fidelity model)
        : engine(name.c_str(), {side, element_type::f32, true, model, operand}), shown(engine.watch())
    {
        for (unsigned r = 0; r < side; ++r) {
            for (unsigned n = 0; n < side; ++n) { pes.push_back(&engine.watch(r, n)); }
        }
    }
    fetta::contraction_engine engine;
    const fetta::engine_waveform& shown;
    std::vector<const fetta::pe_waveform*> pes;
};

std::uint32_t bits_of(float x)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

std::vector<std::uint32_t> bits_of(const fetta::pe_waveform& pe)
{
    return {pe.step,          bits_of(pe.ia),         bits_of(pe.ib_active), bits_of(pe.ib_shadow),
            bits_of(pe.psum), bits_of(pe.psum_shadow)};
}

class rtl_engine_test : public sim_test_with_param<element_type> {
protected:
    // Numbers of the format, some of them with any bits.
    float number()
    {
        std::uint32_t bits = static_cast<std::uint32_t>((122 + m_random() % 9) << 23 | m_random() % (1u << 23));
        bits |= static_cast<std::uint32_t>(m_random() % 2) << 31;
        if (m_random() % 50 == 0) { bits = static_cast<std::uint32_t>(m_random()); }
        if (m_random() % 20 == 0) { bits &= 0x8000'0000u; }
        if (GetParam() == element_type::bf16) { bits &= 0xffff'0000u; }
        float x = 0;
        std::memcpy(&x, &bits, sizeof x);
        return x;
    }
    engine_row row()
    {
        engine_row numbers(m_random() % 8 == 0 ? 0 : side);
        for (float& x : numbers) { x = number(); }
        return numbers;
    }
    std::vector<engine_tile> tiles(const engine_case& c)
    {
        std::vector<engine_tile> all(c.tiles);
        for (auto& tile : all) {
            for (std::size_t t = 0; t < c.steps; ++t) { tile.ia.push_back(row()); }
            for (std::size_t r = 0; r < (c.is_output_stationary() ? c.steps : side); ++r) { tile.ib.push_back(row()); }
            if (m_random() % 2 == 0) { continue; }
            for (std::size_t v = 0; v < (c.is_output_stationary() ? side : c.steps); ++v) {
                tile.valid.push_back(m_random() % 3 != 0);
            }
        }
        return all;
    }
    engine_case random_case()
    {
        constexpr engine_dataflow paths[] = {engine_dataflow::stationary_vertical,
                                             engine_dataflow::stationary_horizontal,
                                             engine_dataflow::output_stationary};
        engine_case c;
        c.path = paths[m_random() % 3];
        c.tiles = 1 + m_random() % 4;
        c.steps = 1 + m_random() % 9;
        c.apart = tile_distance(c.steps, side) + (m_random() % 3 == 0 ? static_cast<std::int64_t>(m_random() % 5) : 0);
        return c;
    }
    static void expect_same(const watched_engine& a, const watched_engine& b)
    {
        EXPECT_EQ(a.shown.steps, b.shown.steps);
        EXPECT_EQ(a.shown.starts, b.shown.starts);
        EXPECT_EQ(a.shown.loads, b.shown.loads);
        EXPECT_EQ(a.shown.drains, b.shown.drains);
        EXPECT_EQ(a.shown.valid, b.shown.valid);
        for (std::size_t p = 0; p < a.pes.size(); ++p) {
            EXPECT_EQ(bits_of(*a.pes[p]), bits_of(*b.pes[p])) << "PE " << p;
        }
    }

    std::mt19937_64 m_random{61};
};

TEST_P(rtl_engine_test, random_tiles_are_those_of_the_detailed_engine)
{
    watched_engine detailed("detailed", GetParam(), blocks::fidelity::detailed);
    watched_engine rtl("rtl", GetParam(), blocks::fidelity::rtl);
    const std::uint64_t programs = amount(50, 1000);
    for (std::uint64_t p = 0; p < programs && !HasFailure(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        const engine_case c = random_case();
        const bool gives_up = m_random() % 5 == 0;
        const auto last = static_cast<std::int64_t>(m_random() % 20);
        struct give_up {};
        for (auto* engine : {&detailed, &rtl}) { engine->engine.configure(c.path); }
        expect_same(detailed, rtl);
        engine_bench bench({&detailed.engine, &rtl.engine}, side);
        const auto all = tiles(c);
        for (std::size_t e = 0; e < 2; ++e) {
            for (std::size_t n = 0; n < all.size(); ++n) {
                const auto start = side + static_cast<std::int64_t>(n) * c.apart;
                if (c.is_output_stationary()) {
                    bench.output_stationary(start, all[n], e);
                } else {
                    bench.stationary(start, all[n], e);
                }
            }
        }
        try {
            bench.run([&](std::int64_t cycle) {
                SCOPED_TRACE("cycle " + std::to_string(cycle));
                expect_same(detailed, rtl);
                const auto a = detailed.engine.result(), b = rtl.engine.result();
                ASSERT_EQ(a.valid, b.valid);
                if (a.valid) { EXPECT_EQ(std::memcmp(a.row, b.row, side * sizeof(float)), 0); }
                if (gives_up && cycle == last) { throw give_up(); }
            });
        } catch (const give_up&) { // the next program begins in the middle of this one
        }
        EXPECT_EQ(detailed.engine.multiply_adds(), rtl.engine.multiply_adds());
    }
}

INSTANTIATE_TEST_SUITE_P(formats, rtl_engine_test, ::testing::Values(element_type::f32, element_type::bf16),
                         [](const auto& info) { return std::string(base::element_type_name(info.param)); });

TEST(rtl_engine, that_does_not_exist_is_an_error)
{
    expected_report report("/tensorloom/contraction_engine/config");
    EXPECT_THROW(fetta::contraction_engine("side", {8, element_type::f32, true, blocks::fidelity::rtl}),
                 sc_core::sc_report);
    EXPECT_THROW(fetta::contraction_engine("psum", {4, element_type::bf16, true, blocks::fidelity::rtl}),
                 sc_core::sc_report);
    EXPECT_EQ(report.count(), 2u);
}

} // namespace
} // namespace tensorloom::test
