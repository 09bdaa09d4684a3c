// How many vectors travel in one transfer, or which memory layout the tensors have, changes nothing.
#include <gtest/gtest.h>
#include <tensorloom/models/triada/operand_line.h>
#include "models/triada/triada_bench.h"
#include "models/triada/random_case.h"
#include "support/expected_report.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class stream_test : public sim_test {};

TEST_F(stream_test, burst_length_changes_nothing)
{
    case_maker maker(11);
    const auto g = maker.make<double>({6, 7, 5}, case_maker::specials::zeros);
    std::vector<std::unique_ptr<triada_bench>> benches;
    std::vector<gemt_outcome<double>> outcomes(5);
    const unsigned bursts[] = {0, 1, 2, 3, 100};
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        triada::config config;
        config.mesh = {6, 7, 5};
        config.stream_burst = bursts[i];
        benches.push_back(std::make_unique<triada_bench>("bench_" + std::to_string(i), config,
                                                         [&, i](triada_bench& b) { outcomes[i] = b.run(g); }));
    }
    sc_core::sc_start();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        ASSERT_TRUE(benches[i]->finished());
        EXPECT_TRUE(same_bits(outcomes[i].y, outcomes[0].y));
        EXPECT_TRUE(outcomes[i].rows == outcomes[0].rows);
        EXPECT_EQ(outcomes[i].result.cycles, outcomes[0].result.cycles);
    }
}

// A driver that breaks the rule of one drive per time-step.
TEST_F(stream_test, second_drive_of_a_line_in_a_step_is_an_error)
{
    const expected_report expected("/tensorloom/triada/operand_line/second_drive");
    triada::step_context strobe;
    strobe.id = 1;
    triada::operand_line<double> line("line", 0, strobe);
    line.drive_operand(1.0);
    EXPECT_THROW(line.drive_operand(2.0), sc_core::sc_report);
    EXPECT_EQ(expected.count(), 1u);
}

TEST_F(stream_test, strided_tensors_are_gathered_and_scattered)
{
    case_maker maker(5);
    auto g = maker.make<double>({3, 4, 5}, case_maker::specials::zeros);
    g.initial.clear();
    const std::size_t n[3] = {g.shape[0], g.shape[1], g.shape[2]};
    // X with its modes stored in reverse order and gaps; Y stored backwards along mode 1.
    const std::int64_t x_stride[3] = {1, static_cast<std::int64_t>(n[0]) + 2,
                                      (static_cast<std::int64_t>(n[0]) + 2) * static_cast<std::int64_t>(n[1])};
    std::vector<double> x_memory((n[0] + 2) * n[1] * n[2], -1);
    for (std::size_t i = 0, at = 0; i < n[0]; ++i) {
        for (std::size_t j = 0; j < n[1]; ++j) {
            for (std::size_t k = 0; k < n[2]; ++k, ++at) {
                x_memory[i + j * static_cast<std::size_t>(x_stride[1]) + k * static_cast<std::size_t>(x_stride[2])] =
                    g.x[at];
            }
        }
    }
    std::vector<double> y(g.volume());
    triada::config config;
    config.mesh = {3, 4, 5};
    triada_bench bench("bench", config, [&](triada_bench& b) {
        auto c = b.place(g);
        c.x.base = b.store(x_memory);
        const std::int64_t plane = static_cast<std::int64_t>(n[1] * n[2]);
        const std::uint64_t y_at = b.reserve(y.size() * sizeof(double));
        for (unsigned m = 0; m < 3; ++m) { c.x.stride[m] = x_stride[m]; }
        c.y.base = y_at + (n[0] - 1) * n[1] * n[2] * sizeof(double);
        c.y.stride[0] = -plane;
        EXPECT_TRUE(b.run({c}).result.done);
        b.cpu().read_block(y_at, y.data(), y.size() * sizeof(double));
    });
    run_to_end(bench);
    const auto expected = oracle_result(g);
    const std::size_t plane = n[1] * n[2];
    for (std::size_t i = 0; i < n[0]; ++i) {
        for (std::size_t r = 0; r < plane; ++r) { EXPECT_EQ(y[(n[0] - 1 - i) * plane + r], expected[i * plane + r]); }
    }
}

} // namespace
