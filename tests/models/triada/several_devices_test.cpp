// Devices share nothing: several live in one simulation.
#include <complex>
#include <gtest/gtest.h>
#include "models/triada/triada_bench.h"
#include "models/triada/random_case.h"
#include "models/unbound_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class several_devices : public sim_test {};

TEST_F(several_devices, of_different_formats_sizes_and_clocks_work_side_by_side)
{
    case_maker maker(3);
    const auto real = maker.make<double>({5, 6, 7}, case_maker::specials::zeros);
    const auto complex = maker.make<std::complex<float>>({4, 3, 2}, case_maker::specials::zeros);
    triada::config a;
    a.mesh = {5, 6, 7};
    triada::config b;
    b.mesh = {4, 3, 2};
    b.format = base::element_type::c64;
    b.fidelity = triada::fidelity::detailed;
    b.clock_period = sc_core::sc_time(700, sc_core::SC_PS);
    gemt_outcome<double> first;
    gemt_outcome<std::complex<float>> second;
    triada_bench bench_a("a", a, [&](triada_bench& bench) { first = bench.run(real); });
    triada_bench bench_b("b", b, [&](triada_bench& bench) { second = bench.run(complex); });
    run_to_end(bench_a, bench_b);
    EXPECT_TRUE(same_bits(first.y, oracle_result(real)));
    EXPECT_TRUE(same_bits(second.y, oracle_result(complex)));
}

TEST_F(several_devices, irq_and_rst_may_stay_unbound)
{
    triada::config config;
    config.mesh = {2, 2, 2};
    expect_that_irq_and_rst_may_stay_unbound<triada::device<32>>(config);
}

} // namespace
