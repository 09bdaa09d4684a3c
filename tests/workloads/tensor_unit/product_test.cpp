#include <complex>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>
#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <tensorloom/workloads/tensor_unit/recursive_product.h>
#include <tensorloom/workloads/tensor_unit/sparse_product.h>
#include "workloads/tensor_unit/checked_machine.h"
#include "workloads/tensor_unit/random_values.h"
#include "support/message_of.h"
#include "support/reference_program.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using mmv::event;
using namespace workloads;
using whole = std::vector<std::int64_t>;
using complex_numbers = std::vector<std::complex<double>>;

template <class T> std::vector<T> eigen_product(const std::vector<T>& a, const std::vector<T>& b, const product_size& s)
{
    using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto rows = static_cast<Eigen::Index>(s.rows), inner = static_cast<Eigen::Index>(s.inner);
    const auto columns = static_cast<Eigen::Index>(s.columns);
    const matrix c =
        Eigen::Map<const matrix>(a.data(), rows, inner) * Eigen::Map<const matrix>(b.data(), inner, columns);
    return std::vector<T>(c.data(), c.data() + c.size());
}

template <class T> void expect_close(const std::vector<T>& found, const std::vector<T>& expected, double tolerance)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) { ASSERT_LE(std::abs(found[i] - expected[i]), tolerance) << i; }
}

const product_size odd_sizes[] = {{1, 1, 1},  {1, 7, 1},  {2, 3, 5},    {3, 3, 3},   {4, 4, 4},  {5, 4, 9},
                                  {8, 1, 13}, {13, 8, 2}, {11, 11, 11}, {16, 12, 8}, {1, 20, 3}, {9, 17, 6}};

// Takes programs apart and computes nothing: for sizes that would take long.
class unexecuted_machine : public mmv_session, private reference_executor {
public:
    std::vector<isa::vector::strided_command> multiplied; // of S_MAC

    const mmv::limits& limits() const override { return m_limits; }
    std::uint64_t data_base() const override { return 0; }
    std::uint64_t data_bytes() const override { return std::uint64_t{1} << 30; }
    void write(std::uint64_t, const void*, std::size_t) override {}
    void read(std::uint64_t, void*, std::size_t) override {}
    program_outcome<mmv::counts> run(const std::vector<std::uint8_t>& program) override
    {
        std::uint32_t command = 0;
        run_reference_program(program, *this, command);
        return {};
    }

private:
    void transfer(bool, const isa::transfer_command&, const std::vector<std::uint32_t>&) override {}
    std::vector<std::uint32_t> list(std::uint64_t, std::uint32_t) override { return {}; }
    void execute(const reference_command& command, const isa::loop_indices&) override
    {
        if (command.header.opcode != static_cast<std::uint16_t>(mmv::opcode::s_mac)) { return; }
        multiplied.push_back(
            isa::vector::strided_command::decode(command.payload(isa::vector::strided_command::payload_bytes)));
        EXPECT_EQ(mmv::check(mmv::opcode::s_mac, multiplied.back(), command.header.flags, m_limits), std::nullopt);
    }

    mmv::limits m_limits{4, element_type::int64, std::uint32_t{1} << 30};
};

TEST(scalar_product, of_more_operations_than_a_command_has_is_several_commands)
{
    unexecuted_machine machine;
    const std::uint64_t n = 1500;
    scalar_product(machine, whole(n * n), whole(n * n), {n, n, n});
    ASSERT_EQ(machine.multiplied.size(), 2u);
    std::uint64_t rows = 0, cpu_ops = 0;
    for (const auto& c : machine.multiplied) {
        EXPECT_EQ(c.result.address, machine.multiplied[0].result.address + rows * n * 8);
        EXPECT_EQ(c.a.address, machine.multiplied[0].a.address + rows * n * 8);
        EXPECT_EQ(c.b.address, machine.multiplied[0].b.address);
        EXPECT_EQ((std::array<std::uint32_t, 2>{c.size[1], c.size[2]}), (std::array<std::uint32_t, 2>{1500, 1500}));
        rows += c.size[0];
        cpu_ops += c.cpu_ops;
    }
    EXPECT_EQ(rows, n);
    EXPECT_EQ(cpu_ops, 2 * n * n * n);
}

TEST(tensor_product, is_exact_in_every_integer_format_for_sizes_that_do_not_fill_tiles)
{
    std::mt19937_64 source(1);
    for (const auto format : {element_type::int64, element_type::int32, element_type::int8}) {
        for (const std::uint32_t q : {2u, 3u, 4u, 5u}) {
            checked_machine machine(q, format, 1u << 20);
            for (const auto& s : odd_sizes) {
                const whole a = random_whole(source, s.rows * s.inner, -128, 127);
                const whole b = random_whole(source, s.inner * s.columns, -128, 127);
                const whole expected = eigen_product(a, b, s);
                for (const auto shape : {call_shape::tall, call_shape::square}) {
                    const auto r = tensor_product(machine, shape, a, b, s);
                    ASSERT_EQ(std::get<whole>(r.values), expected) << s.rows << " " << s.inner << " " << s.columns;
                    ASSERT_EQ(cost_of(r), product_cost(s, q, shape));
                    ASSERT_EQ(r.shape, (std::vector<std::uint64_t>{s.rows, s.columns}));
                }
                const auto scalar = scalar_product(machine, a, b, s);
                ASSERT_EQ(std::get<whole>(scalar.values), expected);
                ASSERT_EQ(cost_of(scalar), (tensor_unit_cost{0, 0, 2 * s.rows * s.inner * s.columns}));
            }
        }
    }
}

TEST(tensor_product, is_right_in_real_and_complex_formats)
{
    std::mt19937_64 source(2);
    for (const auto& s : odd_sizes) {
        checked_machine real(3, element_type::f64, 1u << 20), complex(3, element_type::c128, 1u << 20);
        const auto a = random_real(source, s.rows * s.inner), b = random_real(source, s.inner * s.columns);
        const auto r = tensor_product(real, call_shape::tall, a, b, s);
        expect_close(std::get<std::vector<double>>(r.values), eigen_product(a, b, s), 1e-13);

        const auto imaginary = random_real(source, s.rows * s.inner);
        complex_numbers x, y(b.begin(), b.end());
        for (std::size_t i = 0; i < a.size(); ++i) { x.emplace_back(a[i], imaginary[i]); }
        const auto c = tensor_product(complex, call_shape::tall, x, y, s);
        expect_close(std::get<complex_numbers>(c.values), eigen_product(x, y, s), 1e-13);
    }
}

TEST(recursive_product, equals_the_plain_one_and_meets_its_closed_form)
{
    std::mt19937_64 source(3);
    for (const std::uint32_t q : {2u, 3u, 4u}) {
        for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{q - 1}, std::uint64_t{q}, std::uint64_t{2 * q},
                                      std::uint64_t{4 * q}, std::uint64_t{8 * q}}) {
            checked_machine machine(q, element_type::int64, 1u << 20);
            const whole a = random_whole(source, n * n, -1000, 1000), b = random_whole(source, n * n, -1000, 1000);
            const whole expected = eigen_product(a, b, {n, n, n});
            for (const auto shape : {call_shape::tall, call_shape::square}) {
                for (const auto* scheme : {&strassen_scheme(), &eightfold_scheme()}) {
                    for (std::uint64_t leaf = 1; leaf <= 2 * n; leaf *= 2) {
                        const auto r = recursive_product(machine, shape, *scheme, a, b, n, leaf);
                        EXPECT_EQ(std::get<whole>(r.values), expected);
                        EXPECT_EQ(cost_of(r), recursive_cost(*scheme, n, leaf, q, shape));
                    }
                }
            }
        }
    }
}

TEST(recursive_product, by_thirds_equals_the_plain_one_and_meets_its_closed_form)
{
    std::mt19937_64 source(6);
    for (const std::uint32_t q : {2u, 4u}) {
        for (const std::uint64_t n : {std::uint64_t{q}, std::uint64_t{3 * q}, std::uint64_t{9 * q}}) {
            checked_machine machine(q, element_type::int64, 1u << 20);
            const whole a = random_whole(source, n * n, -1000, 1000), b = random_whole(source, n * n, -1000, 1000);
            const whole expected = eigen_product(a, b, {n, n, n});
            for (const auto shape : {call_shape::tall, call_shape::square}) {
                for (std::uint64_t leaf = q; leaf <= n; leaf *= 3) {
                    const auto r = recursive_product(machine, shape, laderman_scheme(), a, b, n, leaf);
                    EXPECT_EQ(std::get<whole>(r.values), expected) << q << " " << n << " " << leaf;
                    EXPECT_EQ(cost_of(r), recursive_cost(laderman_scheme(), n, leaf, q, shape));
                }
            }
        }
    }
}

// Of every scheme as it is: sum over the products of (left factor of A[i][k]) (right factor of B[l][j]) (what they are
// in C[p][r]) is 1 where C[p][r] has A[i][k] B[l][j], i = p, k = l, j = r; else 0. Source: Brent's equations.
TEST(product_schemes, are_exact)
{
    struct known {
        const product_scheme& scheme;
        std::size_t products;
        std::uint64_t sums;
    };
    const known all[] = {{strassen_scheme(), 7, 18}, {eightfold_scheme(), 8, 4}, {laderman_scheme(), 23, 98}};
    for (const auto& [scheme, products, sums] : all) {
        const std::size_t n = scheme.parts, blocks = n * n;
        EXPECT_EQ(scheme.products.size(), products);
        EXPECT_EQ(scheme.sums(), sums);
        ASSERT_EQ(scheme.results.size(), blocks);
        const auto factor = [](const product_scheme::terms& sum, std::size_t index) {
            int found = 0;
            for (const auto& t : sum) { found += t.index == index ? (t.minus ? -1 : 1) : 0; }
            return found;
        };
        for (std::size_t a = 0; a < blocks; ++a) {
            for (std::size_t b = 0; b < blocks; ++b) {
                for (std::size_t c = 0; c < blocks; ++c) {
                    int sum = 0;
                    for (std::size_t p = 0; p < products; ++p) {
                        sum += factor(scheme.products[p].left, a) * factor(scheme.products[p].right, b) *
                               factor(scheme.results[c], p);
                    }
                    const bool meet = a / n == c / n && a % n == b / n && b % n == c % n;
                    ASSERT_EQ(sum, meet ? 1 : 0) << products << ": " << a << " " << b << " " << c;
                }
            }
        }
    }
}

// By a recursion that counts, one node after the other.
tensor_unit_cost counted(std::uint64_t n, std::uint64_t leaf, std::uint64_t q, std::uint64_t parts,
                         std::uint64_t products, std::uint64_t sums)
{
    tensor_unit_cost cost;
    if (n <= leaf) {
        for (std::uint64_t block = 0; block < n / q * (n / q); ++block) {
            cost += {1, n, block < n / q ? 0 : n * q}; // the first of a column of blocks is not added to anything
        }
        return cost;
    }
    for (std::uint64_t p = 0; p < products; ++p) { cost += counted(n / parts, leaf, q, parts, products, sums); }
    cost.cpu_ops += sums * (n / parts) * (n / parts);
    return cost;
}

TEST(recursive_product, closed_forms_are_what_a_recursion_counts)
{
    for (const std::uint64_t q : {4u, 16u}) {
        for (std::uint64_t leaf = q; leaf <= 8 * q; leaf *= 2) {
            const auto shape = call_shape::tall;
            EXPECT_EQ(recursive_cost(strassen_scheme(), 8 * q, leaf, q, shape), counted(8 * q, leaf, q, 2, 7, 18));
            EXPECT_EQ(recursive_cost(eightfold_scheme(), 8 * q, leaf, q, shape), counted(8 * q, leaf, q, 2, 8, 4));
        }
        for (std::uint64_t leaf = q; leaf <= 27 * q; leaf *= 3) {
            EXPECT_EQ(recursive_cost(laderman_scheme(), 27 * q, leaf, q, call_shape::tall),
                      counted(27 * q, leaf, q, 3, 23, 98));
        }
    }
}

TEST(recursive_product, the_best_leaf_pays_from_some_size_on)
{
    const auto time = [](std::uint64_t n, std::uint64_t leaf, std::uint64_t l) {
        return recursive_cost(strassen_scheme(), n, leaf, 4, call_shape::tall).time(4, l);
    };
    const auto dense = [](std::uint64_t n, std::uint64_t l) {
        return product_cost({n, n, n}, 4, call_shape::tall).time(4, l);
    };
    EXPECT_EQ(time(128, 32, 0), 955392u);
    EXPECT_EQ(dense(128, 0), 1032192u);
    EXPECT_EQ(time(256, 32, 0), 6982656u);
    EXPECT_EQ(dense(256, 0), 8323072u);
    const auto best = [](const product_scheme& scheme, std::uint64_t n, std::uint64_t l) {
        return best_leaf(scheme, n, 4, call_shape::tall, l);
    };
    EXPECT_EQ(best(strassen_scheme(), 128, 0), 32u);
    EXPECT_EQ(best(strassen_scheme(), 256, 0), 32u);
    EXPECT_EQ(best(strassen_scheme(), 32, 0), 32u);      // itself: the sums cost more than a product
    EXPECT_EQ(best(strassen_scheme(), 128, 1000), 128u); // and so do the calls
    EXPECT_EQ(best(eightfold_scheme(), 64, 0), 4u);      // all are equal
    EXPECT_EQ(best(laderman_scheme(), 324, 0), 108u);
    for (const auto* scheme : {&strassen_scheme(), &laderman_scheme()}) {
        for (const std::uint64_t l : {0u, 10u, 1000u}) {
            std::uint64_t n = 4;
            for (unsigned k = 0; k < 5; ++k, n *= scheme->parts) {
                const auto found = recursive_cost(*scheme, n, best(*scheme, n, l), 4, call_shape::tall).time(4, l);
                for (std::uint64_t leaf = 4; leaf <= n; leaf *= scheme->parts) {
                    EXPECT_LE(found, recursive_cost(*scheme, n, leaf, 4, call_shape::tall).time(4, l));
                }
            }
        }
    }
}

TEST(recursive_product, time_is_that_of_the_theorem)
{
    const std::uint64_t q = 4, m = 16, l = 1000;
    std::uint64_t sevens = 1, eights = 1, fours = 1;
    for (std::uint64_t n = q; n <= 128; n *= 2, sevens *= 7, eights *= 8, fours *= 4) {
        const auto time = [&](const auto& scheme) {
            return recursive_cost(scheme, n, q, q, call_shape::tall).time(q, l);
        };
        EXPECT_EQ(time(strassen_scheme()), sevens * (m + l) + 6 * m * (sevens - fours));
        EXPECT_EQ(time(eightfold_scheme()), eights * (m + l) + m * (eights - fours));
    }
}

TEST(recursive_product, refuses_a_size_that_does_not_halve_to_tiles)
{
    checked_machine machine(4, element_type::int64, 1u << 20);
    for (const std::uint64_t n : {std::uint64_t{6}, std::uint64_t{12}, std::uint64_t{20}, std::uint64_t{24}}) {
        const auto run = [&](const auto& scheme) {
            recursive_product(machine, call_shape::tall, scheme, whole(n * n), whole(n * n), n, 4);
        };
        EXPECT_THROW(run(strassen_scheme()), base::input_error) << n;
        if (n != 12) { EXPECT_THROW(run(laderman_scheme()), base::input_error) << n; }
    }
}

TEST(tensor_product, reports_overflow)
{
    const std::int64_t large = std::int64_t{1} << 62;
    checked_machine machine(2, element_type::int64, 1u << 20);
    const product_size one_sum{1, 2, 1};
    try {
        tensor_product(machine, call_shape::tall, whole{large, large}, whole{1, 1}, one_sum);
        FAIL();
    } catch (const program_error& e) {
        EXPECT_EQ(e.code(), isa::error_code::accumulator_overflow);
    }
    // The same sum by the processor, over two calls.
    try {
        tensor_product(machine, call_shape::tall, whole{large, 0, large}, whole{1, 0, 1}, {1, 3, 1});
        FAIL();
    } catch (const program_error& e) {
        EXPECT_EQ(e.code(), isa::error_code::arithmetic_overflow);
    }
}

TEST(tensor_product, names_the_scratchpad_that_it_needs)
{
    checked_machine machine(4, element_type::int64, 1u << 10);
    const whole a(256), b(256);
    const auto found = message_of([&] { tensor_product(machine, call_shape::tall, a, b, {16, 16, 16}); });
    // three matrices and a piece of 16 x 4
    EXPECT_NE(found.find(std::to_string(8 * (3 * 256 + 64))), std::string::npos) << found;
}

TEST(tensor_product, refuses_operands_of_another_size)
{
    checked_machine machine(4, element_type::int64, 1u << 20);
    EXPECT_THROW(tensor_product(machine, call_shape::tall, whole(5), whole(4), {2, 2, 2}), base::input_error);
    EXPECT_THROW(tensor_product(machine, call_shape::tall, whole(4), whole(5), {2, 2, 2}), base::input_error);
}

// ---- sparse ----

whole random_sparse(std::mt19937_64& source, std::uint64_t n, std::uint64_t nonzeros)
{
    whole m(n * n);
    for (std::uint64_t e = 0; e < nonzeros; ++e) {
        m[source() % (n * n)] = static_cast<std::int64_t>(source() % 19) - 9;
    }
    return m;
}

TEST(sparse_product, is_exact_for_random_patterns_and_any_guess_of_the_non_zeros)
{
    std::mt19937_64 source(4);
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{10}, std::uint64_t{33}}) {
        for (unsigned trial = 0; trial < 6; ++trial) {
            const whole a = random_sparse(source, n, n), b = random_sparse(source, n, n);
            const whole expected = eigen_product(a, b, {n, n, n});
            for (const std::uint64_t guess : {std::uint64_t{1}, n, 4 * n}) {
                checked_machine machine(4, element_type::int64, 1u << 20);
                const auto r = sparse_product(machine, call_shape::tall, a, b, n, guess);
                ASSERT_EQ(std::get<whole>(r.values), expected) << n << " " << guess;
                ASSERT_EQ(r.counts[event::matmul_call],
                          sparse_cost(n, 4, call_shape::tall, guess, 0, r.rounds, 0).calls);
            }
            checked_machine machine(4, element_type::int64, 1u << 20);
            const auto scalar = sparse_product_scalar(machine, a, b, n);
            ASSERT_EQ(std::get<whole>(scalar.values), expected);
            ASSERT_EQ(scalar.counts[event::matmul_call], 0u);
        }
    }
}

TEST(sparse_product, takes_two_results_of_a_bucket_neither_for_one_nor_for_none)
{
    // Results 1 at (i, i) and at (j, j), i + j even: in one bucket they have the sums of a result 2 half-way between
    // them, but for the random weights. Results 1 and -1 have the sum 0, but for the row numbers. In one bucket none is
    // found, in two both are: so two are known before the last round, and none before the others.
    const std::uint64_t n = 9;
    std::uint64_t later = 0;
    whole identity(n * n);
    for (std::uint64_t k = 0; k < n; ++k) { identity[k * n + k] = 1; }
    for (const std::int64_t second : {1, -1}) {
        for (std::uint64_t i = 0; i < n; ++i) {
            for (std::uint64_t j = i + 2; j < n; j += 2) {
                whole a(n * n);
                a[i * n + i] = 1;
                a[j * n + j] = second;
                checked_machine machine(2, element_type::int64, 1u << 20);
                const auto r = sparse_product(machine, call_shape::tall, a, identity, n, 1);
                EXPECT_EQ(std::get<whole>(r.values), a);
                EXPECT_EQ(cost_of(r), sparse_cost(n, 2, call_shape::tall, 1, 2 + n, r.rounds, 2)) << i << " " << j;
                later += r.rounds > 2 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(later, 0u); // some did share a bucket
}

TEST(sparse_product, another_seed_hashes_otherwise_and_gives_the_same)
{
    const auto& sparse = find_tensor_unit_algorithm("sparse");
    tensor_unit_problem problem;
    problem.size = 32;
    std::set<std::uint64_t> operations;
    for (problem.seed = 0; problem.seed < 6; ++problem.seed) {
        const auto p = completed_problem(sparse, problem, 4);
        const auto inputs = sparse.inputs(p);
        checked_machine machine(4, element_type::int64, 1u << 20);
        const auto r = sparse.run(machine, p, inputs);
        EXPECT_EQ(r.values, sparse.reference(p, inputs)) << problem.seed;
        operations.insert(r.counts[event::cpu_op]);
    }
    EXPECT_GT(operations.size(), 1u);
}

TEST(sparse_product, of_nothing_takes_one_round)
{
    checked_machine machine(4, element_type::int64, 1u << 20);
    const auto r = sparse_product(machine, call_shape::tall, whole(64), whole(64), 8, 8);
    EXPECT_EQ(r.rounds, 1u);
    EXPECT_EQ(std::get<whole>(r.values), whole(64));
}

TEST(sparse_product, results_that_cancel_are_no_results)
{
    // (1, -1) in a row of A meets two equal rows of B.
    checked_machine machine(2, element_type::int64, 1u << 20);
    const whole a{1, -1, 0, 0, 0, 0, 0, 0, 2}, b{5, 6, 7, 5, 6, 7, 0, 0, 3};
    EXPECT_EQ(std::get<whole>(sparse_product(machine, call_shape::tall, a, b, 3, 3).values),
              (whole{0, 0, 0, 0, 0, 0, 0, 0, 6}));
}

TEST(sparse_product, refuses_a_product_that_it_does_not_find)
{
    std::mt19937_64 source(5);
    checked_machine machine(2, element_type::int64, 1u << 20);
    const std::uint64_t n = 40; // full, for 2 x 2 buckets
    const whole a = random_whole(source, n * n, 1, 9), b = random_whole(source, n * n, 1, 9);
    EXPECT_THROW(sparse_product(machine, call_shape::tall, a, b, n, 1), base::input_error);
}

} // namespace
} // namespace tensorloom::test
