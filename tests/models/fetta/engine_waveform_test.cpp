// What waveforms show of a contraction engine: tokens by row, and the registers of every PE, cycle by cycle.
#include <gtest/gtest.h>
#include "models/fetta/engine_case.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using fetta::engine_dataflow;

constexpr unsigned side = 4;

class engine_waveform_test : public sim_test {
protected:
    engine_waveform_test()
    {
        for (unsigned r = 0; r < side; ++r) {
            for (unsigned n = 0; n < side; ++n) { m_pes.push_back(&m_engine.watch(r, n)); }
        }
    }
    const fetta::pe_waveform& pe(unsigned r, unsigned n) const { return *m_pes[r * side + n]; }
    std::vector<engine_tile> tiles(engine_dataflow path, std::size_t count, std::size_t steps)
    {
        return engine_case{path, side, element_type::f32, count, steps}.random_tiles(m_random);
    }
    // The first `terms` terms of a column.
    static float column_sum(const engine_tile& tile, std::size_t t, unsigned n, unsigned terms)
    {
        float sum = 0;
        for (unsigned i = 0; i < terms; ++i) { sum = oracle_mac(element_type::f32, sum, tile.ia[t][i], tile.ib[i][n]); }
        return sum;
    }
    // The first `terms` terms of a PE.
    static float pe_sum(const engine_tile& tile, unsigned m, unsigned n, std::size_t terms)
    {
        float sum = 0;
        for (std::size_t k = 0; k < terms; ++k) {
            sum = oracle_mac(element_type::f32, sum, tile.ia[k][m], tile.ib[k][n]);
        }
        return sum;
    }

    fetta::contraction_engine m_engine{"engine"};
    const fetta::engine_waveform& m_shown = m_engine.watch();
    std::vector<const fetta::pe_waveform*> m_pes;
    std::mt19937 m_random{7};
};

TEST_F(engine_waveform_test, a_stationary_tile_moves_down_a_row_per_cycle)
{
    const auto work = tiles(engine_dataflow::stationary_vertical, 2, 3);
    engine_bench bench({&m_engine}, side);
    bench.stationary(4, work[0]);
    bench.stationary(8, work[1]);
    unsigned seen = 0;
    bench.run([&](std::int64_t c) {
        EXPECT_EQ(m_shown.drains, 0u);
        std::uint32_t valid = 0;
        for (unsigned r = 0; r < side; ++r) {
            const std::int64_t at_row = c - r; // of the tokens
            const bool steps = (at_row >= 4 && at_row < 7) || (at_row >= 8 && at_row < 11);
            ASSERT_EQ(m_shown.steps >> r & 1u, steps ? 1u : 0u) << "cycle " << c << " row " << r;
            ASSERT_EQ(m_shown.starts >> r & 1u, at_row == 4 || at_row == 8 ? 1u : 0u);
            ASSERT_EQ(m_shown.loads >> r & 1u, (c >= r && c < 4) || (c >= 4 + r && c < 8) ? 1u : 0u) << c << " " << r;
            if (r == side - 1) { valid = steps ? 1 : 0; }
            for (unsigned n = 0; n < side; ++n) {
                const auto& shown = pe(r, n);
                ASSERT_EQ(shown.step, steps);
                if (c == 3) { ASSERT_EQ(shown.ib_shadow, work[0].ib[r][n]); }
                if (c == 7) { ASSERT_EQ(shown.ib_shadow, work[1].ib[r][n]); }
                if (at_row < 4) { continue; }
                const auto& tile = work[at_row < 8 ? 0 : 1];
                ASSERT_EQ(shown.ib_active, tile.ib[r][n]) << "cycle " << c << " row " << r;
                if (!steps) { continue; }
                const auto t = static_cast<std::size_t>(at_row % 4);
                ASSERT_EQ(shown.ia, tile.ia[t][r]);
                ASSERT_EQ(shown.psum, column_sum(tile, t, n, r + 1));
                ++seen;
            }
        }
        EXPECT_EQ(m_shown.valid, valid == 1) << c;
    });
    EXPECT_EQ(seen, 2 * 3 * side * side);
}

TEST_F(engine_waveform_test, a_horizontal_load_moves_right_and_is_a_cycle_later_in_every_row)
{
    const auto work = tiles(engine_dataflow::stationary_horizontal, 1, 1);
    m_engine.configure(engine_dataflow::stationary_horizontal);
    engine_bench bench({&m_engine}, side);
    bench.stationary(4, work[0]);
    bench.run([&](std::int64_t c) {
        for (unsigned r = 0; r < side; ++r) {
            const std::int64_t at_row = c - r;
            ASSERT_EQ(m_shown.loads >> r & 1u, at_row >= 0 && at_row < 4 ? 1u : 0u) << c << " " << r;
            for (unsigned n = 0; at_row >= 0 && at_row < 4 && n <= at_row; ++n) { // row 3 of the tile entered first
                ASSERT_EQ(pe(r, n).ib_shadow, work[0].ib[3 - static_cast<std::size_t>(at_row) + n][r]);
            }
            for (unsigned n = 0; at_row >= 4 && n < side; ++n) { ASSERT_EQ(pe(r, n).ib_active, work[0].ib[n][r]); }
        }
    });
}

TEST_F(engine_waveform_test, sums_that_stay_move_to_the_shadow_and_drain)
{
    constexpr std::size_t steps = 5;
    const auto work = tiles(engine_dataflow::output_stationary, 1, steps);
    m_engine.configure(engine_dataflow::output_stationary);
    engine_bench bench({&m_engine}, side);
    bench.output_stationary(0, work[0]);
    unsigned drained = 0;
    bench.run([&](std::int64_t c) {
        const std::int64_t drain = c - 8; // the bottom row's sums are in the shadow since the end of cycle 8
        EXPECT_EQ(m_shown.valid, drain >= 0 && drain < 4);
        for (unsigned r = 0; r < side; ++r) {
            const std::int64_t at_row = c - r;
            const bool finishes = at_row == 5;
            const bool moves = drain >= 1 && drain <= r;
            ASSERT_EQ(m_shown.steps >> r & 1u, at_row >= 0 && at_row < 5 ? 1u : 0u);
            ASSERT_EQ(m_shown.drains >> r & 1u, finishes || moves ? 1u : 0u) << "cycle " << c << " row " << r;
            for (unsigned n = 0; n < side; ++n) {
                const auto& shown = pe(r, n);
                if (at_row >= 0 && at_row < 5) {
                    const auto k = static_cast<std::size_t>(at_row);
                    ASSERT_EQ(shown.psum, pe_sum(work[0], r, n, k + 1));
                    ASSERT_EQ(shown.ib_shadow, work[0].ib[k][n]);
                }
                if (at_row >= 5 && drain <= r) {
                    const auto from = static_cast<unsigned>(r - std::max<std::int64_t>(drain, 0));
                    ASSERT_EQ(shown.psum_shadow, pe_sum(work[0], from, n, steps)) << "cycle " << c << " row " << r;
                    ++drained;
                }
            }
        }
    });
    EXPECT_GT(drained, 0u);
}

} // namespace
} // namespace tensorloom::test
