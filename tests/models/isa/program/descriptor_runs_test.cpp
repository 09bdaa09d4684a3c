// The runs of a descriptor against the addresses of its elements, one after the other.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::descriptor_runs;
using isa::tensor_descriptor;

// Element addresses in C order, by an odometer.
std::vector<std::uint64_t> element_addresses(const tensor_descriptor& d)
{
    const auto bytes = static_cast<std::int64_t>(base::element_bytes(static_cast<element_type>(d.type)));
    std::vector<std::uint32_t> index(d.order, 0);
    std::vector<std::uint64_t> all;
    while (true) {
        std::int64_t at = static_cast<std::int64_t>(d.base);
        for (unsigned m = 0; m < d.order; ++m) { at += index[m] * d.stride[m] * bytes; }
        all.push_back(static_cast<std::uint64_t>(at));
        unsigned m = d.order;
        while (m > 0 && ++index[m - 1] == d.size[m - 1]) { index[--m] = 0; }
        if (m == 0) { return all; }
    }
}

std::vector<std::uint64_t> addresses_of_runs(const tensor_descriptor& d)
{
    const std::uint64_t bytes = base::element_bytes(static_cast<element_type>(d.type));
    const descriptor_runs runs(d);
    std::vector<std::uint64_t> all;
    for (std::uint64_t r = 0; r < runs.runs(); ++r) {
        for (std::uint64_t e = 0; e < runs.run_elements(); ++e) { all.push_back(runs.address(r) + e * bytes); }
    }
    return all;
}

// The longest tail of the modes whose elements are neighbours everywhere.
std::uint64_t longest_run(const tensor_descriptor& d)
{
    const auto at = element_addresses(d);
    const std::uint64_t bytes = base::element_bytes(static_cast<element_type>(d.type));
    std::uint64_t longest = 1;
    std::uint64_t length = 1;
    for (unsigned m = d.order; m-- > 0;) {
        length *= d.size[m];
        bool contiguous = true;
        for (std::uint64_t i = 1; i < at.size(); ++i) {
            contiguous = contiguous && (i % length == 0 || at[i] == at[i - 1] + bytes);
        }
        if (contiguous) { longest = length; }
    }
    return longest;
}

tensor_descriptor with(std::vector<std::uint32_t> size, std::vector<std::int64_t> stride,
                       element_type type = element_type::f32)
{
    tensor_descriptor d;
    d.base = 1u << 20;
    d.type = static_cast<std::uint8_t>(type);
    d.order = static_cast<std::uint8_t>(size.size());
    std::copy(size.begin(), size.end(), d.size.begin());
    std::copy(stride.begin(), stride.end(), d.stride.begin());
    return d;
}

// Dense, then maybe padded, permuted, reversed or broadcast modes, and sizes of 1 with any stride.
tensor_descriptor random_descriptor(std::mt19937& random)
{
    const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
    const unsigned order = 1 + below(8);
    std::vector<std::uint32_t> size(order);
    std::vector<std::int64_t> stride(order);
    std::vector<unsigned> nesting(order);
    for (unsigned m = 0; m < order; ++m) {
        size[m] = below(3) == 0 ? 1 : 1 + below(order > 5 ? 3 : 5);
        nesting[m] = m;
    }
    if (below(2) == 0) { std::shuffle(nesting.begin(), nesting.end(), random); }
    std::int64_t reach = 1;
    for (unsigned i = order; i-- > 0;) {
        const unsigned m = nesting[i];
        if (below(4) == 0) { reach += below(3); }
        stride[m] = reach;
        reach *= size[m];
        if (below(6) == 0) { stride[m] = -stride[m]; }
        if (below(12) == 0) { stride[m] = 0; }
        if (size[m] == 1) { stride[m] = static_cast<std::int64_t>(below(9)) - 4; }
    }
    return with(size, stride, static_cast<element_type>(1 + below(4)));
}

TEST(descriptor_runs_test, hold_the_elements_of_any_tensor_in_order)
{
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        const auto d = random_descriptor(random);
        ASSERT_EQ(addresses_of_runs(d), element_addresses(d)) << "case " << i;
    }
}

TEST(descriptor_runs_test, are_as_long_as_possible)
{
    std::mt19937 random(2);
    for (int i = 0; i < 2000; ++i) {
        const auto d = random_descriptor(random);
        ASSERT_EQ(descriptor_runs(d).run_elements(), longest_run(d)) << "case " << i;
    }
}

TEST(descriptor_runs_test, dense_tensor_is_one_run)
{
    const descriptor_runs runs(isa::dense_descriptor(64, element_type::f64, {3, 4, 5}));
    EXPECT_EQ(runs.runs(), 1u);
    EXPECT_EQ(runs.run_elements(), 60u);
    EXPECT_EQ(runs.address(0), 64u);
}

TEST(descriptor_runs_test, padded_rows_are_a_run_each)
{
    const descriptor_runs runs(with({2, 3, 4}, {30, 10, 1}));
    EXPECT_EQ(runs.runs(), 6u);
    EXPECT_EQ(runs.run_elements(), 4u);
    EXPECT_EQ(runs.address(4), (1u << 20) + 4 * 40u);
}

TEST(descriptor_runs_test, size_one_merges_whatever_its_stride)
{
    const descriptor_runs runs(with({2, 1, 4, 1}, {4, -99, 1, 77}));
    EXPECT_EQ(runs.runs(), 1u);
    EXPECT_EQ(runs.run_elements(), 8u);
}

TEST(descriptor_runs_test, reversed_mode_has_descending_addresses)
{
    const descriptor_runs runs(with({4}, {-1}, element_type::c128));
    EXPECT_EQ(runs.runs(), 4u);
    EXPECT_EQ(runs.address(3), (1u << 20) - 48u);
}

TEST(descriptor_runs_test, reach_both_ends_of_the_address_space)
{
    auto up = with({2}, {(std::int64_t{1} << 61) - 1}, element_type::f64);
    up.base = 0;
    ASSERT_FALSE(validate(up));
    EXPECT_EQ(descriptor_runs(up).address(1), UINT64_MAX - 7);
    auto down = up;
    down.base = UINT64_MAX - 7;
    down.stride[0] = -up.stride[0];
    ASSERT_FALSE(validate(down));
    EXPECT_EQ(descriptor_runs(down).address(1), 0u);
}

} // namespace
} // namespace tensorloom::test
