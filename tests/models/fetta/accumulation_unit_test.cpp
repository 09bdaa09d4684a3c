// The accumulation unit cycle by cycle against sums in plain arrays.
#include <gtest/gtest.h>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/accumulation_unit.h>
#include "models/fetta/naive_memory.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using fetta::device_limits;
using fetta::port_beats;

class accumulation_unit_test : public sim_test_with_param<device_limits> {};

INSTANTIATE_TEST_SUITE_P(sizes, accumulation_unit_test, testing::ValuesIn(with_types(&device_limits::psum)),
                         testing::PrintToStringParamName());

/// To bfloat16 by hand: at most 8 bits of mantissa, ties to even. For normal numbers of moderate size.
float to_8_bits(double x)
{
    if (x == 0) { return 0; }
    int exponent = 0;
    std::frexp(x, &exponent);
    const double unit = std::ldexp(1.0, exponent - 8);
    return static_cast<float>(std::nearbyint(x / unit) * unit);
}

/// Sums of small whole and half numbers are exact in double; the format rounds them once.
float sum_of(const device_limits& g, float a, float b)
{
    const double exact = double{a} + double{b};
    return g.psum == element_type::bf16 ? to_8_bits(exact) : static_cast<float>(exact);
}

port_beats random_rows(const device_limits& g, std::mt19937_64& random)
{
    port_beats rows(g.engines, g.side);
    for (float& v : rows.values) {
        v = to_8_bits(std::ldexp(static_cast<double>(random() % 511) - 255, static_cast<int>(random() % 12)));
    }
    rows.valid = random() & (g.engines == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << g.engines) - 1);
    return rows;
}

TEST_P(accumulation_unit_test, stores_adds_and_passes_on_like_plain_sums)
{
    const device_limits& g = GetParam();
    fetta::accumulation_unit unit("unit", g);
    std::mt19937_64 random(1);
    std::vector<float> accumulators(std::size_t{g.engines} * g.accumulator_rows() * g.side);
    std::uint64_t psums = 0;
    port_beats expected(g.engines, g.side);
    for (unsigned cycle = 0; cycle < 1000; ++cycle) {
        ASSERT_EQ(unit.output().valid, expected.valid) << "a cycle after they came";
        for (std::uint32_t bank = 0; bank < g.engines; ++bank) {
            if ((expected.valid >> bank & 1u) == 0) { continue; }
            for (std::uint32_t lane = 0; lane < g.side; ++lane) {
                ASSERT_EQ(unit.output().values[bank * g.side + lane], expected.values[bank * g.side + lane]);
            }
        }
        expected.valid = 0;
        if (random() % 8 == 0) {
            unit.evaluate();
            unit.commit();
            continue;
        }
        const port_beats rows = random_rows(g, random);
        fetta::accumulation what;
        what.row = static_cast<std::uint32_t>(random() % 3) *
                   (g.accumulator_rows() / 2 - 1); // the first, the last, one between
        what.adds = random() % 4 != 0;
        what.passes_on = random() % 4 == 0;
        unit.evaluate(rows, what);
        for (std::uint32_t bank = 0; bank < g.engines; ++bank) {
            if ((rows.valid >> bank & 1u) == 0) { continue; }
            psums += g.side;
            for (std::uint32_t lane = 0; lane < g.side; ++lane) {
                float& old = accumulators[(bank * g.accumulator_rows() + what.row) * g.side + lane];
                ASSERT_EQ(unit.row(bank, what.row)[lane], old) << "before the end of the cycle";
                const float come = rows.values[bank * g.side + lane];
                const float sum = what.adds ? sum_of(g, old, come) : come;
                if (what.passes_on) { expected.values[bank * g.side + lane] = sum; }
                old = what.passes_on ? 0.0f : sum;
            }
        }
        expected.valid = what.passes_on ? rows.valid : 0;
        unit.commit();
    }
    for (std::uint32_t bank = 0; bank < g.engines; ++bank) {
        for (std::uint32_t row = 0; row < g.accumulator_rows(); ++row) {
            for (std::uint32_t lane = 0; lane < g.side; ++lane) {
                ASSERT_EQ(unit.row(bank, row)[lane],
                          accumulators[(std::size_t{bank} * g.accumulator_rows() + row) * g.side + lane]);
            }
        }
    }
    EXPECT_EQ(unit.psums(), psums);
}

TEST_P(accumulation_unit_test, first_sum_is_stored_with_its_sign_and_not_added_to_0)
{
    const device_limits& g = GetParam();
    fetta::accumulation_unit unit("unit", g);
    port_beats rows(g.engines, g.side);
    rows.valid = 2;
    rows.values[g.side] = -0.0f;
    unit.evaluate(rows, {1, false, false});
    unit.commit();
    EXPECT_TRUE(std::signbit(unit.row(1, 1)[0]));
    unit.evaluate(rows, {2, true, false}); // +0 is there
    unit.commit();
    EXPECT_FALSE(std::signbit(unit.row(1, 2)[0]));
}

TEST_P(accumulation_unit_test, not_a_number_becomes_the_canonical_one)
{
    const device_limits& g = GetParam();
    fetta::accumulation_unit unit("unit", g);
    port_beats rows(g.engines, g.side);
    rows.valid = 1;
    rows.values[0] = std::numeric_limits<float>::infinity();
    unit.evaluate(rows, {0, false, false});
    unit.commit();
    rows.values[0] = -rows.values[0];
    unit.evaluate(rows, {0, true, true});
    unit.commit();
    std::uint32_t bits = 0;
    std::memcpy(&bits, unit.output().values.data(), sizeof bits);
    EXPECT_EQ(bits, 0x7fc00000u);
    EXPECT_EQ(unit.row(0, 0)[0], 0.0f) << "what is passed on leaves 0";
}

TEST_P(accumulation_unit_test, abort_forgets_what_is_on_its_way_and_a_reset_the_sums_too)
{
    const device_limits& g = GetParam();
    fetta::accumulation_unit unit("unit", g);
    port_beats rows(g.engines, g.side);
    rows.valid = 1;
    rows.values[0] = 3;
    unit.evaluate(rows, {4, false, false});
    unit.commit();
    rows.values[0] = 5;
    unit.evaluate(rows, {5, true, true});
    unit.commit();
    unit.evaluate(rows, {4, true, false});
    unit.clear();
    EXPECT_EQ(unit.output().valid, 0u);
    unit.commit();
    EXPECT_EQ(unit.output().valid, 0u);
    EXPECT_EQ(unit.row(0, 4)[0], 3.0f);
    unit.reset();
    EXPECT_EQ(unit.row(0, 4)[0], 0.0f);
}

TEST_P(accumulation_unit_test, waveform_shows_what_comes_and_what_leaves)
{
    const device_limits& g = GetParam();
    fetta::accumulation_unit unit("unit", g);
    const auto& shown = unit.watch();
    port_beats rows(g.engines, g.side);
    rows.valid = 2;
    rows.values[0] = 9; // no row there
    rows.values[g.side] = 3;
    unit.evaluate(rows, {5, false, true});
    unit.commit();
    EXPECT_EQ(shown.in.valid, 2u);
    EXPECT_EQ(shown.in.values[0], 0.0f);
    EXPECT_EQ(shown.in.values[g.side], 3.0f);
    EXPECT_EQ(shown.what.row, 5u);
    EXPECT_TRUE(shown.what.passes_on);
    EXPECT_EQ(shown.out.valid, 2u);
    EXPECT_EQ(shown.out.values[g.side], 3.0f);
    unit.evaluate();
    unit.commit();
    EXPECT_EQ(shown.in.valid, 0u);
    EXPECT_EQ(shown.in.values[g.side], 0.0f);
    EXPECT_EQ(shown.what.row, 5u) << "the last one";
    EXPECT_EQ(shown.out.valid, 0u);
    EXPECT_EQ(shown.out.values[g.side], 0.0f);
    EXPECT_EQ(&unit.watch(), &shown);
}

} // namespace
