#pragma once
#include <algorithm>
#include <random>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/fetta/contraction_engine.h>
#include "models/fetta/engine_bench.h"
#include "models/fetta/psum_oracle.h"

namespace tensorloom::test {

/// Tiles of one length, a distance apart, in one data path; what must leave the engine, and when.
struct engine_case {
    fetta::engine_dataflow path = fetta::engine_dataflow::stationary_vertical;
    unsigned side = 4;
    base::element_type psum = base::element_type::f32;
    std::size_t tiles = 1;
    std::size_t steps = 1; ///< T or K'
    std::int64_t apart = 4;
    std::int64_t later = 0;   ///< cycles before what would be its first one
    std::int64_t latency = 1; ///< L: cycles of a multiply-add

    bool is_output_stationary() const { return path == fetta::engine_dataflow::output_stationary; }

    std::vector<engine_tile> random_tiles(std::mt19937& random) const
    {
        std::vector<engine_tile> all(tiles);
        for (auto& tile : all) {
            for (std::size_t t = 0; t < steps; ++t) { tile.ia.push_back(random_row(side, random)); }
            const std::size_t ib_rows = is_output_stationary() ? steps : side;
            for (std::size_t r = 0; r < ib_rows; ++r) { tile.ib.push_back(random_row(side, random)); }
        }
        return all;
    }

    void put(engine_bench& bench, const std::vector<engine_tile>& all) const
    {
        for (std::size_t n = 0; n < all.size(); ++n) {
            if (is_output_stationary()) {
                bench.output_stationary(start(n), all[n]);
            } else {
                bench.stationary(start(n), all[n]);
            }
        }
    }
    /// The first cycle is 0.
    std::vector<engine_output> run(fetta::contraction_engine& engine, const std::vector<engine_tile>& all) const
    {
        engine_bench bench({&engine}, side, static_cast<unsigned>(latency));
        engine.configure(path);
        put(bench, all);
        return bench.run()[0];
    }

    /// By the formulas of the specification, not in the order of the hardware's registers.
    std::vector<engine_output> expected(const std::vector<engine_tile>& all) const
    {
        std::vector<engine_output> outputs;
        for (std::size_t n = 0; n < all.size(); ++n) {
            if (is_output_stationary()) {
                for (unsigned drained = 0; drained < side; ++drained) {
                    const std::int64_t end = start(n) + latency * static_cast<std::int64_t>(steps);
                    outputs.push_back({end + side - 1 + drained, row_of_pes(all[n], side - 1 - drained)});
                }
            } else {
                for (std::size_t t = 0; t < steps; ++t) {
                    const std::int64_t cycle = start(n) + static_cast<std::int64_t>(t) + latency * side - 1;
                    outputs.push_back({cycle, row_of_columns(all[n], t)});
                }
            }
        }
        return outputs;
    }

    /// Cycles from the first row in to the last one out.
    std::int64_t cycles() const
    {
        const std::int64_t before = static_cast<std::int64_t>(tiles - 1) * apart;
        const auto last = static_cast<std::int64_t>(steps);
        return is_output_stationary() ? before + latency * last + 2 * side - 1
                                      : side + before + last + latency * side - 1;
    }

private:
    std::int64_t start(std::size_t n) const
    {
        return later + (is_output_stationary() ? 0 : std::int64_t{side}) + static_cast<std::int64_t>(n) * apart;
    }
    // Row t of the result: every column sums over the rows of the engine.
    engine_row row_of_columns(const engine_tile& tile, std::size_t t) const
    {
        const bool transposed = path == fetta::engine_dataflow::stationary_horizontal;
        engine_row row(side, 0.0f);
        for (unsigned n = 0; n < side; ++n) {
            for (unsigned i = 0; i < side; ++i) {
                const float b = transposed ? tile.ib[n][i] : tile.ib[i][n];
                row[n] = oracle_mac(psum, row[n], tile.ia[t][i], b);
            }
        }
        return row;
    }
    // Row m of the result: every PE sums over its steps.
    engine_row row_of_pes(const engine_tile& tile, unsigned m) const
    {
        engine_row row(side, 0.0f);
        for (unsigned n = 0; n < side; ++n) {
            for (std::size_t k = 0; k < steps; ++k) { row[n] = oracle_mac(psum, row[n], tile.ia[k][m], tile.ib[k][n]); }
        }
        return row;
    }
};

inline std::int64_t tile_distance(std::size_t steps, std::int64_t least)
{
    return std::max(static_cast<std::int64_t>(steps), least);
}

} // namespace tensorloom::test
