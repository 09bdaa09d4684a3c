// What the rows are run on.
#include "conformance/accelerator_row.h"
#include "conformance/phases_row.h"

namespace tensorloom::test {
namespace {

const auto named = [](const auto& of) { return name_of(of.param); };

INSTANTIATE_TEST_SUITE_P(on, target_row, ::testing::ValuesIn(all_targets()), named);
INSTANTIATE_TEST_SUITE_P(on, phases_row, ::testing::ValuesIn(all_targets()), named);
INSTANTIATE_TEST_SUITE_P(on, sram_row, ::testing::ValuesIn(all_srams()), named);
INSTANTIATE_TEST_SUITE_P(on, routed_row, ::testing::ValuesIn(all_routed()), named);
INSTANTIATE_TEST_SUITE_P(on, dma_row, ::testing::ValuesIn(all_dmas()), named);
INSTANTIATE_TEST_SUITE_P(on, bank_row, ::testing::ValuesIn(all_banks()), named);

} // namespace
} // namespace tensorloom::test
