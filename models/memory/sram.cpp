#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::memory {

namespace {

const sram_config& checked(const sram_config& config)
{
    if (const auto wrong = complaint(config)) { SC_REPORT_ERROR("/tensorloom/sram/config", wrong->c_str()); }
    return config;
}

byte_store_config store_of(const sram_config& c)
{
    return {c.bytes, c.fill, c.read_only, c.streaming_bursts, c.allow_dmi, c.tolerance};
}

constexpr unsigned accesses_between_forgetting = 256;

// 64-bit words that bytes from an address on lie in.
std::uint64_t words(std::uint64_t address, std::uint64_t bytes)
{
    return bytes == 0 ? 0 : (address + bytes + 7) / 8 - address / 8;
}

} // namespace

std::optional<std::string> complaint(const sram_config& config)
{
    constexpr std::uint64_t largest = std::uint64_t{1} << 40;
    if (config.bytes == 0 || config.bytes > largest) {
        return "SRAM of " + std::to_string(config.bytes) + " bytes, expected 1 to " + std::to_string(largest);
    }
    if (const auto wrong = bus::clock_complaint(config.clock_period)) { return "SRAM " + *wrong; }
    if (const auto wrong = complaint(static_cast<const sram_geometry&>(config), config.read_only)) { return wrong; }
    if (const auto wrong = complaint(static_cast<const bus::at_target_config&>(config))) { return "SRAM " + *wrong; }
    return std::nullopt;
}

sram_body::sram_body(const sram_config& config)
    : memory_body(store_of(checked(config)), config.clock_period / static_cast<double>(config.bytes_per_cycle)),
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
    count(reads ? arch::sram_event::read_access : arch::sram_event::write_access) +=
        turn == length ? words(address, length) : length / turn * words(address, turn) + words(address, length % turn);
    if (++m_accesses % accesses_between_forgetting == 0) { m_timing.forget_before(sc_core::sc_time_stamp().value()); }
    const std::uint64_t came = arrival.value();
    const auto booked = m_timing.book({reads, address, length, turn}, came);
    if (booked.start == came && booked.end - came == m_period.value()) {
        return {arrival + m_period, arrival + m_one_beat}; // the same as below, without the conversions
    }
    count(arch::sram_event::port_conflict_cycle) += booked.port_conflict_cycles;
    count(arch::sram_event::bank_conflict_cycle) += booked.bank_conflict_cycles;
    return {sc_core::sc_time::from_value(booked.start) + m_period,
            sc_core::sc_time::from_value(booked.end) + m_latency};
}

sram_module::sram_module(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity)
    : memory_module(name, config)
{
    if (activity != nullptr) { activity->attach(this->name(), arch::sram_events, m_body.counts()); }
}

template class sram<32>;
template class sram<64>;
template class sram<128>;
template class sram<256>;
template class sram<512>;

} // namespace tensorloom::memory
