// Products whose blocks come in rotated order against a loop of single multiply-adds: bits, every kernel, threads.
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/rotated_product.h>

namespace tensorloom::test {
namespace {

using index3 = std::array<std::size_t, 3>;

template <class Element> class rotated_product_test : public testing::Test {
protected:
    using product = arithmetic::rotated_product<Element>;
    using sum = arithmetic::accumulator_of<Element>;
    using real = typename product::real;
    static constexpr unsigned parts = product::parts;

    std::size_t up_to(std::size_t n) { return 1 + m_random() % n; }

    /// An outline of its own for every seed: small blocks, now and then one that is larger than a kernel's tile.
    void draw(unsigned seed, double specials)
    {
        m_random.seed(seed);
        auto& p = m_problem;
        p.blocks = up_to(5);
        p.mode = seed % 3;
        const std::size_t largest = up_to(3) == 1 ? 56 / p.blocks : 7;
        for (auto& b : p.block) { b = up_to(7); }
        p.block[m_random() % 3] = up_to(largest);
        p.made = up_to(largest);
        for (auto& a : p.advance) { a = (up_to(2) == 1 ? 1 : p.blocks - 1) % p.blocks; }
        p.ascending = up_to(2) == 1;
        p.accumulate = up_to(2) == 1;
        m_from = m_to = {p.blocks * p.block[0], p.blocks * p.block[1], p.blocks * p.block[2]};
        m_to[p.mode] = p.blocks * p.made;
        m_x = numbers(parts * volume(m_from), specials);
        m_y = numbers(parts * volume(m_to), specials);
        const auto c = numbers(parts * m_from[p.mode] * m_to[p.mode], specials);
        m_coefficients.clear();
        for (std::size_t i = 0; i < c.size(); i += parts) { m_coefficients.push_back(element(c.data() + i)); }
        p.x = m_x.data();
        p.coefficients = m_coefficients.data();
    }

    /// The same, sum by sum.
    std::vector<real> expected() const
    {
        const auto& p = m_problem;
        std::vector<real> y = m_y;
        index3 i{};
        for (std::size_t at = 0; at < volume(m_to); ++at) {
            i = {at / m_to[2] / m_to[1], at / m_to[2] % m_to[1], at % m_to[2]};
            std::size_t first = 0;
            for (unsigned m = 0; m < 3; ++m) { first += p.advance[m] * (i[m] / (m_to[m] / p.blocks)); }
            sum s = p.accumulate ? sum_at(y, at, volume(m_to)) : sum{};
            for (std::size_t t = 0; t < p.blocks; ++t) {
                const std::size_t block = (first + (p.ascending ? t : p.blocks - t)) % p.blocks;
                for (std::size_t j = 0; j < p.block[p.mode]; ++j) {
                    index3 from = i;
                    from[p.mode] = block * p.block[p.mode] + j;
                    const auto x = sum_at(m_x, (from[0] * m_from[1] + from[1]) * m_from[2] + from[2], volume(m_from));
                    s = arithmetic::mac(s, arithmetic::narrowed<Element>(x, 0).value,
                                        m_coefficients[from[p.mode] * m_to[p.mode] + i[p.mode]]);
                }
            }
            std::memcpy(&y[at], &s, sizeof(real));
            if (parts == 2) {
                std::memcpy(&y[at + volume(m_to)], reinterpret_cast<const char*>(&s) + sizeof(real), sizeof(real));
            }
        }
        return y;
    }

    void expect_bits(product&& tested, const std::string& what)
    {
        std::vector<real> y = m_y;
        m_problem.y = y.data();
        tested.run(m_problem);
        const auto right = expected();
        ASSERT_EQ(std::memcmp(y.data(), right.data(), y.size() * sizeof(real)), 0) << what;
    }
    void expect_bits_of_all(const std::string& what)
    {
        for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::gemm_kernel<real>>()) {
            expect_bits(product(1, kernel->name), what + " " + kernel->name);
        }
    }

private:
    static std::size_t volume(const index3& size) { return size[0] * size[1] * size[2]; }
    static Element element(const real* value)
    {
        if constexpr (parts == 2) {
            return {value[0], value[1]};
        } else {
            return Element(*value);
        }
    }
    static sum sum_at(const std::vector<real>& values, std::size_t at, [[maybe_unused]] std::size_t plane)
    {
        if constexpr (parts == 2) {
            return {values[at], values[at + plane]};
        } else {
            return values[at];
        }
    }
    std::vector<real> numbers(std::size_t n, double specials)
    {
        using limits = std::numeric_limits<real>;
        const real strange[] = {real(0),
                                -real(0),
                                limits::infinity(),
                                -limits::infinity(),
                                limits::quiet_NaN(),
                                -limits::quiet_NaN(),
                                limits::denorm_min(),
                                limits::max()};
        std::uniform_real_distribution<real> part(-1, 1);
        std::uniform_real_distribution<double> choice(0, 1);
        std::vector<real> all(n);
        for (auto& x : all) { x = choice(m_random) < specials ? strange[m_random() % 8] : part(m_random); }
        return all;
    }

    std::mt19937 m_random;
    typename product::problem m_problem;
    index3 m_from{}, m_to{};
    std::vector<real> m_x, m_y;
    std::vector<Element> m_coefficients;
};

using rotated_product_formats =
    testing::Types<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16>;
TYPED_TEST_SUITE(rotated_product_test, rotated_product_formats);

TYPED_TEST(rotated_product_test, blocks_come_in_rotated_order)
{
    for (unsigned seed = 0; seed < 60; ++seed) {
        this->draw(seed, 0);
        this->expect_bits_of_all("seed " + std::to_string(seed));
    }
}

TYPED_TEST(rotated_product_test, zeros_infinities_and_nan)
{
    for (unsigned seed = 0; seed < 60; ++seed) {
        this->draw(seed, seed % 2 == 0 ? 0.3 : 0.003);
        this->expect_bits_of_all("seed " + std::to_string(seed));
    }
}

TYPED_TEST(rotated_product_test, threads_change_nothing)
{
    for (unsigned seed = 0; seed < 60; ++seed) {
        this->draw(seed, 0);
        this->expect_bits(arithmetic::rotated_product<TypeParam>(3), "seed " + std::to_string(seed));
    }
}

// Sums from anywhere in their range, so that some leave it: bits that wrap, and the overflows of every step.
TEST(rotated_int8_product, has_the_bits_and_the_overflows_of_a_loop)
{
    using product = arithmetic::rotated_product<std::int8_t>;
    product tested(2);
    unsigned overflowing = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const auto up_to = [&](std::size_t n) { return 1 + random() % n; };
        product::problem p;
        p.blocks = up_to(4);
        p.mode = seed % 3;
        for (auto& b : p.block) { b = up_to(5); }
        p.made = up_to(6);
        for (auto& a : p.advance) { a = (up_to(2) == 1 ? 1 : p.blocks - 1) % p.blocks; }
        p.ascending = up_to(2) == 1;
        p.accumulate = seed % 4 != 0;
        index3 from{p.blocks * p.block[0], p.blocks * p.block[1], p.blocks * p.block[2]}, to = from;
        to[p.mode] = p.blocks * p.made;
        const auto volume = [](const index3& n) { return n[0] * n[1] * n[2]; };
        std::vector<std::int32_t> x(volume(from)), y(volume(to));
        std::vector<std::int8_t> c(from[p.mode] * to[p.mode]);
        for (auto& e : x) { e = static_cast<std::int8_t>(random()); }
        for (auto& e : c) { e = static_cast<std::int8_t>(random()); }
        constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
        for (auto& e : y) { e = seed % 2 == 0 ? static_cast<std::int32_t>(random() % 1000) : largest - e; }
        std::vector<std::int32_t> expected = y;
        std::vector<std::uint64_t> overflows(p.blocks), found(p.blocks);
        for (std::size_t at = 0; at < expected.size(); ++at) {
            const index3 i{at / to[2] / to[1], at / to[2] % to[1], at % to[2]};
            std::int64_t first = 0;
            for (unsigned m = 0; m < 3; ++m) {
                first += static_cast<std::int64_t>(p.advance[m] * (i[m] / (m == p.mode ? p.made : p.block[m])));
            }
            std::int32_t sum = p.accumulate ? expected[at] : 0;
            for (std::size_t t = 0; t < p.blocks; ++t) {
                const auto side = static_cast<std::int64_t>(p.blocks), step = static_cast<std::int64_t>(t);
                const auto block =
                    static_cast<std::size_t>(((first + (p.ascending ? step : -step)) % side + side) % side);
                for (std::size_t j = 0; j < p.block[p.mode]; ++j) {
                    index3 n = i;
                    n[p.mode] = block * p.block[p.mode] + j;
                    const std::int64_t exact = sum + std::int64_t{x[(n[0] * from[1] + n[1]) * from[2] + n[2]]} *
                                                         c[n[p.mode] * to[p.mode] + i[p.mode]];
                    sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(exact));
                    overflows[t] += exact != sum ? 1 : 0;
                }
            }
            expected[at] = sum;
        }
        p.x = x.data();
        p.y = y.data();
        p.coefficients = c.data();
        tested.run(p, found.data());
        EXPECT_EQ(y, expected) << seed;
        EXPECT_EQ(found, overflows) << seed;
        for (const auto o : overflows) { overflowing += o != 0 ? 1 : 0; }
    }
    EXPECT_GT(overflowing, 50u);
}

} // namespace
} // namespace tensorloom::test
