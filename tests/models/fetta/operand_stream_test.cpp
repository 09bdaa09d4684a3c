// In which cycles the rows of a stream pass the ports, in numbers.
#include <cstdint>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/operand_stream.h>
#include "models/fetta/naive_memory.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using fetta::operand_role;
using cycles = std::vector<std::uint64_t>;

// 16 engines with 4 rows: 4 levels of the reduction network.
struct rows_of_stream {
    rows_of_stream(operand_role role, const fetta::contract_command& c)
    {
        const auto g = small_limits(16, 4);
        const fetta::contract_index index(c, g);
        fetta::operand_stream stream(role, g);
        EXPECT_TRUE(stream.ended());
        stream.start(c, index);
        for (; !stream.ended(); stream.next()) {
            EXPECT_TRUE(stream.is_at(stream.cycle()));
            EXPECT_FALSE(stream.is_at(stream.cycle() + 1));
            at.push_back(stream.cycle());
            if (stream.is_first()) { first.push_back(stream.cycle()); }
            if (stream.is_last()) { last.push_back(stream.cycle()); }
            fetta::beat_addresses row;
            stream.address_to(row);
            EXPECT_TRUE(row.due);
            EXPECT_EQ(row.first, stream.is_first());
            bank_rows.push_back(row.place.row);
        }
        EXPECT_FALSE(stream.is_at(at.back()));
    }

    cycles at, first, last, bank_rows;
};

fetta::contract_command command(fetta::mapping how, std::uint32_t contracted)
{
    fetta::contract_command c;
    c.mapping = static_cast<std::uint32_t>(how);
    c.mask_ib = 15;
    c.contracted = contracted, c.ia_free = 3, c.ib_free = 64;
    return c;
}

TEST(operand_stream, two_stationary_tiles_of_three_steps_are_four_cycles_apart)
{
    auto c = command(fetta::mapping::ws_v, 8);
    c.ia.base = 5;
    c.ia.stride = {0, 32, 16, 0}; // 16 engines share a row: 2 rows on by tile, 1 by step
    const rows_of_stream ia(operand_role::ia, c);
    EXPECT_EQ(ia.at, (cycles{4, 5, 6, 8, 9, 10}));
    EXPECT_EQ(ia.first, (cycles{4, 8}));
    EXPECT_EQ(ia.last, (cycles{6, 10}));
    EXPECT_EQ(ia.bank_rows, (cycles{5, 6, 7, 7, 8, 9}));
    const rows_of_stream ib(operand_role::ib, c);
    EXPECT_EQ(ib.at, (cycles{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(ib.first, (cycles{0, 4}));
    EXPECT_EQ(rows_of_stream(operand_role::result, c).at, (cycles{12, 13, 14, 16, 17, 18}));
}

TEST(operand_stream, rows_of_output_stationary_tiles_leave_bottom_row_first)
{
    auto c = command(fetta::mapping::os_1, 6);
    c.ia_free = 8; // two row tiles
    c.result.base = 20;
    c.result.stride = {0, 4, 0, 1};
    EXPECT_EQ(rows_of_stream(operand_role::ia, c).at, (cycles{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(rows_of_stream(operand_role::ib, c).first, (cycles{0, 6}));
    const rows_of_stream result(operand_role::result, c);
    EXPECT_EQ(result.at, (cycles{14, 15, 16, 17, 20, 21, 22, 23}));
    EXPECT_EQ(result.bank_rows, (cycles{23, 22, 21, 20, 27, 26, 25, 24}));
}

} // namespace
