// Sizes that a device may have.
#include <functional>
#include <utility>
#include <gmock/gmock.h>
#include <tensorloom/models/fetta/isa/limits.h>

namespace tensorloom::test {
namespace {

using namespace isa;
using namespace fetta;
using testing::HasSubstr;

TEST(fetta_geometry, names_what_is_wrong)
{
    EXPECT_FALSE(complaint(geometry{}));
    const std::pair<std::function<void(geometry&)>, const char*> cases[] = {
        {[](geometry& g) { g.engines = 8; }, "engines is 8, expected 4, 16 or 64"},
        {[](geometry& g) { g.engines = 0; }, "engines is 0"},
        {[](geometry& g) { g.side = 3; }, "side is 3, expected 2, 4, 8 or 16"},
        {[](geometry& g) { g.bank_bytes = 2048; }, "bank_bytes is 2048, expected a power of two from 4096 to 67108864"},
        {[](geometry& g) { g.bank_bytes = 5000; }, "bank_bytes is 5000"},
        {[](geometry& g) { g.bank_bytes = 1u << 27; }, "bank_bytes is 134217728"},
        {[](geometry& g) { g.accumulator_bank_bytes = 512; },
         "accumulator_bank_bytes is 512, expected a power of two from 1024"},
        {[](geometry& g) { g.operand = element_type::f64; }, "operand is f64, expected bf16 or f32"},
        {[](geometry& g) { g.psum = element_type::f64; }, "psum is f64, expected f32"},
        {[](geometry& g) {
             g.operand = element_type::f32;
             g.psum = element_type::bf16;
         },
         "psum is bf16, expected f32, or bf16 with operands of bf16"},
    };
    for (const auto& [change, text] : cases) {
        geometry g;
        change(g);
        ASSERT_TRUE(complaint(g)) << text;
        EXPECT_THAT(*complaint(g), HasSubstr(text));
    }
    geometry g;
    g.psum = element_type::bf16;
    EXPECT_FALSE(complaint(g));
    g = {64, 16, 1u << 26, 1024, element_type::f32, element_type::f32};
    EXPECT_FALSE(complaint(g));
}

} // namespace
} // namespace tensorloom::test
