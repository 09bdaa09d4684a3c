// Algorithms of a tensor unit on the simulated device: counts and checksums of the golden, values of the reference.
#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include <tensorloom/workloads/tensor_unit/polynomials.h>
#include "platform/mmv/mmv_testbed.h"
#include "support/mmv_reference.h"
#include "support/sim_test.h"
#include "workloads/tensor_unit/golden_row.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using namespace tensorloom::workloads;

struct tensor_unit_row {
    nlohmann::json row;

    std::string name() const
    {
        return row["algorithm"].get<std::string>() + "_q" + std::to_string(row["q"].get<int>()) +
               (row["weak"].get<bool>() ? "_weak" : "");
    }
    friend std::ostream& operator<<(std::ostream& out, const tensor_unit_row& r) { return out << r.name(); }
};

// The rows of every algorithm in their smallest size; q = 4 and 16.
std::vector<tensor_unit_row> smallest_rows()
{
    const auto golden = tensor_unit_golden();
    std::vector<tensor_unit_row> rows;
    for (const auto& row : golden["rows"]) {
        if (row["l"] != 1000) { continue; }
        const tensor_unit_row one{row};
        const auto same = [&one](const tensor_unit_row& other) { return other.name() == one.name(); };
        if (std::none_of(rows.begin(), rows.end(), same)) { rows.push_back(one); }
    }
    return rows;
}

class tensor_unit_device : public sim_test, public testing::WithParamInterface<tensor_unit_row> {
protected:
    static constexpr std::uint64_t memory_bytes = testbench::session_memory::program_bytes + (8u << 20);

    static mmv::config config_of(const tensor_unit_algorithm& algorithm, unsigned q, blocks::fidelity fidelity)
    {
        mmv::config c;
        c.side = q;
        c.format = algorithm.formats.front();
        c.fidelity = fidelity;
        c.scratchpad_bytes = 16u << 20;
        return c;
    }

    static tensor_unit_result run_on_device(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                                            const std::vector<tensor_unit_input>& inputs, const mmv::config& device)
    {
        tensor_unit_result result;
        testbench::platform_config config;
        config.memory.bytes = memory_bytes;
        testbench::testbed_platform<mmv::traits> platform("platform", device, config, [&](bus::host_thread& cpu) {
            testbench::simulated_session<mmv::traits> session(cpu, testbench::device_base, device,
                                                              testbench::memory_base, memory_bytes);
            result = algorithm.run(session, problem, inputs);
        });
        sc_core::sc_start();
        EXPECT_TRUE(platform.cpu.finished());
        return result;
    }
};

TEST_P(tensor_unit_device, meets_the_golden_and_the_reference_bit_for_bit)
{
    const auto& row = GetParam().row;
    const auto& algorithm = find_tensor_unit_algorithm(row["algorithm"]);
    const unsigned q = row["q"];
    const auto problem = completed_problem(algorithm, problem_of(row), q);
    const auto inputs = algorithm.inputs(problem);
    const auto device = config_of(algorithm, q, blocks::fidelity::fast);
    const auto result = run_on_device(algorithm, problem, inputs, device);

    const auto meter = mmv::tcu_meter_of(result.counts, q, row["l"]);
    EXPECT_EQ(meter.calls, row["calls"]);
    EXPECT_EQ(meter.rows, row["rows"]);
    EXPECT_EQ(meter.cpu_ops, row["cpu_ops"]);
    EXPECT_EQ(meter.time, row["time"]);
    if (row.contains("result_mod")) {
        EXPECT_EQ(residue_of_limbs(std::get<std::vector<std::int64_t>>(result.values)), row["result_mod"]);
    } else if (!row["checksum"].is_null() && algorithm.name != "ge_forward") {
        EXPECT_EQ(checksum_of(result.values), row["checksum"]);
    }
    EXPECT_GT(result.cycles, 0u);

    mmv_reference reference(mmv::limits_of(device));
    EXPECT_EQ(result.values, algorithm.run(reference, problem, inputs).values);
}

INSTANTIATE_TEST_SUITE_P(smallest, tensor_unit_device, testing::ValuesIn(smallest_rows()),
                         [](const auto& one) { return one.param.name(); });

} // namespace
