#include <algorithm>
#include <gmock/gmock.h>
#include "segmented/theorem_findings.h"

namespace tensorloom::test {
namespace {

using testbench::mmv_ram_findings;
using testbench::mmv_ram_point;
using testbench::mmv_ram_theorems;
using testbench::reversal_findings;

// Theorem 4.1 on an array of 4 x 4: three steps per level, and half the work that the bound allows.
mmv_ram_point good_point(std::uint64_t size, std::uint64_t levels)
{
    mmv_ram_point p;
    p.size = size;
    p.model.vcu_steps = 3 * levels;
    p.model.mmu_macs = 100 * size;
    p.model.vcu_circuit = 900 * size;
    p.steps_bound = levels;
    p.work_bound = 2000.0 * static_cast<double>(size);
    p.bits = 20;
    p.bits_allowed = 20;
    p.vector_steps = 4;
    p.vector_bound = 4;
    p.as_closed_form = true;
    p.right = true;
    return p;
}

mmv_ram_theorems good_theorems()
{
    mmv_ram_theorems found;
    found.theorems.push_back({&workloads::segmented_theorems().front(),
                              4,
                              {good_point(16, 2), good_point(64, 3), good_point(256, 4), good_point(1024, 5)}});
    reversal_findings r{4, {4, 8, 2}, {}, {}, 20, 5, 64, true};
    r.vector_unit.vcu_steps = 1;
    r.vector_unit.vcu_circuit = 64 * 64;
    r.matrix_unit.mmu_steps = 20;
    found.reversals.push_back(r);
    return found;
}

template <class Change> std::string failure_after(const Change& change)
{
    auto found = good_theorems();
    change(found);
    return found.failure();
}

mmv_ram_point& second(mmv_ram_theorems& found) { return found.theorems[0].points[1]; }

TEST(theorem_findings, without_a_fault_have_no_failure)
{
    EXPECT_EQ(good_theorems().failure(), "");
    const auto unchecked = failure_after([](auto& found) { second(found).right.reset(); });
    EXPECT_EQ(unchecked, "");
    const auto without_bound = failure_after([](auto& found) { second(found).vector_bound.reset(); });
    EXPECT_EQ(without_bound, "");
}

TEST(theorem_findings, every_fault_of_a_point_is_named_with_its_size)
{
    const std::string where = "theorem 4.1 at s = 4, size 64: ";
    EXPECT_EQ(failure_after([](auto& f) { second(f).right = false; }), where + "wrong result");
    EXPECT_EQ(failure_after([](auto& f) { second(f).as_closed_form = false; }),
              where + "counts are not those of the closed form");
    EXPECT_EQ(failure_after([](auto& f) { second(f).bits = 21; }), where + "more bits than the theorem allows");
    EXPECT_EQ(failure_after([](auto& f) { second(f).vector_steps = 3; }),
              where + "the vector unit alone is below the lower bound");
}

TEST(theorem_findings, spread_is_that_of_the_last_three_sizes)
{
    auto found = good_theorems();
    auto& t = found.theorems[0];
    t.points[0].model.vcu_steps = 600; // the first of four
    EXPECT_EQ(t.steps_spread(), 1.0);
    t.points[1].model.vcu_steps = 18; // 6 of 3, 4 and 5 levels: 6, 3, 3
    EXPECT_EQ(t.steps_spread(), 2.0);
    EXPECT_EQ(t.work_spread(), 1.0);
    t.points[3].model.mmu_macs += 500 * 1024;
    EXPECT_EQ(t.work_spread(), 1.5);
}

TEST(theorem_findings, what_is_claimed_flat_and_is_not_fails)
{
    EXPECT_EQ(failure_after([](auto& f) { second(f).model.vcu_steps = 18; }),
              "theorem 4.1 at s = 4: steps are not flat");
    EXPECT_EQ(failure_after([](auto& f) { second(f).work_bound /= 2; }), "theorem 4.1 at s = 4: work is not flat");
    // Lemma 4.4 has no claim about work.
    const auto& all = workloads::segmented_theorems();
    const auto lemma = std::find_if(all.begin(), all.end(), [](const auto& t) { return t.name == "lemma 4.4"; });
    EXPECT_EQ(failure_after([&](auto& f) {
                  f.theorems[0].theorem = &*lemma;
                  second(f).work_bound /= 2;
              }),
              "");
}

TEST(theorem_findings, every_fault_of_a_reversal_is_named)
{
    const std::string where = "lemma 3.4 at s = 4, 8 blocks: ";
    EXPECT_EQ(failure_after([](auto& f) { f.reversals[0].right = false; }), where + "wrong result");
    for (auto member :
         {&mmv::mmv_ram_meter::vcu_steps, &mmv::mmv_ram_meter::vcu_circuit, &mmv::mmv_ram_meter::mmu_steps}) {
        EXPECT_EQ(failure_after([&](auto& f) { ++(f.reversals[0].vector_unit.*member); }),
                  where + "counts are not those of the closed form");
    }
    for (auto member :
         {&mmv::mmv_ram_meter::vcu_steps, &mmv::mmv_ram_meter::scalar_steps, &mmv::mmv_ram_meter::mmu_steps}) {
        EXPECT_EQ(failure_after([&](auto& f) { ++(f.reversals[0].matrix_unit.*member); }),
                  where + "counts are not those of the closed form");
    }
    EXPECT_EQ(failure_after([](auto& f) { f.reversals[0].least_calls = 21; }),
              where + "fewer calls than the lower bound");
}

} // namespace
} // namespace tensorloom::test
