#include "platform/mmv/mmv_testbed.h"
#include <algorithm>
#include <string>
#include <utility>
#include <tensorloom/models/mmv/isa/energy.h>

namespace tensorloom::testbench {

template testbed_device<mmv::device_base> make_device<mmv::traits>(const char*, const mmv::config&, unsigned,
                                                                   bus::activity_sink*);

std::uint64_t mmv_memory_for(std::uint64_t elements)
{
    constexpr std::uint64_t least = 32u << 20;
    std::uint64_t bytes = least;
    while (bytes < session_memory::program_bytes + 16 * elements) { bytes *= 2; }
    return bytes;
}

std::string range_remedy(const mmv::config& device)
{
    return std::string("smaller numbers") + (device.format == base::element_type::int64 ? "" : " or a wider --format");
}

std::unique_ptr<mmv_testbed> make_mmv_testbed(const std::string& name, const mmv::config& device,
                                              const common_options& common, std::uint64_t simulated_memory_bytes,
                                              activity::log_detail detail, mmv_testbed::program_type program,
                                              progress* shown)
{
    require_addresses("scratchpad", device.scratchpad_bytes, common.platform.memory_bytes(simulated_memory_bytes));
    testbed_settings settings;
    settings.memory_bytes = simulated_memory_bytes;
    settings.detail = detail;
    settings.range_remedy = range_remedy(device);
    settings.shown = shown;
    return std::make_unique<mmv_testbed>(name, device, common, settings, std::move(program));
}

namespace {

mmv::energy_parameters energy_parameters_of(const mmv::config& device, const platform_options& around,
                                            std::uint64_t scratchpad_bytes)
{
    mmv::energy_parameters parameters;
    parameters.side = device.side, parameters.format = device.format;
    parameters.pipeline_depth = device.pipeline_depth, parameters.streaming = device.streaming;
    parameters.lanes = device.lanes, parameters.blocks = device.blocks, parameters.scalar_ops = device.scalar_ops;
    parameters.scratchpad_bytes = std::max<std::uint64_t>(scratchpad_bytes, device.banks); // no bank is empty
    parameters.in_words = device.in_words, parameters.out_words = device.out_words,
    parameters.dma = dma_build_of(around);
    parameters.banks = device.banks, parameters.bank_ports = mmv::words_per_bank(device);
    return parameters;
}

} // namespace

costs::energy_model device_energy(const mmv::config& device, const platform_options& around,
                                  const costs::technology& tech, std::uint64_t scratchpad_bytes, double scale)
{
    auto parameters = energy_parameters_of(device, around, scratchpad_bytes);
    parameters.vector_scale = scale;
    return mmv::device_energy(tech, parameters);
}

costs::floor_plan device_area(const mmv::config& device, const platform_options& around,
                              const costs::technology& technology, std::uint64_t scratchpad_bytes)
{
    return mmv::device_area(technology, energy_parameters_of(device, around, scratchpad_bytes));
}

void require_energies(const costs::technology& technology, const mmv::config& device, const platform_options& around)
{
    device_energy(device, around, technology, device.scratchpad_bytes);
    require_memory_costs(around, technology);
}

} // namespace tensorloom::testbench
