// Multiply-add, addition and narrowing in Verilog give the bits of arithmetic::mac(), psum_f32::add() and narrowed(),
// in every format, for random operands, corners and cancellation.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/psum.h>
#include <tensorloom/models/rtl/pins.h>
#include <verilated_adder_f32.h>
#include <verilated_mac_bf16.h>
#include <verilated_mac_f32.h>
#include <verilated_mac_f64.h>
#include <verilated_mac_int8.h>
#include <verilated_narrowing_bf16.h>
#include <verilated_narrowing_f32.h>
#include <verilated_narrowing_f64.h>
#include <verilated_narrowing_int8.h>
#include "models/rtl/amount.h"

namespace {

using namespace tensorloom;

struct int8_units {
    using element = std::int8_t;
    using mac = verilated_mac_int8;
    using narrowing = verilated_narrowing_int8;
};
struct bf16_units {
    using element = arithmetic::bfloat16;
    using mac = verilated_mac_bf16;
    using narrowing = verilated_narrowing_bf16;
};
struct f32_units {
    using element = float;
    using mac = verilated_mac_f32;
    using narrowing = verilated_narrowing_f32;
};
struct f64_units {
    using element = double;
    using mac = verilated_mac_f64;
    using narrowing = verilated_narrowing_f64;
};

template <class Value> std::uint64_t bits_of(const Value& value)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class Value> Value from_bits(std::uint64_t bits)
{
    Value value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
}

/// Numbers whose sums and products meet corners: any bits, exponents at both ends with few or many bits set, and
/// exponents near 1.
class operands {
public:
    template <class Value> Value draw()
    {
        if constexpr (std::numeric_limits<Value>::is_integer) {
            using limits = std::numeric_limits<Value>;
            const std::int64_t corners[] = {limits::min(),     limits::min() + 1, -1, 0, 1,
                                            limits::max() - 1, limits::max()};
            return static_cast<Value>(m_random() % 2 == 0 ? static_cast<std::int64_t>(m_random())
                                                          : corners[m_random() % 7]);
        } else {
            constexpr unsigned bits = 8 * sizeof(Value);
            constexpr unsigned exponent = sizeof(Value) == 8 ? 11 : 8;
            return from_bits<Value>(float_bits(exponent, bits - 1 - exponent));
        }
    }
    std::uint64_t below(std::uint64_t n) { return m_random() % n; }

private:
    std::uint64_t float_bits(unsigned exponent_bits, unsigned fraction_bits)
    {
        const std::uint64_t fractions = (std::uint64_t{1} << fraction_bits) - 1;
        const std::uint64_t exponents = (std::uint64_t{1} << exponent_bits) - 1;
        const std::uint64_t sign = m_random() % 2 << (exponent_bits + fraction_bits);
        const std::uint64_t middle = exponents / 2;
        const std::uint64_t ends[] = {0, 0, 1, 2, exponents, exponents - 1, exponents - 2};
        const std::uint64_t few[] = {0, 1, fractions, std::uint64_t{1} << m_random() % fraction_bits};
        switch (m_random() % 8) {
        case 0: return m_random() & ((std::uint64_t{2} << (exponent_bits + fraction_bits)) - 1);
        case 1: return sign | ends[m_random() % 7] << fraction_bits | few[m_random() % 4];
        case 2: return sign | ends[m_random() % 7] << fraction_bits | (m_random() & fractions);
        case 3: return sign | (middle - 4 + m_random() % 8) << fraction_bits | (m_random() & m_random() & fractions);
        default: return sign | (middle - 32 + m_random() % 64) << fraction_bits | (m_random() & fractions);
        }
    }

    std::mt19937_64 m_random{7};
};

template <class Units> class rtl_arithmetic_test : public testing::Test {
protected:
    using element = typename Units::element;
    using sum = arithmetic::accumulator_of<element>;

    operands m_operands;
};

using formats = testing::Types<int8_units, bf16_units, f32_units, f64_units>;
TYPED_TEST_SUITE(rtl_arithmetic_test, formats);

TYPED_TEST(rtl_arithmetic_test, multiply_adds_have_the_bits_of_the_model)
{
    using element = typename TestFixture::element;
    using sum = typename TestFixture::sum;
    VerilatedContext context;
    typename TypeParam::mac unit(&context);
    const std::uint64_t vectors = test::amount(100'000, 10'000'000);
    for (std::uint64_t v = 0; v < vectors; ++v) {
        const auto x = this->m_operands.template draw<element>();
        const auto c = this->m_operands.template draw<element>();
        auto acc = this->m_operands.template draw<sum>();
        if (this->m_operands.below(4) == 0) { // cancels, but for a few bits
            acc = from_bits<sum>(bits_of(arithmetic::mac(sum{}, x, c)) ^ this->m_operands.below(8) >> 2);
            if constexpr (!std::numeric_limits<sum>::is_integer) { acc = -acc; }
        }
        rtl::set(unit.acc, bits_of(acc));
        rtl::set(unit.x, bits_of(x));
        rtl::set(unit.c, bits_of(c));
        unit.eval();
        const std::uint64_t expected = bits_of(arithmetic::mac(acc, x, c));
        ASSERT_EQ(unit.result, expected) << std::hex << "acc " << bits_of(acc) << ", x " << bits_of(x) << ", c "
                                         << bits_of(c) << ", expected " << expected << ", is "
                                         << std::uint64_t{unit.result};
        ASSERT_EQ(unit.overflow != 0, arithmetic::mac_overflows<element>(acc, x, c));
    }
}

TEST(rtl_adder_test, sums_have_the_bits_of_the_model)
{
    operands numbers;
    VerilatedContext context;
    verilated_adder_f32 unit(&context);
    const std::uint64_t vectors = test::amount(100'000, 10'000'000);
    for (std::uint64_t v = 0; v < vectors; ++v) {
        const auto left = numbers.draw<float>();
        auto right = numbers.draw<float>();
        if (numbers.below(4) == 0) { right = -from_bits<float>(bits_of(left) ^ numbers.below(8) >> 2); } // cancels
        rtl::set(unit.left, bits_of(left));
        rtl::set(unit.right, bits_of(right));
        unit.eval();
        ASSERT_EQ(unit.sum, bits_of(arithmetic::psum_f32::add(left, right)))
            << std::hex << "left " << bits_of(left) << ", right " << bits_of(right);
    }
}

TYPED_TEST(rtl_arithmetic_test, sums_are_rounded_to_elements_as_in_the_model)
{
    using element = typename TestFixture::element;
    using sum = typename TestFixture::sum;
    VerilatedContext context;
    typename TypeParam::narrowing unit(&context);
    const std::uint64_t vectors = test::amount(100'000, 10'000'000);
    for (std::uint64_t v = 0; v < vectors; ++v) {
        auto value = this->m_operands.template draw<sum>();
        const auto shift =
            std::numeric_limits<element>::is_integer ? static_cast<unsigned>(this->m_operands.below(32)) : 0;
        if (this->m_operands.below(4) == 0) { // halves, and what is close to them
            const std::uint64_t low = std::uint64_t{1} << (shift == 0 ? 15 : shift - 1);
            value = from_bits<sum>((bits_of(value) & ~(2 * low - 1)) | (low - 1 + this->m_operands.below(3)));
        }
        rtl::set(unit.sum, bits_of(value));
        rtl::set(unit.shift, shift);
        unit.eval();
        const auto expected = arithmetic::narrowed<element>(value, shift);
        ASSERT_EQ(unit.element, bits_of(expected.value))
            << std::hex << "sum " << bits_of(value) << std::dec << ", shift " << shift;
        ASSERT_EQ(unit.saturated != 0, expected.saturated);
    }
}

} // namespace
