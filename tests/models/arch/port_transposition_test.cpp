// The wires of a transpose layer.
#include <gtest/gtest.h>
#include <tensorloom/models/arch/values/integers.h>

namespace tensorloom::test {
namespace {

TEST(port_transposition, is_its_own_inverse_and_turns_rows_of_ports_into_columns)
{
    for (unsigned port = 0; port < 16; ++port) { EXPECT_EQ(arch::transposed(port, 4), port % 4 * 4 + port / 4); }
    for (unsigned port = 0; port < 64; ++port) { EXPECT_EQ(arch::transposed(arch::transposed(port, 6), 6), port); }
}

} // namespace
} // namespace tensorloom::test
