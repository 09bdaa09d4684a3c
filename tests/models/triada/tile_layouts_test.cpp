// Products larger than the mesh in all layouts of memory, with operands that serve several results: the bits of the
// sums as the mesh's rows stream, both fidelities alike, and as many elements moved as the closed forms say.
#include <algorithm>
#include <complex>
#include <gtest/gtest.h>
#include "models/triada/triada_bench.h"
#include "models/triada/mesh_config.h"
#include "models/triada/random_case.h"
#include "models/triada/random_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using command = triada::gemt_command;

std::uint64_t blocks(std::uint32_t size, std::uint32_t tile) { return (size + tile - 1) / tile; }

/// Elements through the memory port, worked out from the sizes.
struct moved_elements {
    std::uint64_t loaded = 0, unloaded = 0;
};

template <class T> moved_elements moved_by(const gemt_case<T>& g, const shape3& mesh)
{
    const auto volume = [](const shape3& n) { return std::uint64_t{n[0]} * n[1] * n[2]; };
    moved_elements moved{g.initial.size(), 0};
    shape3 n = g.shape;
    for (unsigned stage = 0; stage < 3; ++stage) {
        if (!g.runs(stage)) { continue; }
        const unsigned mode = g.order[stage] - 1;
        const std::uint64_t partials = std::max(g.partials, 1u);
        moved.loaded += volume(n) * ((blocks(g.result_shape()[mode], mesh[mode]) + partials - 1) / partials);
        n[mode] = g.result_shape()[mode];
        moved.unloaded += volume(n);
    }
    if ((g.layouts & command::flag_convert_x) != 0) {
        moved.loaded += g.volume();
        moved.unloaded += g.volume();
    }
    if ((g.layouts & command::flag_convert_y) != 0) {
        moved.loaded += g.result_volume();
        moved.unloaded += g.result_volume();
    }
    return moved;
}

std::uint16_t draw_layouts(case_maker& maker)
{
    std::uint16_t flags = maker.chance(0.5) ? command::flag_work_tiles : 0;
    static constexpr std::uint16_t of_x[] = {0, command::flag_x_tiles, command::flag_convert_x};
    static constexpr std::uint16_t of_y[] = {0, command::flag_y_tiles, command::flag_convert_y};
    return static_cast<std::uint16_t>(flags | of_x[maker.below(3)] | of_y[maker.below(3)]);
}

class tile_layouts : public sim_test_with_param<int> {};

template <class T> void expect_bits_counts_and_time(std::uint64_t seed)
{
    case_maker maker(seed);
    std::vector<std::unique_ptr<triada_bench>> benches;
    constexpr unsigned products = 4;
    gemt_case<T> cases[products];
    gemt_outcome<T> found[products][2]; // by fidelity
    shape3 meshes[products];
    for (unsigned i = 0; i < products; ++i) {
        auto& mesh = meshes[i];
        for (auto& cells : mesh) { cells = 1 + maker.below(4); }
        auto& g = cases[i];
        do {
            g = maker.make_any<T>({mesh[0] * 4, mesh[1] * 4, mesh[2] * 4}, case_maker::specials::wild);
        } while (g.fits(mesh));
        auto config = mesh_config(mesh, base::element_type_of<T>);
        config.cell_registers = 1 + maker.below(8);
        g.partials = maker.below(config.cell_registers + 1);
        g.layouts = draw_layouts(maker);
        draw_control(seed + i, config);
        for (unsigned f = 0; f < 2; ++f) {
            config.fidelity = f == 0 ? triada::fidelity::fast : triada::fidelity::detailed;
            benches.push_back(
                std::make_unique<triada_bench>("bench_" + std::to_string(benches.size()), config,
                                               [&, i, f](triada_bench& b) { found[i][f] = b.run(cases[i]); }));
        }
    }
    sc_core::sc_start();
    for (unsigned i = 0; i < products; ++i) {
        const auto& g = cases[i];
        SCOPED_TRACE("product " + std::to_string(i) + ", layouts " + std::to_string(g.layouts) + ", partials " +
                     std::to_string(g.partials));
        const auto& fast = found[i][0];
        const auto& detailed = found[i][1];
        ASSERT_TRUE(fast.result.done || fast.result.error == isa::error_code::accumulator_overflow);
        EXPECT_EQ(fast.result.error, detailed.result.error);
        EXPECT_EQ(fast.result.cycles, detailed.result.cycles);
        EXPECT_TRUE(fast.rows == detailed.rows);
        EXPECT_TRUE(same_bits(fast.y, detailed.y));
        EXPECT_TRUE(same_bits(fast.sums, detailed.sums));
        std::uint64_t all = 0;
        for (const auto& row : fast.rows) { all += row.cycles; }
        EXPECT_EQ(all, fast.result.cycles); // the causes sum to the total
        if (!fast.result.done) { continue; }
        if (g.sums_wanted) {
            EXPECT_TRUE(same_bits(fast.sums, oracle_result_sums(g, meshes[i])));
        } else {
            EXPECT_TRUE(same_bits(fast.y, oracle_result(g, meshes[i])));
        }
        const auto moved = moved_by(g, meshes[i]);
        EXPECT_EQ(fast.counts[triada::event::element_load], moved.loaded);
        EXPECT_EQ(fast.counts[triada::event::element_unload], moved.unloaded);
        if (!g.double_buffer) { EXPECT_EQ(fast.counts[triada::event::overlapped_cycle], 0u); }
    }
}

TEST_P(tile_layouts, change_no_bit)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    switch (GetParam() % 6) {
    case 0: expect_bits_counts_and_time<double>(seed); break;
    case 1: expect_bits_counts_and_time<float>(seed); break;
    case 2: expect_bits_counts_and_time<std::complex<double>>(seed); break;
    case 3: expect_bits_counts_and_time<std::complex<float>>(seed); break;
    case 4: expect_bits_counts_and_time<arithmetic::bfloat16>(seed); break;
    default: expect_bits_counts_and_time<std::int8_t>(seed); break;
    }
}

INSTANTIATE_TEST_SUITE_P(random, tile_layouts, ::testing::Range(0, 60));

} // namespace
