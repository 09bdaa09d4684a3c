#include "compare_measured/measured_machine.h"
#include "platform/mmv/mmv_options.h"

namespace tensorloom::testbench {

const std::vector<measured_machine_entry>& measured_machines()
{
    static const std::vector<measured_machine_entry> all{{gemmini_facts, make_gemmini},
                                                         {ascend_910b_facts, make_ascend_910b},
                                                         {tpu_v1_facts, make_tpu_v1},
                                                         {volta_facts, make_volta},
                                                         {systolic_rtl_facts, make_systolic_rtl}};
    return all;
}

std::string numbered_platform(std::size_t platform) { return "case_" + std::to_string(platform + 1); }

nlohmann::ordered_json preset_json(const char* machine, const mmv::config& device, const common_options& common)
{
    nlohmann::ordered_json all = {{"machine", machine}};
    all.update(device_json(device, common, device.scratchpad_bytes));
    all["streaming"] = device.streaming;
    all["call_interval"] = device.call_interval;
    all["memory_bytes_per_cycle"] = common.platform.memory_bytes_per_cycle;
    all["memory_modify_bytes"] = common.platform.memory_modify_bytes;
    all["memory_modify_cycles"] = common.platform.memory_modify_cycles;
    return all;
}

} // namespace tensorloom::testbench
