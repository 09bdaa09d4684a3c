// The block REVSPEC on flags that no scan makes: every change back and forth, -0 and +0, NaNs.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/blocks/mmv_ram_blocks.h>
#include "support/mmv_reference_units.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

template <class W> struct reverted {
    std::vector<W> z;
    std::uint64_t overflowed = 0;
};

template <class W> reverted<W> revert(const std::vector<W>& a, const std::vector<W>& b)
{
    reverted<W> r;
    r.z.resize(a.size());
    blocks::revspec_block<W> block;
    r.overflowed = block.revert({a.data(), 0, false}, {b.data(), 0, false}, r.z.data(), 0, a.size());
    return r;
}

// The instruction on a, b and room for z, by the reference interpreter.
template <class W> void expect_as_on_the_reference(const std::vector<W>& a, const std::vector<W>& b)
{
    const std::size_t bytes = a.size() * sizeof(W);
    std::vector<std::uint8_t> memory(3 * bytes);
    std::memcpy(memory.data(), a.data(), bytes);
    std::memcpy(memory.data() + bytes, b.data(), bytes);
    mmv::limits limits;
    limits.format = base::element_type_of<W>;
    limits.scratchpad_bytes = memory.size();
    isa::vector::vector_command c;
    c.length = c.block = static_cast<std::uint32_t>(a.size());
    c.b.address = static_cast<std::uint32_t>(bytes);
    c.result.address = static_cast<std::uint32_t>(2 * bytes);
    const auto effect =
        effect_of(limits, 64, memory, [&](reference_units& units) { units.vector(isa::vector::opcode::revspec, c); });
    const auto found = revert(a, b);
    EXPECT_EQ(std::memcmp(found.z.data(), effect.memory.data() + 2 * bytes, bytes), 0);
    EXPECT_EQ(found.overflowed, effect.counts[mmv::event::word_overflowed]);
}

TEST(revspec_block, as_on_the_reference_on_any_f64_flags)
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const double flags[] = {0.0, -0.0, 1, 2, -1, nan, infinity, -infinity, 0.5};
    std::mt19937_64 random(5);
    for (std::size_t kinds = 1; kinds <= std::size(flags); ++kinds) {
        for (unsigned n : {1u, 2u, 3u, 10u, 300u}) {
            SCOPED_TRACE(std::to_string(n) + " of " + std::to_string(kinds) + " flags");
            std::vector<double> a(n), b(n);
            for (unsigned i = 0; i < n; ++i) {
                a[i] = random() % 9 == 0 ? -0.0 : std::uniform_real_distribution<double>(-1, 1)(random) / 3;
                b[i] = flags[random() % kinds];
            }
            expect_as_on_the_reference(a, b);
        }
    }
}

TEST(revspec_block, as_on_the_reference_on_any_integer_flags_and_counts_each_overflow_of_a_sum)
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::mt19937_64 random(6);
    for (unsigned kinds = 1; kinds < 6; ++kinds) {
        std::vector<std::int64_t> a(200), b(200);
        for (auto& w : a) { w = random() % 4 == 0 ? most - 5 : static_cast<std::int64_t>(random() % 100) - 50; }
        for (auto& w : b) { w = static_cast<std::int64_t>(random() % kinds) - 2; }
        expect_as_on_the_reference(a, b);
    }
}

// A million runs, each of which is changed into by half of the others: a sum per run would take hours.
TEST(revspec_block, alternating_flags_take_no_time_to_speak_of)
{
    constexpr std::int64_t n = 1 << 20;
    std::vector<std::int64_t> a(n, 1), b(n);
    for (std::int64_t i = 0; i < n; ++i) { b[static_cast<std::size_t>(i)] = i % 2; }
    const auto found = revert(a, b);
    EXPECT_EQ(found.overflowed, 0u);
    for (std::int64_t i = 0; i < n; ++i) { // into 1: n/2 changes; into 0: one less
        ASSERT_EQ(found.z[static_cast<std::size_t>(i)], 1 - (n / 2 - (i % 2 == 0 ? 1 : 0)));
    }
}

} // namespace
