// Words that are no indices, one at a time: refused before anything is written.
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <string>
#include <vector>
#include "models/blocks/vector_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::error_code;
using isa::vector::opcode;

constexpr std::uint32_t list_length = 6;
constexpr std::uint32_t table = 9;

class bad_index_test : public sim_test {
protected:
    /// The instruction with this index in one place, the others being 1, ends like that.
    template <class W> static void expect(vector_bench& bench, opcode code, W index, bool good)
    {
        isa::vector::vector_command c;
        c.length = list_length;
        c.table = table;
        if (code == opcode::scatter_add) { c.block = 2; }
        c.result.address = 1024;
        c.a.address = 0;
        if (code != opcode::flags) { c.b.address = 256; }
        if (code == opcode::revert) { c.c.address = 512; }
        for (std::uint32_t at = 0; at < list_length; ++at) {
            SCOPED_TRACE(std::string(isa::vector::find_instruction(static_cast<std::uint8_t>(code))->name) + ", " +
                         std::to_string(index) + " at " + std::to_string(at));
            auto* const indices = reinterpret_cast<W*>(bench.pad().at(code == opcode::flags ? 0 : 256));
            if (code == opcode::scatter_add) {
                std::fill_n(reinterpret_cast<W*>(bench.pad().at(0)), 2 * list_length, W(1));
            }
            std::fill_n(indices, table, W(1));
            std::fill_n(reinterpret_cast<W*>(bench.pad().at(1024)), table, W(77));
            indices[at] = index;
            const auto before = bench.contents();
            const auto outcome = bench.unit.execute(code, c);
            EXPECT_EQ(outcome.error, good ? error_code::none : error_code::bad_index);
            EXPECT_EQ(outcome.cycles() == 0, !good);
            EXPECT_EQ(outcome.counts == isa::vector::counts{}, !good);
            EXPECT_EQ(bench.contents() == before, !good);
        }
    }
};

struct range_of_indices {
    opcode code;
    std::int64_t low, high;
};
constexpr std::int64_t far = std::int64_t{1} << 40;
constexpr range_of_indices ranges[] = {{opcode::gather_idx, 0, table - 1},
                                       {opcode::gather_prev, 0, table},
                                       {opcode::compact, 0, table},
                                       {opcode::revert, -far, table},
                                       {opcode::flags, 0, far}};

TEST_F(bad_index_test, integers_are_in_range_or_refused)
{
    blocks::vector_unit_config config;
    vector_bench bench("bench", config, 64, 4096);
    bench_thread thread("thread", [&] {
        for (const auto& r : ranges) {
            for (const std::int64_t i : {-far, std::int64_t{-1}, std::int64_t{0}, std::int64_t{table - 1},
                                         std::int64_t{table}, std::int64_t{table + 1}, far}) {
                expect<std::int64_t>(bench, r.code, i, i >= r.low && i <= r.high);
            }
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

TEST_F(bad_index_test, real_indices_are_whole_numbers_in_range_or_refused)
{
    blocks::vector_unit_config config;
    config.word = base::element_type::f64;
    vector_bench bench("bench", config, 64, 4096);
    bench_thread thread("thread", [&] {
        const double infinity = std::numeric_limits<double>::infinity();
        std::vector<range_of_indices> of_real(std::begin(ranges), std::end(ranges));
        of_real.push_back({opcode::scatter_add, 0, table - 1});
        for (const auto& r : of_real) {
            for (const double i : {-1.0, -0.5, -0.0, 0.0, 0.5, 8.0, 8.5, 9.0, 10.0, std::nextafter(3.0, 4.0)}) {
                const bool in_range = i >= static_cast<double>(r.low) && i <= static_cast<double>(r.high);
                expect<double>(bench, r.code, i, in_range && i == std::floor(i));
            }
            for (const double i : {infinity, -infinity, std::nan(""), 1e300, -1e300}) {
                expect<double>(bench, r.code, i, false);
            }
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

} // namespace
