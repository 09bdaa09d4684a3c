// Programs whose CONTRACTs hold extreme numbers: a device refuses them as the checks say, or does what the reference
// interpreter does.
#include <cstdint>
#include <gtest/gtest.h>
#include "models/fetta/hostile_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr int hostile_seeds = 24;

class hostile_programs : public sim_test_with_param<int> {};

TEST_P(hostile_programs, are_refused_as_the_checks_say_or_done_as_the_reference_does)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    expect_refused_or_as_on_the_reference(made_hostile(hostile_fetta_case(seed, 20), seed), 1, 1);
}
INSTANTIATE_TEST_SUITE_P(seeds, hostile_programs, ::testing::Range(0, hostile_seeds));

} // namespace
