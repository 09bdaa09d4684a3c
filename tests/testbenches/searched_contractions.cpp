#include "testbenches/searched_contractions.h"
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/workloads/contraction/program.h>
#include "platform/fetta/simulated_search.h"
#include "platform/run/testbed.h"
#include "workloads/contraction/random_contraction.h"

namespace tensorloom::test {

using workloads::mapping_objective;

void expect_never_beaten(unsigned contractions, unsigned seed, unsigned faster)
{
    constexpr mapping_objective objectives[] = {mapping_objective::latency, mapping_objective::energy,
                                                mapping_objective::edp};
    const auto technology = costs::load_technology("7nm");
    const testbench::fetta_options device;
    testbench::common_options common;
    common.technology = "7nm";
    common.platform.dram_config = costs::load_dram(common.platform.dram);
    constexpr std::uint64_t data_bytes = 64u << 20;
    std::mt19937 random(seed);
    unsigned found_faster = 0;
    for (unsigned n = 0; n < contractions; ++n) {
        const auto problem = random_contraction(random, 32, 200'000);
        workloads::contraction_settings settings;
        settings.layout = static_cast<workloads::tensor_layout>(n % 3);
        common.platform.memory = n / 3 % 2 == 0 ? "dram" : "sram";
        settings = testbench::settings_for(problem, device, common, technology, settings);
        SCOPED_TRACE(std::to_string(n) + ": " + problem.a + "," + problem.b + "->" + problem.c);
        const auto cost = [&](const workloads::contraction_programs& programs, mapping_objective objective) {
            return testbench::simulated_cost(programs, device, common, technology, objective);
        };
        const auto search_for = [&](mapping_objective objective) {
            settings.request.objective = objective;
            return testbench::search_by_simulation(problem, device, common, technology, settings).programs;
        };
        // Every fourth for another objective, too.
        std::vector<mapping_objective> wanted{mapping_objective::latency};
        if (n % 4 == 0) { wanted.push_back(n % 8 == 0 ? mapping_objective::energy : mapping_objective::edp); }
        for (const auto objective : wanted) {
            const double found = cost(search_for(objective), objective);
            for (const auto other : objectives) {
                settings.request.objective = other;
                const auto estimated =
                    workloads::write_programs(workloads::plan_contraction(problem, device.config.limits, settings),
                                              testbench::data_base, data_bytes);
                const double by_estimate = cost(estimated, objective);
                EXPECT_LE(found, 1.01 * by_estimate);
                if (objective == mapping_objective::latency && other == objective && found < by_estimate) {
                    ++found_faster;
                }
            }
        }
    }
    EXPECT_GE(found_faster, faster);
}

} // namespace tensorloom::test
