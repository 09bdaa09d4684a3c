// Tensors that move beside the work: the next one loads and the last result leaves while the stages of this one run.
#include <algorithm>
#include <gtest/gtest.h>
#include "models/triada/random_case.h"
#include "models/triada/triada_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using triada::gemt_command;

constexpr unsigned tensors = 4;

/// The same product of several tensors: one after the other, and overlapped.
template <class T> struct batch_case {
    std::vector<gemt_case<T>> cases;

    batch_case(std::uint64_t seed, const shape3& mesh)
    {
        case_maker maker(seed);
        auto g = maker.make<T>(mesh, case_maker::specials::zeros);
        g.initial.clear();
        cases.push_back(g);
        while (cases.size() < tensors) {
            auto next = maker.make<T>(mesh, case_maker::specials::zeros);
            for (std::size_t e = 0; e < g.x.size(); ++e) { g.x[e] = next.x[e % next.x.size()]; }
            cases.push_back(g);
        }
    }
};

struct batch_outcome {
    bench_outcome<triada::counts> run;
    std::vector<std::vector<double>> y;
};

gemt_command in_cells(gemt_command c, bool x, bool y)
{
    const auto inside = [](isa::tensor_descriptor& d) {
        d = isa::dense_descriptor(0, static_cast<base::element_type>(d.type), {d.size[0], d.size[1], d.size[2]});
    };
    if (x) { inside(c.x); }
    if (y) { inside(c.y); }
    return c;
}

batch_outcome run_batch(triada_bench& bench, const batch_case<double>& batch, bool overlapped)
{
    const auto& first = batch.cases.front();
    const auto common = bench.place(first);
    std::vector<gemt_command> commands;
    std::vector<isa::tensor_descriptor> x, y;
    for (const auto& g : batch.cases) {
        x.push_back(common.x);
        x.back().base = bench.store(g.x);
        y.push_back(common.y);
        y.back().base = bench.reserve(g.result_volume() * sizeof(double));
    }
    for (unsigned i = 0; i < tensors; ++i) {
        gemt_command c = common;
        c.x = x[i];
        c.y = y[i];
        if (i > 0) {
            c.flags |= gemt_command::flag_keep_matrices;
            c.matrix = {};
            c.row_order_address = {};
        }
        if (overlapped) {
            const bool is_last = i + 1 == tensors;
            c = in_cells(c, i > 0, !is_last);
            if (i > 0) {
                c.flags |= gemt_command::flag_take_next | gemt_command::flag_store_previous;
                c.initial_y = y[i - 1];
            }
            if (!is_last) {
                c.flags |= gemt_command::flag_hold_result | gemt_command::flag_load_next;
                c.workspace = x[i + 1];
            }
        }
        commands.push_back(c);
    }
    batch_outcome outcome;
    outcome.run = bench.run(commands);
    for (unsigned i = 0; i < tensors; ++i) {
        gemt_command c;
        c.y = y[i];
        outcome.y.emplace_back();
        bench.fetch(c, outcome.y.back(), first.result_volume());
    }
    return outcome;
}

class triada_overlap : public sim_test, public testing::WithParamInterface<unsigned> {};

TEST_P(triada_overlap, hides_transfers_and_changes_nothing_else)
{
    const shape3 mesh{6, 5, 7};
    const batch_case<double> batch(GetParam() * 7 + 1, mesh);
    triada::config fast;
    fast.mesh = mesh;
    fast.cell_registers = 1 + GetParam() % 4;
    fast.step_cycles = 1 + GetParam() % 3 * 8;
    auto detailed = fast;
    detailed.fidelity = triada::fidelity::detailed;
    batch_outcome plain, overlapped, by_cells;
    triada_bench a("a", fast, [&](triada_bench& bench) { plain = run_batch(bench, batch, false); });
    triada_bench b("b", fast, [&](triada_bench& bench) { overlapped = run_batch(bench, batch, true); });
    triada_bench c("c", detailed, [&](triada_bench& bench) { by_cells = run_batch(bench, batch, true); });
    run_to_end(a, b, c);

    ASSERT_EQ(overlapped.run.result.error, isa::error_code::none);
    for (unsigned i = 0; i < tensors; ++i) {
        EXPECT_TRUE(same_bits(plain.y[i], oracle_result(batch.cases[i])));
        EXPECT_TRUE(same_bits(overlapped.y[i], plain.y[i]));
        EXPECT_TRUE(same_bits(by_cells.y[i], plain.y[i]));
    }
    EXPECT_EQ(by_cells.run.rows, overlapped.run.rows);
    EXPECT_EQ(by_cells.run.result.cycles, overlapped.run.result.cycles);

    using event = triada::event;
    const auto& counts = overlapped.run.counts;
    for (const auto e : {event::step, event::mac, event::operand_send, event::coefficient_send, event::element_load,
                         event::element_unload, event::register_read, event::register_write}) {
        EXPECT_EQ(counts[e], plain.run.counts[e]) << static_cast<unsigned>(e);
    }
    const auto hidden = counts[event::overlapped_cycle];
    EXPECT_GT(hidden, 0u);
    EXPECT_EQ(overlapped.run.result.cycles, overlapped.run.logged_cycles());
    EXPECT_EQ(overlapped.run.cycles_of("load") + overlapped.run.cycles_of("unload") + hidden,
              counts[event::load_cycle] + counts[event::unload_cycle]);
    EXPECT_LT(overlapped.run.result.cycles, plain.run.result.cycles);
}

INSTANTIATE_TEST_SUITE_P(seeds, triada_overlap, testing::Range(0u, 12u));

} // namespace
