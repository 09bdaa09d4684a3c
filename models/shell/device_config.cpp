#include <tensorloom/models/shell/device_config.h>
#include <utility>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/tlm/dma_ports.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::shell {

base::config_fields fields_of(device_config& c)
{
    base::config_fields fields = {
        base::number(bus::place_of(c.clock_period), bus::picosecond_range(1, 1'000'000'000),
                     {"clock-period", "clock_period_ps", "PS", "Period of the clock."}),
        base::power_of_two(c.burst_bytes, 4, 1u << 20,
                           {"burst-bytes", "burst_bytes", "BYTES", "Largest burst of the DMA, a power of two."}),
        base::flag(c.count_banks, {"count-banks", "count_banks", "",
                                   "Accesses and stalls per memory bank are counted; slows down the simulation."}),
    };
    const base::config_fields dma = {
        base::number(c.dma.outstanding, {1, 64},
                     {"outstanding", "outstanding", "BURSTS", "Bursts of the DMA in flight."}),
        base::on_off(c.dma.overlap_runs,
                     {"overlap-runs", "overlap_runs", "on|off",
                      "The DMA overlaps contiguous runs of a transfer (rows, planes); off: one after the other."}),
        base::choice(c.dma.transport, {{"blocking", 0}, {"non_blocking", 1}},
                     {"transport", "transport", "blocking|non_blocking", "How the DMA calls the bus."}),
        base::choice(c.dma.use_dmi, {{"off", 0}, {"on", 1}, {"hinted", 2}},
                     {"use-dmi", "use_dmi", "off|on|hinted",
                      "The DMA moves bytes directly where a target grants it; hinted: requests it only after a hint."}),
        base::flag(c.dma.accept_incomplete, {"accept-incomplete", "accept_incomplete", "",
                                             "The DMA accepts an answer without a response status as OK."}),
        base::number(c.dma.timeout_cycles, {0, UINT32_MAX},
                     {"timeout-cycles", "timeout_cycles", "CYCLES",
                      "Time-out of the DMA for the answer to a burst, with non-blocking transport; 0: none."}),
    };
    for (auto& field : base::members_of("dma", dma)) { fields.push_back(std::move(field)); }
    for (auto& field : fields_of(c.tolerance)) { fields.push_back(std::move(field)); }
    return fields;
}

base::config_fields with_shell_fields(base::config_fields own, device_config& config)
{
    for (auto& field : fields_of(config)) { own.push_back(std::move(field)); }
    return own;
}

base::config_field dma_ports_field(unsigned& ports)
{
    return base::number(ports, {1, bus::dma_ports::most},
                        {"dma-ports", "dma_ports", "COUNT",
                         "DMA ports, each with a socket and an engine of its own; transfers are dealt out over them.",
                         "# DMA ports"});
}

base::config_field prefetch_field(std::uint32_t& piece_bytes)
{
    return base::number(piece_bytes, {0, isa::program_header::max_bytes, isa::program_header::alignment},
                        {"program-prefetch", "program_prefetch", "BYTES",
                         "Fetch programs in pieces of this many bytes while their commands run; 0: whole, before the "
                         "first command."});
}

std::optional<std::string> validate_prefetch(std::uint32_t piece_bytes, const sc_core::sc_time& clock_period)
{
    if (piece_bytes % 16 != 0) {
        return "program_prefetch: found " + std::to_string(piece_bytes) + ", expected a multiple of 16 (bytes)";
    }
    if (piece_bytes > 0 && clock_period.value() < 2) {
        return std::string("program_prefetch: expected a clock period of at least two steps of the time resolution");
    }
    return std::nullopt;
}

bus::dma_config dma_settings(const device_config& config)
{
    bus::dma_config c;
    static_cast<bus::dma_options&>(c) = config.dma;
    c.burst_bytes = config.burst_bytes;
    c.clock_period = config.clock_period;
    return c;
}

} // namespace tensorloom::shell
