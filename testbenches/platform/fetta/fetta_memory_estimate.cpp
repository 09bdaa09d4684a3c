#include "platform/fetta/fetta_memory_estimate.h"
#include <algorithm>
#include <memory>
#include <tensorloom/models/costs/dram/dram_energy.h>
#include <tensorloom/models/costs/sram_costs.h>

namespace tensorloom::testbench {
namespace {

using costs::dram_event;

// From the response to a run to the next one's request in the memory, and back: measured.
constexpr double dma_cycles = 3;
constexpr double bus_bytes = 64;
constexpr double sram_word_bytes = 8; // of an access, in energy

struct refreshes {
    double share = 0; // of a channel's time
    double pj_per_ns = 0;
};

refreshes refreshes_of(const costs::dram_config& dram, const costs::energy_model& energy)
{
    const auto& t = dram.timing;
    const auto found = [&](unsigned takes, unsigned every, dram_event event) {
        const double period_ns = every * (dram.tCK_ps * 1e-3);
        return refreshes{double(takes) / every,
                         dram.organisation.channels * energy.costs[static_cast<std::size_t>(event)].pj / period_ns};
    };
    switch (dram.controller.refresh) {
    case costs::dram_refresh::all_bank: return found(t.tRFCab, t.tREFI, dram_event::refresh);
    // The other banks go on.
    case costs::dram_refresh::per_bank: return {0, found(t.tRFCpb, t.tREFIpb, dram_event::bank_refresh).pj_per_ns};
    default: return {};
    }
}

double background_pj_per_ns(const costs::energy_model& energy)
{
    double mw = 0;
    for (const auto& l : energy.leakage) { mw += l.mw; }
    return mw;
}

} // namespace

workloads::memory_estimate estimate_of_dram(const costs::dram_config& dram, double clock_ns)
{
    const auto energy = costs::dram_energy(dram);
    const auto pj = [&](dram_event event) { return energy.costs[static_cast<std::size_t>(event)].pj; };
    const auto& o = dram.organisation;
    const auto& t = dram.timing;
    const double tck_ns = dram.tCK_ps * 1e-3;
    const auto cycles = [&](unsigned clocks) { return clocks * tck_ns / clock_ns; };
    const auto refresh = refreshes_of(dram, energy);
    const bool rows_stay_open = dram.controller.page == costs::dram_page::open;

    workloads::memory_estimate memory;
    memory.unrefreshed_bytes_per_cycle = dram.peak_bytes_per_ns() * clock_ns;
    memory.bytes_per_cycle = memory.unrefreshed_bytes_per_cycle * (1 - refresh.share);
    if (refresh.share > 0) { memory.first_refresh_cycles = cycles(t.tREFI); }
    memory.burst_cycles = cycles(t.RL + t.tDQSCK + o.burst_cycles()) + dma_cycles;
    memory.transfer_cycles = memory.burst_cycles + cycles(t.tRCD);
    const double row = pj(dram_event::activate) / o.row_bytes();
    memory.read_pj_per_byte = row + pj(dram_event::read_burst) / o.burst_bytes();
    memory.write_pj_per_byte = row + pj(dram_event::write_burst) / o.burst_bytes();
    const double open = rows_stay_open ? o.channels * pj(dram_event::active_cycle) / tck_ns : 0;
    memory.pj_per_cycle = (background_pj_per_ns(energy) + open + refresh.pj_per_ns) * clock_ns;
    memory.burst_bytes = o.burst_bytes();
    memory.dram = std::make_shared<costs::dram_stream>(dram, clock_ns, dma_cycles);
    return memory;
}

workloads::memory_estimate estimate_of_sram(const costs::energy_model& energy, double clock_ns)
{
    const auto pj_per_byte = [&](costs::sram_event event) {
        return energy.costs[static_cast<std::size_t>(event)].pj / sram_word_bytes;
    };
    workloads::memory_estimate memory;
    memory.bytes_per_cycle = bus_bytes;
    memory.burst_cycles = memory.transfer_cycles = dma_cycles + 1;
    memory.read_pj_per_byte = pj_per_byte(costs::sram_event::read_access);
    memory.write_pj_per_byte = pj_per_byte(costs::sram_event::write_access);
    memory.pj_per_cycle = background_pj_per_ns(energy) * clock_ns;
    memory.burst_bytes = static_cast<std::uint64_t>(sram_word_bytes);
    return memory;
}

workloads::memory_estimate memory_estimate_of(const common_options& common, const costs::technology& technology,
                                              std::uint64_t data_bytes)
{
    const double clock_ns = static_cast<double>(clock_period_ps(common)) / 1000;
    const auto& around = common.platform;
    auto memory = around.in_dram() ? estimate_of_dram(around.dram_config, clock_ns)
                                   : estimate_of_sram(memory_energy(around, technology, data_bytes), clock_ns);
    memory.outstanding = around.outstanding;
    memory.overlap_runs = around.overlap_runs;
    if (!around.in_dram()) {
        const double longer = static_cast<double>(around.memory_latency) - platform_options().memory_latency;
        memory.burst_cycles += longer;
        memory.transfer_cycles += longer;
    }
    // Short bursts wait for the responses of those in flight.
    const double by_bursts = around.outstanding * static_cast<double>(around.burst_bytes) / memory.burst_cycles;
    for (double* bytes : {&memory.bytes_per_cycle, &memory.unrefreshed_bytes_per_cycle}) {
        *bytes = std::min({*bytes, static_cast<double>(around.bus_bytes_per_cycle()), by_bursts});
    }
    return memory;
}

} // namespace tensorloom::testbench
