// The same transfer on buses of every width: the same data, and time by the number of beats.
#include <type_traits>
#include <gtest/gtest.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

template <class Width> class dma_width_test : public sim_test {};

using widths = testing::Types<std::integral_constant<unsigned, 32>, std::integral_constant<unsigned, 64>,
                              std::integral_constant<unsigned, 128>, std::integral_constant<unsigned, 256>,
                              std::integral_constant<unsigned, 512>>;
TYPED_TEST_SUITE(dma_width_test, widths);

TYPED_TEST(dma_width_test, beats_scale_and_data_stays)
{
    constexpr unsigned width = TypeParam::value;
    dma_bench<width> bench("bench", burst_of(256), [](dma_bench<width>& b) { b.read(64, 1024 + 64); });
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(64, 1024 + 64));
    // 64 bytes at 64, 128 at 128, then from 256 on: 3 of 256, 128
    EXPECT_EQ(bench.end, ns((1024 + 64) / (width / 8.0)));
}

TYPED_TEST(dma_width_test, burst_narrower_than_the_bus_takes_one_beat)
{
    constexpr unsigned width = TypeParam::value;
    dma_bench<width> bench("bench", burst_of(4), [](dma_bench<width>& b) { b.write(0, 40); });
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(10));
}

// The target's socket turns non-blocking calls into blocking ones.
TYPED_TEST(dma_width_test, non_blocking_brings_the_same_bytes)
{
    constexpr unsigned width = TypeParam::value;
    dma_bench<width> bench("bench", several_of(4, 64, bus::dma_transport::non_blocking), [](dma_bench<width>& b) {
        b.read(5, 1000);
        b.write(5, 1000);
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.inside, bench.read_of(5, 1000));
    EXPECT_EQ(bench.count(bus::dma_event::read_transaction),
              23u); // 5 up to address 64, 14 of 64 bytes, 4 of the rest
    EXPECT_EQ(bench.count(bus::dma_event::write_byte), 1000u);
}

} // namespace
} // namespace tensorloom::test
