// Operands of which no word is read, results of which none is written: they may lie anywhere, also where another
// operand lies.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/vector/limits.h>
#include "models/blocks/vector_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::error_code;
using isa::vector::opcode;
using isa::vector::strided_command;
using isa::vector::vector_command;

constexpr std::uint32_t nowhere = 0xfffffff8; // aligned, and far behind the scratchpad
constexpr std::uint32_t operand_length = 20;
constexpr std::uint32_t a = 0, b = 1024, z = 2048;

class untouched_operands : public sim_test {
protected:
    // An instruction in both fidelities, of int64 words that are all 0 at first but those of a and z.
    template <class Run> static void run(const Run& run_one, const std::vector<std::int64_t>& results)
    {
        blocks::vector_unit_config config;
        config.lanes = 3;
        vector_bench fast("fast", config, 4);
        config.fidelity = blocks::fidelity::detailed;
        vector_bench detailed("detailed", config, 4);
        bench_thread thread("thread", [&] {
            for (auto* bench : {&fast, &detailed}) {
                SCOPED_TRACE(bench == &fast ? "fast" : "detailed");
                const auto words = [&](std::uint32_t at) {
                    return reinterpret_cast<std::int64_t*>(bench->pad().at(at));
                };
                std::iota(words(a), words(a) + operand_length, 1);
                std::fill_n(words(z), operand_length, 77);
                auto expected = bench->contents();
                const auto* bytes = reinterpret_cast<const unsigned char*>(results.data());
                std::copy(bytes, bytes + results.size() * sizeof(std::int64_t), expected.data() + z);
                const auto outcome = run_one(bench->unit);
                EXPECT_EQ(outcome.error, error_code::none);
                EXPECT_GT(outcome.cycles(), 0u);
                EXPECT_TRUE(bench->contents() == expected);
            }
        });
        sc_core::sc_start();
        EXPECT_TRUE(thread.ended());
    }
    static void run_vector(opcode code, const vector_command& c, const std::vector<std::int64_t>& results)
    {
        ASSERT_FALSE(isa::vector::check(code, c, {base::element_type::int64, 1u << 16}));
        run([&](blocks::vector_unit& unit) { return unit.execute(code, c); }, results);
    }

    // z has one word for each of a, b is all 0.
    static vector_command command(std::uint32_t table)
    {
        vector_command c;
        c.result.address = z;
        c.a.address = a;
        c.b.address = b;
        c.length = operand_length;
        c.table = table;
        return c;
    }
    static std::vector<std::int64_t> ascending()
    {
        std::vector<std::int64_t> all(operand_length);
        std::iota(all.begin(), all.end(), 1);
        return all;
    }
};

TEST_F(untouched_operands, compact_of_no_results_reads_its_flags_where_the_result_would_be)
{
    auto c = command(0);
    c.result.address = b;
    run_vector(opcode::compact, c, {});
}
TEST_F(untouched_operands, compact_of_no_results_has_them_where_its_words_are)
{
    auto c = command(0);
    c.result.address = a;
    run_vector(opcode::compact, c, {});
}
TEST_F(untouched_operands, compact_of_no_results_has_them_nowhere)
{
    auto c = command(0);
    c.result.address = nowhere;
    run_vector(opcode::compact, c, {});
}
TEST_F(untouched_operands, gather_prev_of_an_empty_table_nowhere)
{
    auto c = command(0);
    c.a.address = nowhere;
    run_vector(opcode::gather_prev, c, std::vector<std::int64_t>(operand_length, 0));
}
TEST_F(untouched_operands, revert_of_an_empty_table_nowhere)
{
    auto c = command(0);
    c.c.address = nowhere;
    run_vector(opcode::revert, c, ascending());
}
TEST_F(untouched_operands, flags_of_an_empty_table_where_the_result_is)
{
    auto c = command(0);
    c.a.address = z;
    c.b = {};
    run_vector(opcode::flags, c, std::vector<std::int64_t>(operand_length, 0));
}
TEST_F(untouched_operands, scatter_last_without_a_whole_block_has_no_words_to_scatter)
{
    auto c = command(0);
    c.block = operand_length + 1;
    c.b.address = nowhere;
    run_vector(opcode::scatter_last, c, ascending());
}
TEST_F(untouched_operands, sum_with_words_that_are_all_shifted_out)
{
    auto c = command(0);
    c.b = {nowhere, operand_length, {}};
    run_vector(opcode::add, c, ascending());
}
TEST_F(untouched_operands, repl_of_nothing_from_nowhere)
{
    strided_command c;
    c.result = {z, {0, 5, 1}, {}};
    c.a = {nowhere, {1 << 30, 1 << 30, 1 << 30}, {}};
    c.size = {1, 4, 5};
    c.valid = {1, 0, 5};
    ASSERT_FALSE(isa::vector::check(opcode::repl, c, 0, {base::element_type::int64, 1u << 16}));
    run([&](blocks::vector_unit& unit) { return unit.execute(c); }, std::vector<std::int64_t>(operand_length, 0));
}
TEST_F(untouched_operands, repl_of_one_row_whose_next_would_be_nowhere)
{
    strided_command c;
    c.result = {z, {0, 5, 1}, {}};
    c.a = {a, {0, 1 << 30, 1}, {}};
    c.size = {1, 4, 5};
    c.valid = {1, 1, 5};
    ASSERT_FALSE(isa::vector::check(opcode::repl, c, 0, {base::element_type::int64, 1u << 16}));
    std::vector<std::int64_t> row = {1, 2, 3, 4, 5};
    row.resize(operand_length);
    run([&](blocks::vector_unit& unit) { return unit.execute(c); }, row);
}

} // namespace
