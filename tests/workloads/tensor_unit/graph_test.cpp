#include <algorithm>
#include <cstdint>
#include <queue>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/graph_paths.h>
#include "workloads/tensor_unit/checked_machine.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using mmv::event;
using namespace workloads;
using whole = std::vector<std::int64_t>;

whole random_directed(std::mt19937_64& source, std::uint64_t n, std::uint64_t one_in)
{
    whole edges(n * n);
    for (auto& e : edges) { e = source() % one_in == 0 ? 1 : 0; }
    return edges;
}

// Warshall.
whole closure_of(whole x, std::uint64_t n)
{
    for (std::uint64_t k = 0; k < n; ++k) {
        for (std::uint64_t i = 0; i < n; ++i) {
            for (std::uint64_t j = 0; j < n; ++j) {
                if (x[i * n + k] != 0 && x[k * n + j] != 0) { x[i * n + j] = 1; }
            }
        }
    }
    return x;
}

// A random tree with a few edges more; `chain` makes the tree a path.
whole random_connected(std::mt19937_64& source, std::uint64_t n, bool chain)
{
    whole edges(n * n);
    const auto join = [&](std::uint64_t u, std::uint64_t v) {
        if (u != v) { edges[u * n + v] = edges[v * n + u] = 1; }
    };
    for (std::uint64_t v = 1; v < n; ++v) { join(v, chain ? v - 1 : source() % v); }
    for (std::uint64_t e = 0; e < n / 4; ++e) {
        const std::uint64_t u = source() % n, v = source() % n;
        if (!chain) { join(u, v); }
    }
    return edges;
}

whole distances_of(const whole& edges, std::uint64_t n)
{
    whole all(n * n, -1);
    for (std::uint64_t start = 0; start < n; ++start) {
        std::queue<std::uint64_t> open;
        open.push(start);
        all[start * n + start] = 0;
        for (; !open.empty(); open.pop()) {
            const std::uint64_t u = open.front();
            for (std::uint64_t v = 0; v < n; ++v) {
                if (edges[u * n + v] != 0 && all[start * n + v] < 0) {
                    all[start * n + v] = all[start * n + u] + 1;
                    open.push(v);
                }
            }
        }
    }
    return all;
}

TEST(closure, is_that_of_warshall_for_any_number_of_vertices)
{
    std::mt19937_64 source(1);
    for (const std::uint32_t q : {2u, 3u, 4u}) {
        for (std::uint64_t n = 1; n <= 21; n += 2) {
            for (const std::uint64_t one_in : {std::uint64_t{2}, n, 2 * n}) {
                const whole edges = random_directed(source, n, one_in);
                const whole expected = closure_of(edges, n);
                checked_machine machine(q, element_type::int64, 1u << 20);
                for (const auto shape : {call_shape::tall, call_shape::square}) {
                    const auto r = transitive_closure(machine, shape, edges, n);
                    ASSERT_EQ(std::get<whole>(r.values), expected) << q << " " << n;
                    ASSERT_EQ(cost_of(r), closure_cost(n, q, shape));
                }
                const auto scalar = transitive_closure_scalar(machine, edges, n);
                ASSERT_EQ(std::get<whole>(scalar.values), expected);
                ASSERT_EQ(cost_of(scalar), (tensor_unit_cost{0, 0, 2 * n * n * n}));
            }
        }
    }
}

TEST(closure, works_in_real_formats_and_int32)
{
    std::mt19937_64 source(2);
    const whole edges = random_directed(source, 11, 8), expected = closure_of(edges, 11);
    checked_machine narrow(4, element_type::int32, 1u << 20);
    EXPECT_EQ(std::get<whole>(transitive_closure(narrow, call_shape::tall, edges, 11).values), expected);
    for (const auto format : {element_type::f64, element_type::f32}) {
        checked_machine real(4, format, 1u << 20);
        EXPECT_EQ(std::get<std::vector<double>>(transitive_closure(real, call_shape::tall, edges, 11).values),
                  std::vector<double>(expected.begin(), expected.end()));
    }
}

TEST(closure, refuses_what_is_no_edge_and_formats_without_order)
{
    checked_machine machine(4, element_type::int64, 1u << 20), complex(4, element_type::c128, 1u << 20);
    EXPECT_THROW(transitive_closure(machine, call_shape::tall, whole{0, 2, 0, 0}, 2), base::input_error);
    EXPECT_THROW(transitive_closure(complex, call_shape::tall, whole{0, 1, 0, 0}, 2), base::input_error);
}

TEST(distances, are_those_of_a_breadth_first_search)
{
    std::mt19937_64 source(3);
    for (const std::uint32_t q : {2u, 3u, 4u}) {
        for (const std::uint64_t n : {1, 2, 3, 4, 7, 8, 9, 16, 19}) {
            for (const bool chain : {false, true}) {
                const whole edges = random_connected(source, n, chain);
                const whole expected = distances_of(edges, n);
                checked_machine machine(q, element_type::int64, 4u << 20);
                for (const auto shape : {call_shape::tall, call_shape::square}) {
                    const auto r = shortest_distances(machine, shape, edges, n);
                    ASSERT_EQ(std::get<whole>(r.values), expected) << q << " " << n << " " << chain;
                    ASSERT_EQ(cost_of(r), distances_cost(n, q, shape));
                }
                const auto scalar = shortest_distances_scalar(machine, edges, n);
                ASSERT_EQ(std::get<whole>(scalar.values), expected);
                ASSERT_EQ(scalar.counts[event::matmul_call], 0u);
            }
        }
    }
}

// Operations of one level counted block by block: seven products of halves and 18 sums of their words.
std::uint64_t strassen_operations(std::uint64_t n, std::uint64_t leaf, std::uint64_t q)
{
    if (n <= leaf) { return (n / q - 1) * n * n; }
    return 7 * strassen_operations(n / 2, leaf, q) + 18 * (n / 2) * (n / 2);
}

TEST(distances, by_strassen_are_those_of_a_breadth_first_search)
{
    std::mt19937_64 source(8);
    for (const auto& [q, n] : {std::pair(2u, 1u), std::pair(4u, 3u), std::pair(2u, 2u), std::pair(2u, 16u),
                               std::pair(3u, 12u), std::pair(4u, 32u)}) {
        for (const std::uint64_t cutoff : {1u, 2 * q, n}) {
            const bool chain = cutoff == 1;
            const whole edges = random_connected(source, n, chain), expected = distances_of(edges, n);
            for (const auto format : {element_type::int64, element_type::int32, element_type::f64}) {
                checked_machine machine(q, format, 4u << 20);
                const auto r = shortest_distances_by_strassen(machine, call_shape::tall, edges, n, cutoff);
                ASSERT_EQ(whole_numbers(r.values, "distances"), expected) << q << " " << n << " " << cutoff;
                ASSERT_EQ(cost_of(r), recursive_distances_cost(strassen_scheme(), n, cutoff, q, call_shape::tall));
                std::uint64_t levels = 1;
                while ((1u << levels) < n) { ++levels; }
                const std::uint64_t leaf = std::max<std::uint64_t>(cutoff, q);
                const std::uint64_t sums = n < q ? 0 : strassen_operations(n, leaf, q);
                ASSERT_EQ(r.counts[event::cpu_op], levels * (2 * sums + 6 * n * n)) << q << " " << n << " " << cutoff;
                ASSERT_EQ(r.counts[event::vector_element], 0u);
            }
        }
    }
}

TEST(distances, by_strassen_take_what_the_products_save)
{
    // Leaves of 32 of 128 vertices at q = 4: 49 products of 64 calls in place of 1024 calls, 7 levels of 2 products.
    const auto plain = distances_cost(128, 4, call_shape::tall);
    const auto fast = recursive_distances_cost(strassen_scheme(), 128, 32, 4, call_shape::tall);
    EXPECT_EQ(plain.calls, 14u * 1024);
    EXPECT_EQ(fast.calls, 14u * 49 * 64);
    EXPECT_EQ(plain.time(4, 0) - fast.time(4, 0), 14u * (1032192 - 955392));
}

TEST(distances, by_strassen_refuse_other_sizes_and_formats_whose_sums_are_rounded)
{
    checked_machine machine(4, element_type::int64, 1u << 20), single(4, element_type::f32, 1u << 20);
    EXPECT_THROW(shortest_distances_by_strassen(machine, call_shape::tall, whole(144), 12, 4), base::input_error);
    EXPECT_THROW(shortest_distances_by_strassen(single, call_shape::tall, whole(1), 1, 4), base::input_error);
}

TEST(distances, check_graphs_that_are_not_connected_symmetric_or_free_of_loops)
{
    checked_machine machine(4, element_type::int64, 1u << 20);
    const auto run = [&](const whole& edges, std::uint64_t n) {
        shortest_distances(machine, call_shape::tall, edges, n);
    };
    EXPECT_THROW(run(whole(9), 3), base::input_error);
    EXPECT_THROW(run({0, 1, 0, 0}, 2), base::input_error);
    EXPECT_THROW(run({1, 1, 1, 0}, 2), base::input_error);
    EXPECT_THROW(run({0, 3, 3, 0}, 2), base::input_error);
    EXPECT_NO_THROW(run({0, 1, 1, 0}, 2));
}

// ---- searches ----

// Operations of a search from every vertex that reads the lists of all vertices it reaches, from the closure: the list
// of the start is read first, and once more if the start reaches itself.
std::uint64_t closure_search_operations(const whole& edges, const whole& closure, std::uint64_t n)
{
    const auto degree = [&](std::uint64_t v) {
        return static_cast<std::uint64_t>(std::count(edges.begin() + static_cast<std::ptrdiff_t>(v * n),
                                                     edges.begin() + static_cast<std::ptrdiff_t>((v + 1) * n), 1));
    };
    std::uint64_t sum = n * n;
    for (std::uint64_t s = 0; s < n; ++s) {
        sum += degree(s) + n + degree(s); // its list made, marks cleared, its list read
        for (std::uint64_t v = 0; v < n; ++v) {
            if (closure[s * n + v] != 0) { sum += degree(v) + 2; }
        }
    }
    return sum;
}

TEST(search, closes_as_warshall_and_takes_an_operation_per_step)
{
    std::mt19937_64 source(5);
    for (std::uint64_t n = 1; n <= 21; n += 4) {
        for (const std::uint64_t one_in : {std::uint64_t{1}, std::uint64_t{3}, n, 2 * n}) {
            const whole edges = random_directed(source, n, one_in), expected = closure_of(edges, n);
            checked_machine machine(4, element_type::int64, 1u << 20);
            const auto all = transitive_closure_search(machine, search_end::lists_read, edges, n);
            ASSERT_EQ(std::get<whole>(all.values), expected) << n << " " << one_in;
            ASSERT_EQ(cost_of(all), operations(closure_search_operations(edges, expected, n))) << n << " " << one_in;
            const auto stopped = transitive_closure_search(machine, search_end::all_reached, edges, n);
            ASSERT_EQ(std::get<whole>(stopped.values), expected);
            const auto reached = static_cast<std::uint64_t>(std::count(expected.begin(), expected.end(), 1));
            ASSERT_LE(stopped.counts[event::cpu_op], all.counts[event::cpu_op] + reached);
            // Of a complete graph only the first list is read.
            if (one_in == 1) { ASSERT_EQ(cost_of(stopped), operations(2 * n * n + n * (n + n + 3 * n))); }
        }
    }
}

TEST(closure_of_words, is_that_of_warshall_and_takes_an_operation_per_word)
{
    std::mt19937_64 source(7);
    for (const std::uint64_t n : {1, 5, 63, 64, 65, 130}) {
        for (const std::uint64_t one_in : {std::uint64_t{1}, std::uint64_t{4}, n}) {
            const whole edges = random_directed(source, n, one_in), expected = closure_of(edges, n);
            const std::uint64_t words = n <= 64 ? 1 : n <= 128 ? 2 : 3;
            whole x = edges; // as it is when its flags are tested
            std::uint64_t sum = 3 * n * n - n;
            for (const auto e : edges) { sum += e != 0 ? 1 : 0; }
            for (std::uint64_t k = 0; k < n; ++k) {
                for (std::uint64_t i = 0; i < n; ++i) {
                    if (i == k || x[i * n + k] == 0) { continue; }
                    sum += words;
                    for (std::uint64_t j = 0; j < n; ++j) { x[i * n + j] |= x[k * n + j]; }
                }
            }
            checked_machine machine(4, element_type::int32, 1u << 20);
            const auto r = transitive_closure_words(machine, edges, n);
            ASSERT_EQ(std::get<whole>(r.values), expected) << n << " " << one_in;
            ASSERT_EQ(cost_of(r), operations(sum)) << n << " " << one_in;
        }
    }
}

TEST(search, has_the_distances_and_takes_an_operation_per_step)
{
    std::mt19937_64 source(6);
    for (const std::uint64_t n : {1, 2, 3, 8, 19}) {
        for (const bool chain : {false, true}) {
            const whole edges = random_connected(source, n, chain), expected = distances_of(edges, n);
            const auto ends = static_cast<std::uint64_t>(std::count(edges.begin(), edges.end(), 1));
            checked_machine machine(4, element_type::f64, 1u << 20);
            const auto all = shortest_distances_search(machine, search_end::lists_read, edges, n);
            ASSERT_EQ(std::get<std::vector<double>>(all.values), std::vector<double>(expected.begin(), expected.end()));
            ASSERT_EQ(cost_of(all), operations(n * n + ends + n * (n + ends + 2 * n)));
            const auto stopped = shortest_distances_search(machine, search_end::all_reached, edges, n);
            ASSERT_EQ(stopped.values, all.values);
            ASSERT_LE(stopped.counts[event::cpu_op], all.counts[event::cpu_op] + n * n);
        }
        whole complete(n * n, 1);
        for (std::uint64_t v = 0; v < n; ++v) { complete[v * n + v] = 0; }
        checked_machine machine(4, element_type::int64, 1u << 20);
        EXPECT_EQ(cost_of(shortest_distances_search(machine, search_end::all_reached, complete, n)),
                  operations(n * n + n * (n - 1) + n * (n + n - 1 + 3 * n)));
    }
    checked_machine machine(4, element_type::int64, 1u << 20);
    EXPECT_THROW(shortest_distances_search(machine, search_end::lists_read, whole(9), 3), base::input_error);
}

// ---- the A^(2) that the paper prints ----

// Seidel's recursion on the host. Vertices of A2 are joined by paths of two edges, and, where `keep` is set, by one
// edge.
whole seidel(const whole& a, std::uint64_t n, std::uint64_t levels, bool keep)
{
    if (levels == 0) { return a; }
    whole two(n * n), c(n * n), degree(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t j = 0; j < n; ++j) {
            std::int64_t paths = keep ? a[i * n + j] : 0;
            for (std::uint64_t k = 0; k < n; ++k) { paths += a[i * n + k] * a[k * n + j]; }
            two[i * n + j] = i != j && paths > 0 ? 1 : 0;
            degree[j] += a[i * n + j];
        }
    }
    whole t = seidel(two, n, levels - 1, keep);
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t j = 0; j < n; ++j) {
            for (std::uint64_t k = 0; k < n; ++k) { c[i * n + j] += t[i * n + k] * a[k * n + j]; }
        }
    }
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t j = 0; j < n; ++j) {
            auto& d = t[i * n + j];
            const bool odd = c[i * n + j] < d * degree[j];
            d = 2 * d - (odd ? 1 : 0);
        }
    }
    return t;
}

TEST(printed_distances, are_wrong_without_the_edges_themselves)
{
    std::mt19937_64 source(4);
    for (unsigned trial = 0; trial < 15; ++trial) {
        const std::uint64_t n = 6 + trial;
        const whole edges = random_connected(source, n, false), expected = distances_of(edges, n);
        const std::uint64_t levels = distance_levels(n);
        EXPECT_EQ(seidel(edges, n, levels, true), expected);
        EXPECT_NE(seidel(edges, n, levels, false), expected) << n;
    }
}

} // namespace
} // namespace tensorloom::test
