// Ranges against the bytes that instructions touch, one by one, and overlaps against sets of bytes.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <gtest/gtest.h>
#include <tensorloom/models/mmv/isa/driver.h>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/models/isa/vector/accesses.h>

namespace tensorloom::test {
namespace {

using namespace mmv;
using namespace tensorloom::isa::vector;
using base::element_type;
using isa::vector::opcode;
using bytes = std::set<std::uint64_t>;

constexpr std::uint32_t word = 8;

mmv::limits device_of(element_type format, std::uint32_t side)
{
    return {side, format, 1u << 16, all_functional_blocks};
}

void touch(bytes& set, std::int64_t first, std::uint64_t count)
{
    for (std::uint64_t b = 0; b < count; ++b) { set.insert(static_cast<std::uint64_t>(first) + b); }
}

bytes of(const address_range& r)
{
    bytes set;
    for (std::uint64_t i = 0; i < r.rows && !r.empty(); ++i) {
        touch(set, static_cast<std::int64_t>(r.first + i * r.pitch), r.bytes);
    }
    return set;
}

bytes of(const address_ranges& ranges)
{
    bytes set;
    for (const auto& r : ranges) { set.merge(of(r)); }
    return set;
}

bool meet(const bytes& a, const bytes& b)
{
    return std::any_of(a.begin(), a.end(), [&](std::uint64_t byte) { return b.count(byte) != 0; });
}

class accesses : public testing::Test {
protected:
    std::uint32_t number(std::uint32_t least, std::uint32_t most)
    {
        return std::uniform_int_distribution<std::uint32_t>(least, most)(m_random);
    }
    std::int32_t stride(std::int32_t reach)
    {
        return std::uniform_int_distribution<std::int32_t>(-reach, reach)(m_random);
    }
    address_range range()
    {
        const std::uint64_t rows = number(1, 6);
        return rows_of_bytes(number(600, 800), stride(20), rows, number(1, 12));
    }

private:
    std::mt19937 m_random{7};
};

TEST_F(accesses, rows_become_one_piece_where_they_touch)
{
    EXPECT_EQ(rows_of_bytes(100, 8, 4, 8), (address_range{100, 32, 0, 1}));
    EXPECT_EQ(rows_of_bytes(100, 4, 4, 8), (address_range{100, 20, 0, 1}));
    EXPECT_EQ(rows_of_bytes(100, -8, 4, 8), (address_range{76, 32, 0, 1}));
    EXPECT_EQ(rows_of_bytes(100, 0, 4, 8), (address_range{100, 8, 0, 1}));
    EXPECT_EQ(rows_of_bytes(100, -9, 4, 8), (address_range{73, 8, 9, 4}));
    EXPECT_TRUE(rows_of_bytes(100, 9, 0, 8).empty());
    EXPECT_TRUE(rows_of_bytes(100, 9, 4, 0).empty());
}

TEST_F(accesses, overlap_is_that_of_the_bytes)
{
    unsigned exact_apart = 0;
    unsigned exact_meeting = 0;
    for (int i = 0; i < 20000; ++i) {
        auto a = range();
        auto b = range();
        if (i % 2 == 0 && a.rows > 1 && b.rows > 1) { b.pitch = a.pitch; }
        const bool truth = meet(of(a), of(b));
        const bool comparable = a.rows == 1 || b.rows == 1 || a.pitch == b.pitch;
        if (comparable) {
            ASSERT_EQ(overlap(a, b), truth) << i;
            ++(truth ? exact_meeting : exact_apart);
        } else {
            ASSERT_TRUE(overlap(a, b) || !truth) << i;
        }
        ASSERT_EQ(overlap(a, b), overlap(b, a)) << i;
    }
    EXPECT_GT(exact_apart, 2000u);
    EXPECT_GT(exact_meeting, 2000u);
}

TEST_F(accesses, nothing_overlaps_an_empty_range)
{
    EXPECT_FALSE(overlap(address_range{}, address_range{0, 8, 0, 1}));
    EXPECT_FALSE(overlap(address_ranges{}, address_ranges{}));
}

TEST_F(accesses, of_matmul_are_the_bytes_that_it_touches)
{
    for (int i = 0; i < 400; ++i) {
        const auto format = i % 2 == 0 ? element_type::int8 : element_type::int64;
        const std::uint32_t element = i % 2 == 0 ? 1 : 8;
        const std::uint32_t sum = i % 2 == 0 ? 4 : 8;
        const auto device = device_of(format, number(1, 5));
        matmul_command c;
        c.words = number(1, 30);
        c.left_columns = number(1, device.side);
        c.result_columns = number(1, device.side);
        c.result = {sum * number(1000, 1100), stride(9), {}};
        c.left = {element * number(1000, 1100), stride(9), {}};
        c.weights = {element * number(1000, 1100), stride(9), {}};
        bytes read, written, weights;
        for (std::uint32_t w = 0; w < c.words; ++w) {
            const std::int64_t row = w / device.side;
            const std::uint32_t column = w % device.side;
            if (column < c.left_columns) {
                touch(read, c.left.address + (row * c.left.row_stride + column) * std::int64_t{element}, element);
            }
            if (column < c.result_columns) {
                touch(written, c.result.address + (row * c.result.row_stride + column) * std::int64_t{sum}, sum);
            }
        }
        for (std::uint32_t k = 0; k < c.left_columns; ++k) {
            for (std::uint32_t j = 0; j < c.result_columns; ++j) {
                touch(weights, c.weights.address + (std::int64_t{k} * c.weights.row_stride + j) * std::int64_t{element},
                      element);
            }
        }
        ASSERT_EQ(of(weight_range(c, device)), weights) << i;
        ASSERT_EQ(of(left_ranges(c, device)), read) << i;
        ASSERT_EQ(of(writes(c, device)), written) << i;
        read.merge(weights);
        ASSERT_EQ(of(reads(c, device)), read) << i;
    }
}

// What instructions over vectors read and write, from their formulas in the opcode table. Tables are covered as a
// whole.
TEST_F(accesses, of_vector_instructions_are_the_bytes_of_their_formulas)
{
    const auto device = device_of(element_type::int64, 4);
    for (const auto& instruction : isa::vector::instructions) {
        if (instruction.payload != payload_kind::vector) { continue; }
        for (int i = 0; i < 30; ++i) {
            const auto code = instruction.code;
            vector_command c;
            c.length = number(1, 20);
            c.block = number(1, 5);
            c.bits = 1;
            c.table = number(0, 9);
            c.result.address = word * number(0, 50);
            c.a.address = word * number(100, 150);
            c.b.address = word * number(200, 250);
            c.c.address = word * number(300, 350);
            const bool indexed_a = code == opcode::gather_idx || code == opcode::gather_prev || code == opcode::flags ||
                                   code == opcode::unpack_bf16 || code == opcode::unpack_f16 ||
                                   code == opcode::unpack_int8;
            const bool adds_rows = code == opcode::scatter_add;
            if (!indexed_a && !adds_rows) { c.a.shift = number(0, 6); }
            const bool rows = code == opcode::pack_bf16 || code == opcode::unpack_bf16;
            const bool packs = code == opcode::pack_bf16 || code == opcode::pack_f16 || code == opcode::pack_int8;
            const bool unpacks =
                code == opcode::unpack_bf16 || code == opcode::unpack_f16 || code == opcode::unpack_int8;
            const std::uint32_t in_word = code == opcode::pack_int8 || code == opcode::unpack_int8 ? 4 : 2;
            const bool two = code == opcode::add || code == opcode::sub || code == opcode::mul ||
                             code == opcode::and_ || code == opcode::or_ || code == opcode::mask ||
                             code == opcode::max || code == opcode::min || code == opcode::relu_gradient ||
                             code == opcode::div || code == opcode::mul_add || code == opcode::random_mask;
            if (rows) { c.block = 2 * number(1, 3), c.table = number(1, 3); }
            const std::uint32_t layer = c.block * c.table;
            const std::uint32_t packed = rows               ? (c.length + 2 * layer - 1) / (2 * layer) * layer
                                         : packs || unpacks ? (c.length + in_word - 1) / in_word
                                                            : 0;
            if (!indexed_a && !adds_rows && i % 3 == 1) { c.flags |= vector_command::flag_zero_a; }
            if (two && i % 3 == 2) { c.flags |= vector_command::flag_broadcast_b; }
            if (!c.broadcast_b()) { c.b.shift = number(0, 3); }

            bytes read, written;
            const auto read_a = [&](std::uint32_t k) {
                if (!c.zero_a() && k >= c.a.shift) { touch(read, c.a.address + (k - c.a.shift) * word, word); }
            };
            const auto read_b = [&](std::uint32_t k) {
                if (c.broadcast_b()) { return touch(read, c.b.address, word); }
                if (k >= c.b.shift) { touch(read, c.b.address + (k - c.b.shift) * word, word); }
            };
            const auto write = [&](std::uint32_t k) { touch(written, c.result.address + k * word, word); };
            const std::uint32_t n = c.length;
            for (std::uint32_t k = 0; k < n; ++k) {
                if (!indexed_a && !adds_rows) { read_a(k); }
                const bool last = k % c.block == c.block - 1;
                switch (code) {
                case opcode::not_:
                case opcode::is_zero:
                case opcode::bit:
                case opcode::fill_first:
                case opcode::relu:
                case opcode::sigmoid:
                case opcode::tanh:
                case opcode::exp:
                case opcode::log:
                case opcode::sqrt:
                case opcode::unpack_bf16:
                case opcode::unpack_f16:
                case opcode::unpack_int8:
                case opcode::flags: write(k); break;
                case opcode::pack_f16:
                case opcode::pack_int8:
                case opcode::pack_bf16: break;
                case opcode::gather_last:
                case opcode::sum_block:
                case opcode::max_block:
                case opcode::or_block: write(k / c.block); break;
                case opcode::scatter_last:
                    if (last) { read_b(k / c.block); }
                    write(k);
                    break;
                case opcode::expand:
                    read_b(k);
                    for (std::uint32_t p = 0; p < c.block; ++p) { write(k * c.block + p); }
                    break;
                case opcode::scatter_add:
                    read_b(k);
                    for (std::uint32_t p = 0; p < c.block; ++p) { read_a(k * c.block + p); }
                    break;
                case opcode::compact: read_b(k); break;
                default:
                    read_b(k);
                    write(k);
                    break;
                }
            }
            if (code == opcode::mul_add) { touch(read, c.c.address, word); }
            if (code == opcode::random_mask) { touch(read, c.c.address, 2 * word); }
            for (std::uint32_t k = 0; k < packed; ++k) {
                if (unpacks) { touch(read, c.a.address + k * word, word); }
                if (packs) { write(k); }
            }
            for (std::uint32_t k = 0; k < c.table * c.block && adds_rows; ++k) {
                touch(read, c.result.address + k * word, word);
                write(k);
            }
            for (std::uint32_t k = 0; k < c.table && packed == 0; ++k) {
                if (indexed_a) { touch(read, c.a.address + k * word, word); }
                if (code == opcode::revert) { touch(read, c.c.address + k * word, word); }
                if (code == opcode::compact) { write(k); }
            }
            ASSERT_EQ(of(reads(code, c, device)), read) << instruction.name << " " << i;
            ASSERT_EQ(of(writes(code, c, device)), written) << instruction.name << " " << i;
        }
    }
}

bytes of(const strided_operand& o, std::uint32_t si, std::uint32_t sj, std::uint32_t sk)
{
    bytes set;
    for (std::int64_t i = 0; i < si; ++i) {
        for (std::int64_t j = 0; j < sj; ++j) {
            for (std::int64_t k = 0; k < sk; ++k) {
                touch(set, o.address + (i * o.stride[0] + j * o.stride[1] + k * o.stride[2]) * std::int64_t{word},
                      word);
            }
        }
    }
    return set;
}

void expect_cover(const bytes& range, const bytes& touched, const char* what)
{
    ASSERT_TRUE(std::includes(range.begin(), range.end(), touched.begin(), touched.end())) << what;
    ASSERT_EQ(range.empty(), touched.empty()) << what;
    if (touched.empty()) { return; }
    ASSERT_EQ(*range.begin(), *touched.begin()) << what;
    ASSERT_EQ(*range.rbegin(), *touched.rbegin()) << what;
}

TEST_F(accesses, of_strided_instructions_cover_what_they_touch_and_no_more_than_its_bounds)
{
    const auto device = device_of(element_type::int64, 4);
    for (const auto& instruction : mmv::description.commands) {
        if (instruction.payload != &strided_layout) { continue; }
        const auto scalar = static_cast<mmv::opcode>(instruction.opcode.value);
        for (int i = 0; i < 30; ++i) {
            const std::string name = instruction.opcode.name;
            const bool matrix = name.rfind("eliminate", 0) == 0 || name.rfind("close", 0) == 0;
            strided_command c;
            c.size = {matrix ? 1 : number(1, 4), number(1, 4), number(1, 4)};
            if (name == "eliminate_diagonal" || name == "close_diagonal") { c.size[2] = c.size[1]; }
            if (name == "repl") { c.valid = {number(0, c.size[0]), number(0, c.size[1]), number(0, c.size[2])}; }
            std::uint32_t at = 0;
            for (auto* o : {&c.result, &c.a, &c.b}) {
                o->address = word * (number(200, 250) + 1000 * at++);
                o->stride = {stride(9), stride(9), stride(9)};
            }
            const auto [si, sj, sk] = c.size;
            const auto z = of(c.result, si, sj, sk);
            auto a = name == "repl" ? of(c.a, c.valid[0], c.valid[1], c.valid[2]) : of(c.a, si, sj, sk);
            const auto b = of(c.b, si, sj, sk);
            if (name == "eliminate_row" || name == "close_row") { a = of(c.a, 1, sj, sj); }
            if (name == "eliminate_column" || name == "close_column") { a = of(c.a, 1, sk, sk); }

            const bool one = name == "repl" || name == "move" || name == "s_positive" || name == "s_carry";
            const bool none = name == "charge" || name == "set" || name.find("_diagonal") < name.size();
            const bool keeps_z = matrix || name == "s_mac" || name == "s_mac_mod";
            bytes read, written;
            if (!none) { read = a; }
            if (!none && !one && !matrix) { read.insert(b.begin(), b.end()); }
            if (keeps_z) { read.insert(z.begin(), z.end()); }
            if (name != "charge") { written = z; }
            if (name == "eliminate_row") { written.insert(b.begin(), b.end()); }
            const bool repl = name == "repl";
            expect_cover(of(repl ? reads(opcode::repl, c, device) : reads(scalar, c, device)), read, name.c_str());
            expect_cover(of(repl ? writes(opcode::repl, c, device) : writes(scalar, c, device)), written, name.c_str());
        }
    }
}

TEST_F(accesses, blocks_of_columns_of_one_matrix_are_apart)
{
    const auto device = device_of(element_type::int64, 4);
    strided_command c; // 6 x 16 matrix: columns 0 to 3 onto columns 4 to 7
    c.size = c.valid = {1, 6, 4};
    c.a = {0, {0, 16, 1}, {}};
    c.result = {4 * word, {0, 16, 1}, {}};
    EXPECT_FALSE(overlap(reads(opcode::repl, c, device), writes(opcode::repl, c, device)));
    c.result.address = 3 * word;
    EXPECT_TRUE(overlap(reads(opcode::repl, c, device), writes(opcode::repl, c, device)));
}

} // namespace
} // namespace tensorloom::test
