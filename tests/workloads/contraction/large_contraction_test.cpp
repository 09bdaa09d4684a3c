#include <cstring>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction/run.h>
#include "ordered_sums.h"
#include "random_contraction.h"
#include "support/fetta_reference.h"
#include "support/message_of.h"

namespace tensorloom::workloads {
namespace {

using fetta::device_limits;
using fetta::event;
using test::small_device;

contraction_settings settings_of(tensor_layout layout, bool overlap)
{
    contraction_settings s;
    s.layout = layout;
    s.overlap = overlap;
    return s;
}

struct large_case {
    const char* expression;
    const char* sizes;
    tensor_layout layout;
    flattening rule = flattening::any;
};

class large_contraction : public testing::TestWithParam<large_case> {};

TEST_P(large_contraction, runs_in_blocks_and_is_bit_equal_to_the_ordered_sums)
{
    const device_limits g = small_device();
    const contraction p = parse_einsum(GetParam().expression, GetParam().sizes);
    std::mt19937 random(31);
    const auto a = test::random_elements(random, p.extent(p.a)), b = test::random_elements(random, p.extent(p.b));
    test::fetta_reference machine(g);
    for (const bool overlap : {false, true}) {
        contraction_settings settings = settings_of(GetParam().layout, overlap);
        settings.flattening = GetParam().rule;
        const contraction_plan plan = plan_contraction(p, g, settings);
        EXPECT_GT(plan.commands, 1u);
        const contraction_run ran = run_contraction(machine, plan, a, b);
        EXPECT_EQ(ran.c, test::ordered_sums(plan, a, b));
        const auto total = ran.total();
        EXPECT_EQ(total.counts[event::contract], plan.commands);
        if (GetParam().layout != tensor_layout::conflicted) { EXPECT_EQ(total.cycles, plan.tcu_cycles); }
        // Images are whole rows, each moved as often as the estimate says.
        if (GetParam().layout == tensor_layout::ideal) {
            const auto rows = total.counts[event::load_row] + total.counts[event::store_row];
            EXPECT_EQ(rows * g.row_bytes(base::element_type::bf16), plan.transferred_bytes);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, large_contraction,
    testing::Values(large_case{"ik,kj->ij", "i=90,k=110,j=70", tensor_layout::ideal},
                    large_case{"ik,kj->ij", "i=90,k=110,j=70", tensor_layout::conflicted},
                    large_case{"ik,kj->ij", "i=90,k=110,j=70", tensor_layout::offchip},
                    // The sums of one result block over more than the memory holds.
                    large_case{"ki,kj->ij", "k=3000,i=7,j=9", tensor_layout::ideal},
                    large_case{"ki,kj->ij", "k=3000,i=7,j=9", tensor_layout::conflicted},
                    large_case{"ki,jk->ji", "k=3000,i=7,j=9", tensor_layout::offchip},
                    // All indices in blocks: both operands are loaded again and again.
                    large_case{"kil,ljk->ij", "k=6,l=10,i=90,j=80", tensor_layout::ideal, flattening::contiguous},
                    large_case{"kil,ljk->ij", "k=6,l=10,i=90,j=80", tensor_layout::conflicted, flattening::contiguous},
                    // An outer product: nothing but results.
                    large_case{"i,j->ji", "i=150,j=130", tensor_layout::ideal},
                    large_case{"i,j->ji", "i=150,j=130", tensor_layout::conflicted},
                    large_case{"i,j->ji", "i=150,j=130", tensor_layout::offchip},
                    large_case{"xbkiy,kjbz->jibyxz", "x=3,b=5,k=12,i=7,y=5,j=6,z=5", tensor_layout::ideal},
                    large_case{"xbkiy,kjbz->jibyxz", "x=3,b=5,k=12,i=7,y=5,j=6,z=5", tensor_layout::conflicted},
                    large_case{"xbkiy,kjbz->jibyxz", "x=3,b=5,k=12,i=7,y=5,j=6,z=5", tensor_layout::offchip}));

// Blocks that a loop comes back to are not loaded again.
TEST(contraction_blocks_test, a_block_that_is_there_is_not_loaded_again)
{
    const auto plan = plan_contraction(parse_einsum("ik,kj->ij", "i=400,k=40,j=40"), small_device(),
                                       settings_of(tensor_layout::ideal, true));
    std::uint64_t loads_of_b = 0;
    for (const auto& step : plan.steps()) { loads_of_b += step.load_b ? 1 : 0; }
    EXPECT_GT(plan.commands, 2u);
    EXPECT_EQ(loads_of_b, plan.index[1].blocks() * plan.index[3].blocks());
}

TEST(contraction_blocks_test, two_places_of_a_tensor_lie_in_different_halves)
{
    const device_limits g;
    const auto plan =
        plan_contraction(parse_einsum("ik,kj->ij", "i=512,k=512,j=512"), g, settings_of(tensor_layout::ideal, true));
    EXPECT_GT(plan.commands, 1u);
    for (unsigned t = 0; t < contraction_tensors; ++t) {
        if (plan.slots[t] == 2) {
            EXPECT_LT(plan.place[t][0], g.memory_bytes() / 2);
            EXPECT_GE(plan.place[t][1], g.memory_bytes() / 2);
        }
    }
}

// Moving 512 x 512 matrices takes about 80,000 cycles, the product 524,288: blocks hide most of the first.
TEST(contraction_blocks_test, transfers_hide_behind_the_engines)
{
    const auto p = parse_einsum("ik,kj->ij", "i=512,k=512,j=512");
    const auto hidden = plan_contraction(p, device_limits{}, settings_of(tensor_layout::ideal, true));
    const auto in_turn = plan_contraction(p, device_limits{}, settings_of(tensor_layout::ideal, false));
    EXPECT_LT(hidden.estimated_cycles, 524288u * 106 / 100);
    EXPECT_GT(in_turn.estimated_cycles, 524288u * 112 / 100);
}

TEST(contraction_blocks_test, too_many_commands_are_refused_in_one_line)
{
    contraction_settings settings = settings_of(tensor_layout::conflicted, true);
    settings.flattening = flattening::contiguous;
    // No mode has a neighbour that it could be one index with: 16^4 CONTRACTs, 2^21. Each of these has LOADs of A and
    // of B, 2^12 a STORE.
    const auto p = parse_einsum("kalbmc,mlk->cba", "k=16,l=16,m=16,a=16,b=16,c=16");
    EXPECT_NO_THROW(plan_contraction(p, device_limits{}, settings));
    const auto q = parse_einsum("kalbmcnd,nmlk->dcba", "k=16,l=8,m=8,n=8,a=16,b=16,c=16,d=16");
    EXPECT_EQ(test::message_of([&] { plan_contraction(q, device_limits{}, settings); }),
              "contraction: found 6295552 commands that it takes, expected at most 1048576");
}

TEST(contraction_programs_test, long_ones_are_cut_between_results)
{
    const device_limits g = small_device();
    const contraction p = parse_einsum("ik,kj->ij", "i=90,k=110,j=70");
    std::mt19937 random(32);
    const auto a = test::random_elements(random, p.extent(p.a)), b = test::random_elements(random, p.extent(p.b));
    for (const auto layout : {tensor_layout::ideal, tensor_layout::conflicted, tensor_layout::offchip}) {
        test::fetta_reference machine(g);
        const contraction_plan plan = plan_contraction(p, g, settings_of(layout, true));
        const auto programs = write_programs(plan, machine.data_base(), machine.data_bytes(), 8192);
        std::size_t of_contraction = 0, longest = 0;
        for (const auto& program : programs.programs) {
            longest = std::max(longest, program.bytes.size());
            of_contraction += program.phase == program_phase::contract ? 1 : 0;
            const auto header = isa::program_header::decode(program.bytes.data());
            EXPECT_EQ(program.descriptions.size(), header.commands);
        }
        EXPECT_GT(of_contraction, 1u);
        EXPECT_LE(longest, 8192u);
        EXPECT_EQ(run_programs(machine, plan, programs, a, b).c, test::ordered_sums(plan, a, b));
    }
}

// 17 batches on engines that take 16 at once: 15 more are read behind the last operand.
TEST(contraction_programs_test, padding_is_read_from_memory_that_is_there)
{
    const device_limits g;
    const contraction p = parse_einsum("bk,bk->b", "b=17,k=2000");
    contraction_settings settings = settings_of(tensor_layout::offchip, false);
    settings.request.split = engine_split{16, 1, 1, 1};
    settings.request.mapping = fetta::mapping::ws_h;
    const auto plan = plan_contraction(p, g, settings);
    const auto programs = write_programs(plan, 0x1000, 1u << 20);
    EXPECT_FALSE(programs.addresses.ordered_b);
    test::fetta_reference machine(g, {0x1000, programs.addresses.end - 0x1000});
    std::mt19937 random(33);
    const auto a = test::random_elements(random, p.extent(p.a)), b = test::random_elements(random, p.extent(p.b));
    EXPECT_EQ(run_programs(machine, plan, programs, a, b).c, test::ordered_sums(plan, a, b));
}

std::string check_error_of(const contraction_plan& plan, std::uint64_t data_bytes, std::size_t most_bytes)
{
    return test::message_of([&] { write_programs(plan, 0x1000, data_bytes, most_bytes); });
}

TEST(contraction_programs_test, tensors_larger_than_memory_are_refused_in_one_line)
{
    const auto p = parse_einsum("ik,kj->ij", "i=100,k=100,j=100");
    for (const auto layout : {tensor_layout::ideal, tensor_layout::conflicted, tensor_layout::offchip}) {
        const auto plan = plan_contraction(p, device_limits{}, settings_of(layout, true));
        const std::string text = check_error_of(plan, 40960, isa::program_header::max_bytes);
        EXPECT_EQ(text.find("memory: found 40960 bytes for data, expected at least "), 0u) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos);
        const std::uint64_t needed = std::stoull(text.substr(text.rfind(' ')));
        EXPECT_EQ(check_error_of(plan, needed, isa::program_header::max_bytes), "");
        EXPECT_NE(check_error_of(plan, needed - 1, isa::program_header::max_bytes), "");
    }
}

TEST(contraction_programs_test, sums_that_need_too_long_a_program_are_refused_in_one_line)
{
    const auto plan = plan_contraction(parse_einsum("ki,kj->ij", "k=3000,i=7,j=9"), small_device(),
                                       settings_of(tensor_layout::ideal, true));
    EXPECT_EQ(check_error_of(plan, 1u << 20, 1024).find("program: found "), 0u);
}

} // namespace
} // namespace tensorloom::workloads
