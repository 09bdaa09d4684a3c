// What a CONTRACT may be, up to the very limits.
#include <gmock/gmock.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include "fine_contraction.h"

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;
using namespace fetta;
using namespace contractions;
using testing::HasSubstr;

void expect_fine(const contract_command& c, const device_limits& g = paper)
{
    const auto found = check(c, g);
    EXPECT_FALSE(found) << found->text;
}

TEST(contract_check, takes_operands_at_the_very_ends_of_the_memory)
{
    contract_command c = fine();
    c.ia.base = 4096 - 24;
    expect_fine(c);
    c = fine();
    c.result.base = 2048 - 12;
    expect_fine(c);
    c = fine_linear();
    c.ib.base = 262144 - 1024;
    c.result.base = 131072 - 768 - 512;
    expect_fine(c);
}

TEST(contract_check, takes_a_result_next_to_its_operands)
{
    contract_command c = fine();
    c.ib.base = 24;     // behind IA's 24 rows
    c.result.base = 20; // behind IB's 16: rows 40 of 16 bits
    expect_fine(c);
    c = fine_linear();
    c.flags |= contract_command::flag_store_bf16;
    c.result.base = 2048 + 1024; // in the row in which IB ends
    c.ib.base += 3;
    c.result.base += 3;
    expect_fine(c);
}

TEST(contract_check, leaves_the_places_of_advancing_operands_to_the_iterations)
{
    contract_command c = fine();
    c.ia.base = 4096;
    c.ia.step[0] = -50;
    c.result.base = 11;
    c.result.step[1] = 101;
    expect_fine(c);
    EXPECT_EQ(check(c.at({0, 1}), paper)->code, error_code::too_large); // IA still leaves the memory
    expect_fine(c.at({2, 4}));
    EXPECT_THAT(check(c.at({77, 1}), paper)->text, HasSubstr("result: found rows of ia"));
}

TEST(contract_check, takes_what_is_kept_without_a_place)
{
    contract_command c = fine();
    c.flags |= contract_command::flag_keep | contract_command::flag_transpose_result;
    c.result.base = 0;
    c.result.bank = 5;
    c.accumulator_row = 512 - 48;
    expect_fine(c);
    const auto range = result_range(c, paper);
    EXPECT_EQ(range.first, range.end);
}

TEST(contract_check, takes_operands_that_repeat)
{
    contract_command c = fine();
    c.ia.stride = {};
    c.ib.stride = {0, -1, 0, 0};
    expect_fine(c);
}

TEST(contract_check, takes_2_to_the_32_cycles_and_no_tile_more)
{
    device_limits g;
    g.side = 2;
    g.bank_bytes = 1u << 26;
    g.accumulator_bank_bytes = 1u << 26;
    contract_command c;
    c.flags = contract_command::flag_keep;
    c.mask_contracted = 15;
    c.contracted = 1864 * 32;
    c.ib_free = 2089 * 2;
    c.ia_free = 1103; // 1864 x 2089 tiles of it, and 2 + 1 + 4 + 1 cycles, are 2^32
    expect_fine(c, g);
    c.contracted += 1;
    const auto found = check(c, g);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->code, error_code::too_large);
    EXPECT_THAT(found->text, HasSubstr("cycles"));
}

// Steps of 64 cycles, and 3 + 4 + 4 + 1 cycles until the last sums have left.
TEST(contract_check, takes_the_cycles_of_a_multiply_add_for_each_output_stationary_step)
{
    device_limits g;
    g.bank_bytes = 1u << 26;
    g.mac_latency = 64;
    contract_command c;
    c.mapping = static_cast<std::uint32_t>(fetta::mapping::os_1);
    c.flags = contract_command::flag_keep;
    c.mask_batch = 15;
    c.contracted = (1u << 26) - 1;
    expect_fine(c, g);
    c.contracted += 1;
    EXPECT_THAT(check(c, g)->text, HasSubstr("cycles"));
    c.flags = 0;
    c.contracted = 1u << 30;
    c.ia_free = c.ib_free = 1u << 16; // 2^28 tiles: with the 12, 2^64 cycles and 12
    EXPECT_THAT(check(c, g)->text, HasSubstr("cycles"));
}

} // namespace
} // namespace tensorloom::test
