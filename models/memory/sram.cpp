#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/instance_report.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::memory {

namespace {

const sram_config& checked(const sram_config& config, const std::string& instance)
{
    if (const auto wrong = validate(config)) { bus::report_error(instance, "/tensorloom/sram/config", *wrong); }
    return config;
}

byte_store_config store_of(const sram_config& c)
{
    return {c.bytes, c.fill, c.read_only, c.streaming_bursts, c.allow_dmi, c.tolerance};
}

constexpr std::uint64_t largest = std::uint64_t{1} << 40; // bytes
constexpr unsigned accesses_between_forgetting = 256;

// Number of 64-bit words that hold these bytes.
std::uint64_t words(std::uint64_t address, std::uint64_t bytes)
{
    return bytes == 0 ? 0 : (address + bytes + 7) / 8 - address / 8;
}

} // namespace

base::config_fields fields_of(sram_config& c)
{
    return with_port_fields(
        {
            base::number(c.bytes, {1, largest}, {"bytes", "bytes", "BYTES", "Size of the memory."}),
            base::number(bus::place_of(c.latency), bus::picosecond_range(0, 1'000'000'000),
                         {"latency", "latency_ps", "PS", "From the last beat of an access to its response."}),
            base::number(bus::place_of(c.clock_period), bus::picosecond_range(1, 1'000'000'000),
                         {"clock-period", "clock_period_ps", "PS", "Period of the clock."}),
            base::number(c.bytes_per_cycle, {1, UINT32_MAX},
                         {"bytes-per-cycle", "bytes_per_cycle", "BYTES", "Width of a port."}),
            base::number(c.ports, {0, 64}, {"ports", "ports", "COUNT", "Ports that serve reads and writes."}),
            base::number(c.read_ports, {0, 64}, {"read-ports", "read_ports", "COUNT", "Ports that serve reads only."}),
            base::number(c.write_ports, {0, 64},
                         {"write-ports", "write_ports", "COUNT", "Ports that serve writes only."}),
            base::power_of_two(c.banks, 1, 4096, {"banks", "banks", "COUNT", "Banks, a power of two."}),
            base::power_of_two(c.interleave_bytes, 1, 65536,
                               {"interleave-bytes", "interleave_bytes", "BYTES",
                                "Neighbouring words of this size lie in neighbouring banks, a power of two."}),
            base::number(c.accesses_per_bank, {1, 64},
                         {"accesses-per-bank", "accesses_per_bank", "COUNT", "Parallel accesses to a bank."}),
            base::power_of_two(c.modify_bytes, 1, 65536,
                               {"modify-bytes", "modify_bytes", "BYTES",
                                "A write of part of a block of this size reads it first, a power of two."}),
            base::number(c.modify_cycles, {0, 65536},
                         {"modify-cycles", "modify_cycles", "CYCLES", "Cycles that this takes."}),
            base::number(c.fill, {0, 255}, {"fill", "fill", "BYTE", "Initial value of every byte."}),
            base::flag(c.read_only, {"read-only", "read_only", "", "Only debug transport writes."}),
        },
        c);
}

std::optional<std::string> validate(const sram_config& config)
{
    if (config.bytes == 0 || config.bytes > largest) {
        return "SRAM of " + std::to_string(config.bytes) + " bytes, expected 1 to " + std::to_string(largest);
    }
    if (const auto wrong = bus::validate_clock(config.clock_period)) { return "SRAM " + *wrong; }
    if (const auto wrong = validate(static_cast<const sram_geometry&>(config), config.read_only)) { return wrong; }
    if (const auto wrong = validate(static_cast<const bus::at_target_config&>(config))) { return "SRAM " + *wrong; }
    return std::nullopt;
}

sram_body::sram_body(const sram_config& config, const std::string& instance)
    : memory_body(store_of(checked(config, instance)),
                  config.clock_period / static_cast<double>(config.bytes_per_cycle)),
      m_latency(config.latency), m_period(config.clock_period), m_one_beat(m_period + m_latency),
      m_timing(config, config.clock_period.value())
{}

bus::service_times sram_body::serve(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& arrival)
{
    if (!m_bytes.execute(transaction)) { return {arrival, arrival}; }
    const bool reads = transaction.is_read();
    const std::uint64_t address = transaction.get_address();
    const std::uint64_t length = transaction.get_data_length();
    const std::uint64_t turn = byte_store::turn_bytes(transaction);
    count(reads ? costs::sram_event::read_access : costs::sram_event::write_access) +=
        turn == length ? words(address, length) : length / turn * words(address, turn) + words(address, length % turn);
    if (++m_accesses % accesses_between_forgetting == 0) { m_timing.forget_before(sc_core::sc_time_stamp().value()); }
    const std::uint64_t came = arrival.value();
    const auto booked = m_timing.book({reads, address, length, turn}, came);
    if (booked.start == came && booked.end - came == m_period.value()) {
        return {arrival + m_period, arrival + m_one_beat}; // as below, without conversions
    }
    count(costs::sram_event::port_conflict_cycle) += booked.port_conflict_cycles;
    count(costs::sram_event::bank_conflict_cycle) += booked.bank_conflict_cycles;
    return {sc_core::sc_time::from_value(booked.start) + m_period,
            sc_core::sc_time::from_value(booked.end) + m_latency};
}

sram_module::sram_module(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity)
    : memory_module(name, config)
{
    if (activity != nullptr) { activity->attach(this->name(), costs::sram_events, m_body.counts()); }
}

template class sram<32>;
template class sram<64>;
template class sram<128>;
template class sram<256>;
template class sram<512>;

} // namespace tensorloom::memory
