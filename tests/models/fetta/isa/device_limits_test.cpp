// Sizes that a device may have.
#include <functional>
#include <utility>
#include <gmock/gmock.h>
#include <tensorloom/models/fetta/isa/contract_check.h>

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;
using namespace fetta;
using testing::HasSubstr;

TEST(fetta_limits, names_what_is_wrong)
{
    EXPECT_FALSE(validate(device_limits{}));
    const std::pair<std::function<void(device_limits&)>, const char*> cases[] = {
        {[](device_limits& g) { g.engines = 8; }, "engines is 8, expected 4, 16 or 64"},
        {[](device_limits& g) { g.engines = 0; }, "engines is 0"},
        {[](device_limits& g) { g.side = 3; }, "side is 3, expected 2, 4, 8 or 16"},
        {[](device_limits& g) { g.bank_bytes = 2048; },
         "bank_bytes is 2048, expected a power of two from 4096 to 67108864"},
        {[](device_limits& g) { g.bank_bytes = 5000; }, "bank_bytes is 5000"},
        {[](device_limits& g) { g.bank_bytes = 1u << 27; }, "bank_bytes is 134217728"},
        {[](device_limits& g) { g.accumulator_bank_bytes = 512; },
         "accumulator_bank_bytes is 512, expected a power of two from 1024"},
        {[](device_limits& g) { g.operand = element_type::f64; }, "operand is f64, expected bf16 or f32"},
        {[](device_limits& g) { g.psum = element_type::f64; }, "psum is f64, expected f32"},
        {[](device_limits& g) {
             g.operand = element_type::f32;
             g.psum = element_type::bf16;
         },
         "psum is bf16, expected f32, or bf16 with operands of bf16"},
    };
    for (const auto& [change, text] : cases) {
        device_limits g;
        change(g);
        ASSERT_TRUE(validate(g)) << text;
        EXPECT_THAT(*validate(g), HasSubstr(text));
    }
    device_limits g;
    g.psum = element_type::bf16;
    EXPECT_FALSE(validate(g));
    g = {64, 16, 1u << 26, 1024, element_type::f32, element_type::f32};
    EXPECT_FALSE(validate(g));
}

} // namespace
} // namespace tensorloom::test
