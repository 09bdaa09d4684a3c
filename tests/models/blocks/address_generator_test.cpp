// Address and digit counters against nested loops and division.
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>
#include <tensorloom/models/blocks/address_generator.h>

namespace {

using namespace tensorloom::blocks;

std::vector<address_loop> random_loops(std::mt19937_64& random, std::size_t loops, std::uint64_t most)
{
    std::vector<address_loop> all(loops);
    for (auto& l : all) {
        l.count = 1 + random() % most;
        l.stride = static_cast<std::int64_t>(random() % 2001) - 1000;
    }
    return all;
}

TEST(address_generator, gives_the_addresses_of_four_nested_loops)
{
    std::mt19937_64 random(1);
    address_generator g;
    for (unsigned n = 0; n < 200; ++n) {
        const auto l = random_loops(random, 4, 6);
        const auto base = static_cast<std::int64_t>(random());
        g.start(base, l.data(), 4);
        for (unsigned turn = 0; turn < 2; ++turn) { // it is back at its start
            for (std::uint64_t a = 0; a < l[0].count; ++a) {
                for (std::uint64_t b = 0; b < l[1].count; ++b) {
                    for (std::uint64_t c = 0; c < l[2].count; ++c) {
                        for (std::uint64_t d = 0; d < l[3].count; ++d) {
                            const auto s = [](std::uint64_t i, const address_loop& of) {
                                return static_cast<std::int64_t>(i) * of.stride;
                            };
                            ASSERT_EQ(g.address(), base + s(a, l[0]) + s(b, l[1]) + s(c, l[2]) + s(d, l[3]));
                            ASSERT_EQ(g.counter(0), a);
                            ASSERT_EQ(g.counter(1), b);
                            ASSERT_EQ(g.counter(2), c);
                            ASSERT_EQ(g.counter(3), d);
                            const unsigned moved = d + 1 < l[3].count   ? 3
                                                   : c + 1 < l[2].count ? 2
                                                   : b + 1 < l[1].count ? 1
                                                   : a + 1 < l[0].count ? 0
                                                                        : 4;
                            ASSERT_EQ(g.step(), moved);
                        }
                    }
                }
            }
        }
    }
}

TEST(address_generator, any_number_of_loops_visits_the_product_of_their_counts)
{
    std::mt19937_64 random(2);
    for (unsigned loops = 0; loops <= address_generator::max_loops; ++loops) {
        const auto l = random_loops(random, loops, 3);
        std::uint64_t turns = 1;
        for (const auto& one : l) { turns *= one.count; }
        address_generator g;
        g.start(5, l.data(), loops);
        std::uint64_t visited = 1;
        while (g.step() != loops) { ++visited; }
        EXPECT_EQ(visited, turns);
        EXPECT_EQ(g.address(), 5);
    }
}

// A stream in pieces of different lengths: the inner loop and its way back change with the outer one.
TEST(address_generator, limits_and_strides_change_from_turn_to_turn)
{
    const std::uint64_t piece[] = {5, 1, 4};
    const address_loop loops[] = {{3, 5 * 7}, {2, 1000}, {5, 7}};
    address_generator g;
    g.start(100, loops, 3);
    std::int64_t first = 100;
    for (const std::uint64_t length : piece) {
        g.set(2, {length, 7});
        g.set(0, {3, static_cast<std::int64_t>(length) * 7});
        for (std::int64_t middle = 0; middle < 2; ++middle) {
            for (std::uint64_t i = 0; i < length; ++i) {
                ASSERT_EQ(g.address(), first + 1000 * middle + 7 * static_cast<std::int64_t>(i));
                g.step();
            }
        }
        first += static_cast<std::int64_t>(length) * 7;
    }
    EXPECT_EQ(g.address(), 100);
}

TEST(address_generator, sums_are_exact_to_the_ends_of_64_bits)
{
    const std::int64_t half = std::int64_t{1} << 62;
    const address_loop loops[] = {{2, half}, {2, half - 1}, {3, -half}};
    address_generator g;
    g.start(-half, loops, 3);
    const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(g.address(), -half);
    g.step();
    EXPECT_EQ(g.address(), lowest);
    g.start(0, loops, 2);
    g.step();
    g.step();
    g.step();
    EXPECT_EQ(g.address(), std::numeric_limits<std::int64_t>::max());
}

/// The digits of a flat index by division, least significant last.
std::int64_t address_of(const std::vector<index_digit>& digits, std::uint64_t flat)
{
    std::int64_t address = 0;
    for (auto d = digits.rbegin(); d != digits.rend(); ++d) {
        address += static_cast<std::int64_t>(flat % d->size) * d->stride;
        flat /= d->size;
    }
    return address;
}

TEST(digit_counter, has_the_digits_of_every_flat_index)
{
    std::mt19937_64 random(3);
    digit_counter counter;
    for (unsigned n = 0; n < 200; ++n) {
        std::vector<index_digit> digits(random() % (digit_counter::max_digits + 1));
        std::uint64_t extent = 1;
        for (auto& d : digits) {
            d.size = 1 + random() % (extent > 500 ? 2 : 7);
            d.stride = static_cast<std::int64_t>(random() % 2001) - 1000;
            extent *= d.size;
        }
        counter.start(digits.data(), static_cast<unsigned>(digits.size()));
        for (std::uint64_t flat = 0; flat < extent; ++flat) {
            ASSERT_EQ(counter.flat(), flat);
            ASSERT_EQ(counter.address(), address_of(digits, flat));
            counter.step();
        }
        ASSERT_EQ(counter.flat(), 0u) << "around";
        ASSERT_EQ(counter.address(), 0);
        for (unsigned s = 0; s < 20; ++s) {
            const std::uint64_t flat =
                s % 3 == 0 ? std::min(counter.flat() + random() % 2, extent - 1) : random() % extent;
            counter.seek(flat);
            ASSERT_EQ(counter.flat(), flat);
            ASSERT_EQ(counter.address(), address_of(digits, flat));
        }
    }
}

} // namespace
