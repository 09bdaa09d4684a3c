#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <tensorloom/models/costs/sram_costs.h>
#include <tensorloom/models/memory/memory_module.h>
#include <tensorloom/models/memory/sram_timing.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/at_target.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::memory {

/// The memory's size and manners, its build (sram_geometry), and how it takes non-blocking transactions (queue_depth,
/// phases).
struct sram_config : sram_geometry, bus::at_target_config {
    std::uint64_t bytes = 1u << 20;              ///< size, 1 to 2^40
    sc_core::sc_time latency{2, sc_core::SC_NS}; ///< from the last beat of an access to its response
    sc_core::sc_time clock_period{1, sc_core::SC_NS};
    unsigned char fill = 0;       ///< every byte at the start
    bool read_only = false;       ///< a ROM: writes are answered COMMAND_ERROR; debug transport may write
    bool streaming_bursts = true; ///< a streaming width below the length wraps the address; otherwise BURST_ERROR
    bool allow_dmi = true;
    bus::target_tolerance tolerance;
};

/// The table of its parameters, by which they can be set and listed (base/values/config_fields.h). It lives as long as
/// the configuration.
base::config_fields fields_of(sram_config& config);

/// The first thing wrong with a configuration.
std::optional<std::string> validate(const sram_config& config);

/// What an SRAM does, apart from its sockets and processes: byte_store says what comes of a transaction, sram_timing
/// when.
///
/// An access takes latency + ceil(length / bytes_per_cycle) clock periods from its arrival, longer by the periods it
/// waits for ports and banks. The request is accepted one clock period after a port took it. What moves no data
/// (errors, TLM_IGNORE_COMMAND) takes no time.
///
/// Events    read_access, write_access                   64-bit words touched, enabled or not
///                                                       (costs/sram_costs.h)
///           port_conflict_cycle, bank_conflict_cycle    clock periods waited
class sram_body : public memory_body {
public:
    /// A configuration with a complaint is an SC_ERROR.
    explicit sram_body(const sram_config& config);

    bus::service_times serve(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& arrival) override;
    void reset() override { m_timing.clear(); } ///< ports and banks are free; contents and counts stay

    const std::uint64_t* counts() const { return m_counts; }

private:
    std::uint64_t& count(costs::sram_event event) { return m_counts[static_cast<std::size_t>(event)]; }

    sc_core::sc_time m_latency;
    sc_core::sc_time m_period;
    sc_core::sc_time m_one_beat; // from arrival to response, when nothing is in the way
    sram_timing m_timing;
    std::uint64_t m_accesses = 0;
    std::uint64_t m_counts[costs::sram_event_count] = {};
};

/// A static memory on the bus, apart from the width of its socket: see sram.
class sram_module : public memory_module<sram_body> {
public:
    const std::uint64_t* counts() const { return m_body.counts(); } ///< by costs::sram_events
    const char* kind() const override { return "sram"; }

protected:
    sram_module(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity);
};

/// A static memory on the bus: ports, banks, a queue of requests.
///
/// in      base-protocol target socket: blocking and non-blocking (see bus::at_target), debug, DMI
/// rst     active-high; its rising edge resets the memory; may stay unbound
///
/// Configuration and events: sram_body. Timing: sram_timing. Answers to transactions: byte_store.
/// Not modelled: refresh or wear (none in an SRAM), sleep modes, what a held reset does (its edge alone acts).
///
/// Example
///
///     memory::sram<> memory("memory", {});
///     initiator.bind(memory.in);
template <unsigned BUSWIDTH = 32> class sram : public sram_module {
public:
    bus::at_target_socket<BUSWIDTH> in;

    /// A configuration with a complaint is an SC_ERROR.
    sram(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity = nullptr)
        : sram_module(name, config, activity), in("in", m_port)
    {}
};

// Compiled once, for the widths that buses have: see sram.cpp.
extern template class sram<32>;
extern template class sram<64>;
extern template class sram<128>;
extern template class sram<256>;
extern template class sram<512>;

} // namespace tensorloom::memory
