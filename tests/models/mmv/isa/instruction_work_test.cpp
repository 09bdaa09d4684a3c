// What instructions add to the meters: against every row of the MMV-RAM golden, by the lengths of the instructions that
// each algorithm is made of, and against counts of the operations themselves.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include <tensorloom/models/isa/vector/costs.h>

namespace tensorloom::test {
namespace {

using isa::vector::opcode;
using scalar_opcode = mmv::opcode;
using isa::vector::strided_command;
using isa::vector::vector_command;
using u64 = std::uint64_t;

/// The vector instructions of an algorithm, without values: counts steps, elements and gates.
class tape {
public:
    tape(u64 s, u64 word_bits) : m_s(s), m_bits(word_bits) {}

    u64 steps = 0, elements = 0, gates = 0;

    void scan(u64 n)
    {
        if (n <= m_s) { return; }
        blocked(opcode::gather_last, n);
        scan(blocks(n));
        blocked(opcode::scatter_last, n);
    }
    void scan_vcu(u64 n)
    {
        for (u64 d = 1; d < n; d *= 2) { plain(opcode::add, n); }
    }
    void scan_tile(u64 n)
    {
        const u64 tile = m_s * m_s;
        for (u64 t = 0; t * tile < n; ++t) { plain(opcode::add, tile), plain(opcode::add, tile); }
    }
    void compress(u64 n, u64 kept)
    {
        scan(n);
        compact(n, kept);
    }
    void diff_mmu(u64 n)
    {
        blocked(opcode::gather_last, n);
        blocked(opcode::scatter_last, n);
        plain(opcode::sub, n);
    }
    void scd(u64 n, u64 kept)
    {
        scan(n);
        compress(n, kept);
        plain(opcode::sub, kept);
    }
    void sscr(u64 n, u64 segments, bool shared)
    {
        scan(n);
        scan(n);
        if (!shared) { scan(n); }
        compact(n, segments);
        table(opcode::revert, n, segments);
    }
    void segscan(u64 n, bool special_unit)
    {
        special_unit ? blocked(opcode::revspec, n) : ks_revert(n);
        if (n <= m_s) { return; }
        blocked(opcode::gather_last, n);
        blocked(opcode::or_block, n);
        segscan(blocks(n), special_unit);
        scatter_into_zeros(n);
        blocked(opcode::fill_first, n);
        plain(opcode::is_zero, n);
        plain(opcode::mask, n);
        plain(opcode::add, n);
    }
    void segscan_vcu(u64 n)
    {
        for (u64 d = 1; d < n; d *= 2) {
            for (const auto code : {opcode::not_, opcode::mask, opcode::add, opcode::or_}) { plain(code, n); }
        }
    }
    void ewmul(u64 n, u64 bits)
    {
        const u64 p = power(bits);
        expand(n, p, bits);
        unisum(n * p, p);
    }
    void ewmul_seg(u64 n, u64 bits)
    {
        expand(n, bits, bits);
        segscan(n * bits, true);
        repl(n);
    }
    void matprod(u64 n, u64 bits)
    {
        const u64 p = power(n);
        repl(n * n * p);
        repl(n * n * p);
        ewmul(n * n * p, bits);
        unisum(n * n * p, p);
        repl(n * n);
    }
    void gemm_tiled(u64 n)
    {
        for (u64 k = 1; k < blocks(n); ++k) {
            for (u64 j = 0; j < blocks(n); ++j) { plain(opcode::add, n * m_s); }
        }
    }
    void spmv(u64 rows, u64 columns, u64 nonzeros, u64 bits)
    {
        table(opcode::gather_idx, nonzeros, columns);
        bits == 0 ? plain(opcode::mul, nonzeros) : ewmul(nonzeros, bits);
        scan(nonzeros);
        table(opcode::gather_prev, rows, nonzeros);
        plain(opcode::sub, rows);
    }

    void plain(opcode code, u64 n) { add(code, command(n)); }

private:
    u64 blocks(u64 n) const { return (n + m_s - 1) / m_s; }
    u64 power(u64 least) const
    {
        u64 p = 1;
        while (p < least) { p *= m_s; }
        return p;
    }
    static vector_command command(u64 n)
    {
        vector_command c;
        c.length = static_cast<std::uint32_t>(n);
        return c;
    }
    void add(opcode code, const vector_command& c)
    {
        ++steps;
        elements += vector_elements(code, c);
        gates += circuit_size(code, c, m_bits);
    }
    void blocked(opcode code, u64 n)
    {
        auto c = command(n);
        c.block = static_cast<std::uint32_t>(m_s);
        add(code, c);
    }
    void scatter_into_zeros(u64 n)
    {
        auto c = command(n);
        c.block = static_cast<std::uint32_t>(m_s);
        c.flags = vector_command::flag_zero_a;
        add(opcode::scatter_last, c);
    }
    void table(opcode code, u64 n, u64 entries)
    {
        auto c = command(n);
        c.table = static_cast<std::uint32_t>(entries);
        add(code, c);
    }
    void compact(u64 n, u64 kept)
    {
        plain(opcode::mask, n);
        table(opcode::compact, n, kept);
    }
    void ks_revert(u64 n)
    {
        for (const auto code : {opcode::sub, opcode::is_zero, opcode::not_, opcode::and_, opcode::mask}) {
            plain(code, n);
        }
        for (u64 d = 1; d < m_s; d *= 2) {
            for (const auto code : {opcode::sub, opcode::is_zero, opcode::and_, opcode::mask, opcode::add}) {
                plain(code, n);
            }
        }
        plain(opcode::sub, n);
    }
    void expand(u64 n, u64 block, u64 bits)
    {
        auto c = command(n);
        c.block = static_cast<std::uint32_t>(block);
        c.bits = static_cast<std::uint32_t>(bits);
        add(opcode::expand, c);
    }
    void unisum(u64 n, u64 p)
    {
        for (; p > 1; p /= m_s, n /= m_s) { blocked(opcode::gather_last, n); }
    }
    void repl(u64 n)
    {
        strided_command c;
        c.size = c.valid = {1, 1, static_cast<std::uint32_t>(n)};
        ++steps;
        elements += vector_elements(c);
        gates += circuit_size(c, m_bits);
    }

    u64 m_s, m_bits;
};

void play(tape& t, const nlohmann::json& row)
{
    const std::string algorithm = row["algorithm"];
    const u64 n = row["n"];
    const u64 made = row["out_len"];
    const u64 bits = row.contains("op_bits") && row["op_bits"].is_number() ? row["op_bits"].get<u64>() : 0;
    if (algorithm == "scan") { return t.scan(n); }
    if (algorithm == "scan_vcu") { return t.scan_vcu(n); }
    if (algorithm == "scan_tile") { return t.scan_tile(n); }
    if (algorithm == "compress") { return t.compress(n, made); }
    if (algorithm == "diff_mmu") { return t.diff_mmu(n); }
    if (algorithm == "diff_vcu") { return t.plain(opcode::sub, n); }
    if (algorithm == "scd") { return t.scd(n, made); }
    if (algorithm == "sscr" || algorithm == "sscr_shared") { return t.sscr(n, 1, algorithm != "sscr"); }
    if (algorithm == "segscan" || algorithm == "segscan_ks") { return t.segscan(n, algorithm == "segscan"); }
    if (algorithm == "segscan_vcu") { return t.segscan_vcu(n); }
    if (algorithm == "ewmul") { return t.ewmul(n, bits); }
    if (algorithm == "ewmul_seg") { return t.ewmul_seg(n, bits); }
    if (algorithm == "matprod") { return t.matprod(n, bits); }
    if (algorithm == "gemm_tiled") { return t.gemm_tiled(n); }
    if (algorithm == "spmv") { return t.spmv(n, 40, row["nnz"], bits); }
    FAIL() << "no such algorithm: " << algorithm;
}

TEST(vector_instruction_work, of_every_row_of_the_golden)
{
    std::ifstream file(TENSORLOOM_TEST_DATA "/mmv_ram_counts.json");
    const auto golden = nlohmann::json::parse(file);
    std::size_t rows = 0;
    for (const auto& row : golden["rows"]) {
        tape t(row["s"], row["B"]);
        play(t, row);
        EXPECT_EQ(t.steps, row["vcu_steps"]) << row;
        EXPECT_EQ(t.elements, row["vcu_elems"]) << row;
        EXPECT_EQ(t.gates, row["vcu_circuit"]) << row;
        ++rows;
    }
    EXPECT_EQ(rows, 264u);
}

TEST(vector_instruction_work, operands_that_are_zero_or_one_word_do_not_count)
{
    vector_command c;
    c.length = 3;
    c.table = 100;
    EXPECT_EQ(vector_elements(opcode::gather_idx, c), 100u);
    EXPECT_EQ(vector_elements(opcode::flags, c), 100u);
    c.length = 200;
    EXPECT_EQ(vector_elements(opcode::gather_idx, c), 200u);
    EXPECT_EQ(vector_elements(opcode::revert, c), 200u);
    c = {};
    c.length = 10;
    c.block = 4;
    c.flags = vector_command::flag_zero_a;
    EXPECT_EQ(vector_elements(opcode::or_block, c), 3u); // its three results
    c.flags = 0;
    EXPECT_EQ(vector_elements(opcode::or_block, c), 10u);
}

// A scatter compares each position with each place, as a gather does each index.
TEST(vector_instruction_work, flags_are_charged_as_the_scatter_that_they_are)
{
    vector_command c;
    c.length = 200;
    c.table = 30;
    EXPECT_EQ(circuit_size(opcode::flags, c, 64), 200u * 30 * 64);
    EXPECT_EQ(circuit_size(opcode::flags, c, 64), circuit_size(opcode::gather_idx, c, 64));
}

// Rows that are added, not the table: a gradient of few rows of a large table takes the time of those.
TEST(vector_instruction_work, scatter_add_handles_the_rows_that_it_adds)
{
    vector_command c;
    c.length = 20;
    c.block = 3;
    c.table = 1000;
    EXPECT_EQ(vector_elements(opcode::scatter_add, c), 60u);
    EXPECT_EQ(vector_words(opcode::scatter_add, c), 60u);
    EXPECT_EQ(circuit_size(opcode::scatter_add, c, 32), 60u * 1000 * 32 + 60 * 32 * 32);
}

TEST(vector_instruction_work, scatter_last_handles_all_words_that_it_copies)
{
    vector_command c;
    c.length = 10;
    c.block = 4;
    c.result.address = c.a.address = 0x100;
    EXPECT_EQ(vector_words(opcode::scatter_last, c), 3u);
    EXPECT_EQ(vector_words(opcode::gather_last, c), 3u);
    EXPECT_EQ(vector_words(opcode::fill_first, c), 10u);
    c.a.shift = 1;
    EXPECT_EQ(vector_words(opcode::scatter_last, c), 10u);
    c.a.shift = 0;
    c.a.address = 0x200;
    EXPECT_EQ(vector_words(opcode::scatter_last, c), 10u);
    c.a.address = 0;
    c.result.address = 0;
    c.flags = vector_command::flag_zero_a;
    EXPECT_EQ(vector_words(opcode::scatter_last, c), 10u);
    EXPECT_EQ(vector_elements(opcode::scatter_last, c), 3u);
}

TEST(vector_instruction_work, of_instructions_that_no_golden_has)
{
    vector_command c;
    c.length = 10;
    EXPECT_EQ(circuit_size(opcode::bit, c, 64), 10u);
    for (const auto code : {opcode::max, opcode::min, opcode::relu, opcode::relu_gradient}) {
        EXPECT_EQ(circuit_size(code, c, 64), 640u);
        EXPECT_EQ(vector_words(code, c), 10u);
    }
    for (const auto code : {opcode::sigmoid, opcode::tanh, opcode::exp, opcode::log, opcode::div, opcode::sqrt,
                            opcode::mul_add, opcode::random_mask}) {
        EXPECT_EQ(circuit_size(code, c, 32), 10240u);
        EXPECT_EQ(vector_words(code, c), 10u);
    }
    c.block = 4;
    EXPECT_EQ(circuit_size(opcode::sum_block, c, 32), 10240u);
    EXPECT_EQ(circuit_size(opcode::max_block, c, 32), 320u);
    EXPECT_EQ(vector_words(opcode::sum_block, c), 10u);
    c.flags = vector_command::flag_zero_a;
    EXPECT_EQ(vector_words(opcode::max_block, c), 3u); // its results
    c.flags = 0;
    c.table = 2;
    EXPECT_EQ(circuit_size(opcode::pack_bf16, c, 32), 320u);
    EXPECT_EQ(vector_words(opcode::pack_bf16, c), 10u);
    c.length = 3; // of 8 words
    EXPECT_EQ(vector_words(opcode::pack_bf16, c), 8u);
    EXPECT_EQ(vector_words(opcode::unpack_bf16, c), 8u);
    c.length = 17; // of 16 words
    EXPECT_EQ(vector_words(opcode::unpack_bf16, c), 17u);
}

strided_command sized(std::uint32_t i, std::uint32_t j, std::uint32_t k)
{
    strided_command c;
    c.size = {i, j, k};
    return c;
}

TEST(scalar_operations, of_elements)
{
    const auto c = sized(2, 3, 5);
    for (const auto code :
         {scalar_opcode::set, scalar_opcode::move, scalar_opcode::s_add, scalar_opcode::s_sub, scalar_opcode::s_mul,
          scalar_opcode::s_add_clamped, scalar_opcode::s_positive, scalar_opcode::s_less}) {
        EXPECT_EQ(scalar_operations(code, c), 30u);
    }
    for (const auto code : {scalar_opcode::s_mac, scalar_opcode::s_mul_mod, scalar_opcode::s_mac_mod}) {
        EXPECT_EQ(scalar_operations(code, c), 60u);
    }
    EXPECT_EQ(scalar_operations(scalar_opcode::s_carry, sized(1, 1, 7)), 21u);
    strided_command charge;
    charge.cpu_ops = 123456789012;
    EXPECT_EQ(scalar_operations(scalar_opcode::charge, charge), 123456789012u);
}

TEST(scalar_operations, that_nobody_can_do_do_not_wrap)
{
    constexpr std::uint32_t most = UINT32_MAX;
    for (const auto code :
         {scalar_opcode::close_diagonal, scalar_opcode::close_row, scalar_opcode::close_column,
          scalar_opcode::eliminate_diagonal, scalar_opcode::eliminate_row, scalar_opcode::eliminate_column}) {
        EXPECT_EQ(scalar_operations(code, sized(1, most, most)), UINT64_MAX);
    }
    EXPECT_EQ(scalar_operations(scalar_opcode::s_mac, sized(most, most, most)), UINT64_MAX);
    EXPECT_EQ(scalar_operations(scalar_opcode::close_row, sized(1, 1u << 31, 2)), UINT64_MAX); // 2^64
    EXPECT_EQ(scalar_operations(scalar_opcode::close_row, sized(1, 1u << 31, 1)), u64{1} << 63);
}

// The loops of the opcode table, counted.
TEST(scalar_operations, of_eliminations_and_closures_are_those_of_their_loops)
{
    for (std::uint32_t rows = 1; rows < 9; ++rows) {
        for (std::uint32_t columns = 1; columns < 9; ++columns) {
            u64 row = 0, column = 0, diagonal = 0, row_closure = 0, column_closure = 0;
            for (u64 t = 0; t + 1 < rows; ++t) {
                for (u64 i = t + 1; i < rows; ++i) {
                    row += 3 * u64{columns};
                    for (u64 j = t + 1; j < rows; ++j) { diagonal += 3; }
                }
            }
            row += 2 * u64{rows} * columns;
            for (u64 t = 0; t < columns; ++t) {
                for (u64 i = 0; i < rows; ++i) {
                    for (u64 j = t + 1; j < columns; ++j) { column += 3; }
                    column_closure += 2 * u64{columns};
                }
            }
            for (u64 t = 0; t < rows; ++t) { row_closure += 2 * u64{rows} * columns; }
            const auto c = sized(1, rows, columns);
            EXPECT_EQ(scalar_operations(scalar_opcode::eliminate_row, c), row);
            EXPECT_EQ(scalar_operations(scalar_opcode::eliminate_column, c), column);
            EXPECT_EQ(scalar_operations(scalar_opcode::close_row, c), row_closure);
            EXPECT_EQ(scalar_operations(scalar_opcode::close_column, c), column_closure);
            const auto square = sized(1, rows, rows);
            EXPECT_EQ(scalar_operations(scalar_opcode::eliminate_diagonal, square), diagonal);
            EXPECT_EQ(scalar_operations(scalar_opcode::close_diagonal, square), 2 * u64{rows} * rows * rows);
        }
    }
}

} // namespace
} // namespace tensorloom::test
