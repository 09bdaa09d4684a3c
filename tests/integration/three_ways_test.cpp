// One job by the C++ driver, by the C driver, and by the program dxt: the same bits.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>
#include <gtest/gtest.h>
#include <unistd.h>
#include <tensorloom/workloads/npy_file.h>
#include "models/isa/firmware/gemt_for_c.h"
#include "models/isa/firmware/host_port_for_c.h"
#include "models/triada/triada_bench.h"
#include "platform/triada/gemt_job.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

namespace fs = std::filesystem;

constexpr shape3 shape{6, 5, 4};
constexpr std::uint64_t seed = 11;

testbench::gemt_job job()
{
    testbench::gemt_job j;
    j.shape = {shape[0], shape[1], shape[2]};
    j.seed = seed;
    const char* names[] = {"dct", "dht", "dst"};
    for (std::size_t m = 0; m < 3; ++m) { j.transforms[m] = workloads::parse_transform(names[m]); }
    return j;
}

gemt_case<double> case_of_job()
{
    const auto problem = testbench::gemt_transform<double>::make(job());
    gemt_case<double> g;
    g.shape = shape;
    g.x = problem.tensor(0).data;
    g.matrices = problem.matrices;
    return g;
}

std::vector<double> result_of_dxt()
{
    const fs::path file = fs::temp_directory_path() / ("three_ways_" + std::to_string(getpid()) + ".npy");
    const std::string line = std::string(DXT_PROGRAM) + " --quiet --shape 6x5x4 --transform dct,dht,dst --seed " +
                             std::to_string(seed) + " --output " + file.string();
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    const auto loaded = workloads::load_npy(file.string());
    fs::remove(file);
    return std::get<workloads::tensor<double>>(loaded).data;
}

class three_ways : public sim_test {};

TEST_F(three_ways, give_the_same_bits)
{
    triada::config config;
    config.mesh = shape;
    const auto g = case_of_job();

    gemt_outcome<double> cpp;
    triada_bench first("first", config, [&](triada_bench& b) { cpp = b.run(g); });

    std::vector<double> c(g.volume());
    triada_bench second("second", config, [&](triada_bench& b) {
        const auto command = b.place(g);
        const auto port = port_for_c(b.cpu());
        tl_device device;
        ASSERT_EQ(tl_probe(&device, &port, testbench::device_base, TL_TRIADA_ID), tl_ok);
        std::vector<std::uint8_t> bytes(triada::driver::program_bytes(1));
        tl_program program;
        tl_program_begin(&program, bytes.data(), bytes.size());
        const auto gemt = gemt_for_c(command);
        tl_program_gemt(&program, &gemt, 1);
        tl_program_halt(&program, 0);
        std::size_t used = 0;
        ASSERT_EQ(tl_program_end(&program, &used), tl_ok);
        tl_result result;
        ASSERT_EQ(tl_run(&device, bytes.data(), used, triada_bench::program_at, triada_bench::timeout_ns, &result),
                  tl_ok);
        ASSERT_EQ(port.read_block(port.context, command.y.base, c.data(), c.size() * sizeof(double)), 0);
    });
    sc_core::sc_start();
    ASSERT_TRUE(first.finished() && second.finished());

    EXPECT_TRUE(same_bits(cpp.y, result_of_dxt()));
    EXPECT_TRUE(same_bits(c, cpp.y));
}

} // namespace
} // namespace tensorloom::test
