// The six mappings of Y[M,N] = X[M,K] W[K,N] onto engines: layouts, values, order of the sums.
//
// Engines here are split over K and over IB's free index. What stands between engines and memory (networks,
// accumulators) is a few plain additions of the test.
#include <algorithm>
#include <memory>
#include <string>
#include <gtest/gtest.h>
#include "models/fetta/engine_bench.h"
#include "models/fetta/psum_oracle.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using fetta::mapping;

/// A matrix in memory: rows of P consecutive elements of its last index.
struct stored_matrix {
    std::string order; ///< names of its two indices, the last one is contiguous
    std::size_t rows, columns;
    std::vector<float> elements;

    static stored_matrix of(const std::string& order, std::size_t rows, std::size_t columns)
    {
        return {order, rows, columns, std::vector<float>(rows * columns)};
    }
    float& at(std::size_t row, std::size_t column) { return elements[row * columns + column]; }
    stored_matrix transposed() const
    {
        stored_matrix t = of({order[1], order[0]}, columns, rows);
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) { t.at(c, r) = elements[r * columns + c]; }
        }
        return t;
    }
    stored_matrix as(const std::string& wanted) const { return wanted == order ? *this : transposed(); }

    /// P elements along `last`, zeros outside. A matrix that is not contiguous along it cannot be read so.
    engine_row consecutive(unsigned side, char last, std::size_t row, std::size_t first) const
    {
        EXPECT_EQ(order[1], last);
        engine_row values(side, 0.0f);
        for (std::size_t i = 0; row < rows && i < side && first + i < columns; ++i) {
            values[i] = elements[row * columns + first + i];
        }
        return values;
    }
};

/// What each mapping needs (specification, section 5.1).
struct layouts {
    mapping map;
    const char* name;
    const char* x;
    const char* w;
    const char* y;
};
constexpr layouts six[] = {
    {mapping::ws_v, "ws_v", "MK", "KN", "MN"}, {mapping::ws_h, "ws_h", "MK", "NK", "MN"},
    {mapping::is_v, "is_v", "KM", "NK", "NM"}, {mapping::is_h, "is_h", "MK", "NK", "NM"},
    {mapping::os_1, "os_1", "KM", "KN", "MN"}, {mapping::os_2, "os_2", "KM", "KN", "NM"},
};

struct problem {
    std::size_t m, k, n;
    unsigned side, parts_k, parts_f; ///< P, g_k, g of IB's free index: parts_k x parts_f engines
    element_type psum;
};

class six_mappings : public sim_test {
protected:
    static float sum_of(element_type psum, float left, float right) { return oracle_mac(psum, left, right, 1.0f); }
    static std::size_t quotient(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

    /// Y through engines, in the layout "MN".
    stored_matrix through_engines(const problem& p, const layouts& l, const stored_matrix& x, const stored_matrix& w)
    {
        const std::size_t count = std::size_t{p.parts_k} * p.parts_f;
        std::vector<std::unique_ptr<fetta::contraction_engine>> engines;
        std::vector<fetta::contraction_engine*> pointers;
        for (std::size_t e = 0; e < count; ++e) {
            const std::string name = std::string(l.name) + "_" + std::to_string(m_made++);
            engines.push_back(std::make_unique<fetta::contraction_engine>(
                name.c_str(), fetta::contraction_engine_config{p.side, p.psum}));
            engines.back()->configure(fetta::dataflow_of(l.map));
            pointers.push_back(engines.back().get());
        }
        engine_bench bench(pointers, p.side);
        const bool x_in_ib = has_x_in_ib(l.map);
        const auto ia = (x_in_ib ? w.as(l.w) : x.as(l.x));
        const auto ib = (x_in_ib ? x.as(l.x) : w.as(l.w));
        auto y = stored_matrix::of(l.y, x_in_ib ? p.n : p.m, x_in_ib ? p.m : p.n);
        return (is_output_stationary(l.map) ? sums_that_stay(p, bench, ia, ib, y)
                                            : sums_that_move(p, l, bench, ia, ib, y))
            .as("MN");
    }

    // k = (kt g_k + c_k) P + i; index of IB: (ft g_f + c_f) P + n; T = all of IA's free index.
    stored_matrix sums_that_move(const problem& p, const layouts& l, engine_bench& bench, const stored_matrix& ia,
                                 const stored_matrix& ib, stored_matrix& y)
    {
        const std::size_t side = p.side;
        const std::size_t steps = y.rows;
        const std::size_t tiles_k = quotient(p.k, p.parts_k * side);
        const std::size_t tiles_f = quotient(y.columns, p.parts_f * side);
        const char free_index = y.order[1];
        auto start = static_cast<std::int64_t>(side);
        for (std::size_t ft = 0; ft < tiles_f; ++ft) {
            for (std::size_t kt = 0; kt < tiles_k; ++kt, start += static_cast<std::int64_t>(std::max(steps, side))) {
                for (std::size_t e = 0; e < std::size_t{p.parts_k} * p.parts_f; ++e) {
                    const std::size_t k = (kt * p.parts_k + e % p.parts_k) * side;
                    const std::size_t f = (ft * p.parts_f + e / p.parts_k) * side;
                    engine_tile tile;
                    for (std::size_t t = 0; t < steps; ++t) { tile.ia.push_back(ia.consecutive(p.side, 'K', t, k)); }
                    for (std::size_t r = 0; r < side; ++r) {
                        tile.ib.push_back(is_horizontal(l.map) ? ib.consecutive(p.side, 'K', f + r, k)
                                                               : ib.consecutive(p.side, free_index, k + r, f));
                    }
                    bench.stationary(start, tile, e);
                }
            }
        }
        const auto outputs = bench.run();
        std::size_t place = 0;
        for (std::size_t ft = 0; ft < tiles_f; ++ft) {
            for (std::size_t kt = 0; kt < tiles_k; ++kt) {
                for (std::size_t t = 0; t < steps; ++t, ++place) { add_row(p, outputs, place, y, t, ft, kt == 0); }
            }
        }
        return y;
    }

    // k = c_k K' + step; index of IA: rt P + m; index of IB: (ct g_f + c_f) P + n.
    stored_matrix sums_that_stay(const problem& p, engine_bench& bench, const stored_matrix& ia,
                                 const stored_matrix& ib, stored_matrix& y)
    {
        const std::size_t side = p.side;
        const std::size_t steps = quotient(p.k, p.parts_k);
        const std::size_t tiles_r = quotient(y.rows, side);
        const std::size_t tiles_c = quotient(y.columns, p.parts_f * side);
        std::int64_t start = 0;
        for (std::size_t rt = 0; rt < tiles_r; ++rt) {
            for (std::size_t ct = 0; ct < tiles_c; ++ct, start += static_cast<std::int64_t>(std::max(steps, side))) {
                for (std::size_t e = 0; e < std::size_t{p.parts_k} * p.parts_f; ++e) {
                    const std::size_t f = (ct * p.parts_f + e / p.parts_k) * side;
                    engine_tile tile;
                    for (std::size_t step = 0; step < steps; ++step) {
                        const std::size_t k = (e % p.parts_k) * steps + step;
                        tile.ia.push_back(ia.consecutive(p.side, y.order[0], k, rt * side));
                        tile.ib.push_back(ib.consecutive(p.side, y.order[1], k, f));
                    }
                    bench.output_stationary(start, tile, e);
                }
            }
        }
        const auto outputs = bench.run();
        std::size_t place = 0;
        for (std::size_t rt = 0; rt < tiles_r; ++rt) {
            for (std::size_t ct = 0; ct < tiles_c; ++ct) {
                for (std::size_t drained = 0; drained < side; ++drained, ++place) {
                    add_row(p, outputs, place, y, rt * side + side - 1 - drained, ct, true);
                }
            }
        }
        return y;
    }

    // The reduction over parts of K, neighbours first, then the accumulators: the first is stored, the others are
    // added.
    static void add_row(const problem& p, const std::vector<std::vector<engine_output>>& outputs, std::size_t place,
                        stored_matrix& y, std::size_t row, std::size_t tile, bool first)
    {
        for (std::size_t part = 0; part < p.parts_f; ++part) {
            for (std::size_t n = 0; n < p.side; ++n) {
                std::vector<float> sums;
                for (std::size_t c = 0; c < p.parts_k; ++c) {
                    sums.push_back(outputs[part * p.parts_k + c].at(place).row[n]);
                }
                for (; sums.size() > 1; sums.resize(sums.size() / 2)) {
                    for (std::size_t i = 0; i < sums.size() / 2; ++i) {
                        sums[i] = sum_of(p.psum, sums[2 * i], sums[2 * i + 1]);
                    }
                }
                const std::size_t column = (tile * p.parts_f + part) * p.side + n;
                if (row >= y.rows || column >= y.columns) { continue; }
                y.at(row, column) = first ? sums[0] : sum_of(p.psum, y.at(row, column), sums[0]);
            }
        }
    }

    /// The formula: sum over o in order, tree over the parts of K, chain of L terms, k = (o g_k + part) L + i.
    static float ordered_sum(const problem& p, bool stays, stored_matrix& x, stored_matrix& w, std::size_t m,
                             std::size_t n)
    {
        const std::size_t length = stays ? quotient(p.k, p.parts_k) : p.side;
        const std::size_t outer = stays ? 1 : quotient(p.k, p.parts_k * length);
        float y = 0;
        for (std::size_t o = 0; o < outer; ++o) {
            const float part = tree(p, x, w, m, n, o, 0, p.parts_k, length);
            y = o == 0 ? part : sum_of(p.psum, y, part);
        }
        return y;
    }
    static float tree(const problem& p, stored_matrix& x, stored_matrix& w, std::size_t m, std::size_t n, std::size_t o,
                      std::size_t first, std::size_t parts, std::size_t length)
    {
        if (parts > 1) {
            return sum_of(p.psum, tree(p, x, w, m, n, o, first, parts / 2, length),
                          tree(p, x, w, m, n, o, first + parts / 2, parts / 2, length));
        }
        float sum = 0;
        for (std::size_t i = 0; i < length; ++i) {
            const std::size_t k = (o * p.parts_k + first) * length + i;
            sum = oracle_mac(p.psum, sum, k < p.k ? x.at(m, k) : 0, k < p.k ? w.at(k, n) : 0);
        }
        return sum;
    }

    std::mt19937 m_random{41};
    unsigned m_made = 0;
};

const problem problems[] = {
    {4, 4, 4, 4, 1, 1, element_type::f32},   {9, 13, 6, 4, 1, 1, element_type::f32},
    {2, 21, 11, 4, 4, 2, element_type::f32}, {17, 30, 19, 4, 2, 8, element_type::f32},
    {3, 40, 5, 2, 4, 1, element_type::f32},  {10, 37, 20, 8, 2, 2, element_type::f32},
    {9, 13, 6, 4, 1, 1, element_type::bf16}, {17, 70, 19, 4, 8, 2, element_type::bf16},
};

TEST_F(six_mappings, are_equal_on_integers_to_a_naive_product)
{
    for (const auto& p : problems) {
        auto x = stored_matrix::of("MK", p.m, p.k);
        auto w = stored_matrix::of("KN", p.k, p.n);
        // All sums are integers below 256, which are numbers of bfloat16.
        for (float& v : x.elements) { v = static_cast<float>(static_cast<int>(m_random() % 4)) - 1.0f; }
        for (float& v : w.elements) { v = static_cast<float>(static_cast<int>(m_random() % 3)) - 1.0f; }
        auto naive = stored_matrix::of("MN", p.m, p.n);
        for (std::size_t m = 0; m < p.m; ++m) {
            for (std::size_t n = 0; n < p.n; ++n) {
                for (std::size_t k = 0; k < p.k; ++k) { naive.at(m, n) += x.at(m, k) * w.at(k, n); }
            }
        }
        for (const auto& l : six) {
            EXPECT_EQ(through_engines(p, l, x, w).elements, naive.elements) << l.name << " K " << p.k;
        }
    }
}

TEST_F(six_mappings, have_the_bits_of_their_order_of_sums)
{
    for (const auto& p : problems) {
        auto x = stored_matrix::of("MK", p.m, p.k);
        auto w = stored_matrix::of("KN", p.k, p.n);
        for (float& v : x.elements) { v = random_bf16(m_random); }
        for (float& v : w.elements) { v = random_bf16(m_random); }
        for (const auto& l : six) {
            const bool stays = is_output_stationary(l.map);
            std::vector<float> expected;
            for (std::size_t m = 0; m < p.m; ++m) {
                for (std::size_t n = 0; n < p.n; ++n) { expected.push_back(ordered_sum(p, stays, x, w, m, n)); }
            }
            EXPECT_EQ(through_engines(p, l, x, w).elements, expected) << l.name << " K " << p.k;
        }
    }
}

} // namespace
} // namespace tensorloom::test
