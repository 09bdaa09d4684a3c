// Actuators and stage control in Verilog stream the rows that their order and the zero rows ask for, each for three
// clocks, and drive the lines that ESOP and the tags ask for: random matrices, orders, tags and stages, in every
// format.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/rtl/formats.h>
#include <tensorloom/models/rtl/triada/row_streams.h>
#include "models/rtl/amount.h"

namespace {

using namespace tensorloom;
using clock_phase = rtl::row_streams::clock;

struct matrix_row {
    std::vector<std::uint64_t> elements;
    std::uint32_t tag = 0;
};

class rtl_streams_test : public ::testing::TestWithParam<base::element_type> {
protected:
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(m_random() % end); }

    static unsigned element_bits() { return 8 * static_cast<unsigned>(base::element_bytes(GetParam())); }
    static bool is_zero(std::uint64_t element)
    {
        const std::uint64_t sign = std::uint64_t{1} << (element_bits() - 1);
        return element == 0 || (GetParam() != base::element_type::int8 && element == sign);
    }

    std::uint64_t element()
    {
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - element_bits());
        switch (below(4)) {
        case 0: return m_random() & all;
        case 1: return std::uint64_t{1} << below(element_bits()); // among them the sign alone, and subnormals
        default: return 0;
        }
    }

    // Every mode's store: rows beyond those that are streamed have contents, too.
    void fill_stores()
    {
        for (unsigned mode = 0; mode < 3; ++mode) {
            for (std::uint32_t n = 0; n < most; ++n) {
                auto& row = m_rows[mode][n];
                row.elements.assign(most, 0);
                if (below(3) > 0) {
                    std::generate(row.elements.begin(), row.elements.end(), [this] { return element(); });
                }
                row.tag = below(most);
                m_streams->write(mode, n, row.elements, row.tag);
            }
        }
    }

    std::vector<rtl::streamed_stage> random_stages()
    {
        std::array<unsigned, 3> modes{0, 1, 2};
        std::shuffle(modes.begin(), modes.end(), m_random);
        std::vector<rtl::streamed_stage> stages(1 + below(3));
        for (std::size_t s = 0; s < stages.size(); ++s) {
            stages[s].mode = modes[s];
            stages[s].length = 1 + below(most);
            std::vector<std::uint32_t> all(most);
            std::iota(all.begin(), all.end(), 0u);
            std::shuffle(all.begin(), all.end(), m_random);
            stages[s].order.assign(all.begin(), all.begin() + 1 + below(most));
        }
        return stages;
    }

    void expect_face(const rtl::streamed_stage& stage, const matrix_row& row, bool esop)
    {
        for (std::uint32_t k = 0; k < most; ++k) {
            const bool tag = k == row.tag;
            const bool driven = k < stage.length && (!esop || tag || !is_zero(row.elements[k]));
            EXPECT_EQ(m_streams->lines() >> k & 1, driven ? 1u : 0u) << k;
            EXPECT_EQ(m_streams->tags() >> k & 1, tag ? 1u : 0u) << k;
            EXPECT_EQ(m_streams->element(k), row.elements[k]) << k;
        }
    }

    void expect_row(const std::vector<rtl::streamed_stage>& stages, unsigned s, std::uint32_t position, bool esop)
    {
        const auto& stage = stages[s];
        ASSERT_FALSE(m_streams->done());
        EXPECT_EQ(m_streams->stage(), s);
        EXPECT_EQ(m_streams->position(), position);
        for (const auto phase : {clock_phase::x_lines, clock_phase::y_lines, clock_phase::multiply_add}) {
            EXPECT_EQ(m_streams->phase(), phase);
            EXPECT_EQ(m_streams->streaming(), 1u << stage.mode);
            expect_face(stage, m_rows[stage.mode][stage.order[position]], esop);
            m_streams->tick();
        }
    }

    void run_program()
    {
        fill_stores();
        const auto stages = random_stages();
        const bool esop = below(4) > 0;
        m_streams->start(stages, esop);
        std::array<std::uint32_t, 3> skipped{};
        const auto expect_skipped = [&] {
            for (unsigned s = 0; s < 3; ++s) { EXPECT_EQ(m_streams->skipped(s), skipped[s]) << s; }
            skipped = {};
        };
        for (unsigned s = 0; s < stages.size(); ++s) {
            for (std::uint32_t p = 0; p < stages[s].order.size(); ++p) {
                const auto& row = m_rows[stages[s].mode][stages[s].order[p]].elements;
                if (esop && std::all_of(row.begin(), row.end(), is_zero)) {
                    skipped[s] |= 1u << p;
                    continue;
                }
                expect_skipped();
                expect_row(stages, s, p, esop);
                if (HasFailure()) { return; }
            }
        }
        expect_skipped();
        for (unsigned idle = 0; idle < 3; ++idle, m_streams->tick()) {
            EXPECT_TRUE(m_streams->done());
            EXPECT_EQ(m_streams->phase(), clock_phase::idle);
            EXPECT_EQ(m_streams->streaming(), 0u);
            EXPECT_EQ(m_streams->lines(), 0u);
        }
    }

    // In the middle of a product a new one begins.
    void abandon_program()
    {
        fill_stores();
        m_streams->start(random_stages(), false);
        for (std::uint32_t clocks = below(20); clocks > 0; --clocks) { m_streams->tick(); }
    }

    static constexpr std::uint32_t most = rtl::row_streams::most;
    std::mt19937_64 m_random{31};
    std::unique_ptr<rtl::row_streams> m_streams;
    std::array<std::array<matrix_row, most>, 3> m_rows;
};

TEST_P(rtl_streams_test, rows_of_the_order_without_zero_rows_three_clocks_each)
{
    if (!rtl::has(GetParam())) { GTEST_SKIP() << *rtl::missing(GetParam()); }
    m_streams = rtl::make_row_streams(GetParam());
    for (std::uint64_t program = 0; program < test::amount(1'000, 100'000) && !HasFailure(); ++program) {
        SCOPED_TRACE("program " + std::to_string(program));
        if (below(4) == 0) { abandon_program(); }
        run_program();
    }
}

INSTANTIATE_TEST_SUITE_P(formats, rtl_streams_test,
                         ::testing::Values(base::element_type::int8, base::element_type::bf16, base::element_type::f32,
                                           base::element_type::f64),
                         [](const auto& format) { return std::string(base::element_type_name(format.param)); });

} // namespace
