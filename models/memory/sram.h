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

/// Size and behaviour of the memory, its ports and banks (sram_geometry), and its non-blocking port (queue_depth,
/// phases).
struct sram_config : sram_geometry, bus::at_target_config {
    std::uint64_t bytes = 1u << 20;              ///< size, 1 to 2^40
    sc_core::sc_time latency{2, sc_core::SC_NS}; ///< from the last beat of an access to its response
    sc_core::sc_time clock_period{1, sc_core::SC_NS};
    unsigned char fill = 0;       ///< initial value of every byte
    bool read_only = false;       ///< a ROM: writes get COMMAND_ERROR; debug transport may write
    bool streaming_bursts = true; ///< a streaming width below the length wraps the address; otherwise BURST_ERROR
    bool allow_dmi = true;
    bus::target_tolerance tolerance;
};

/// Its parameters as a table, by which they are set and listed (base/values/config_fields.h). The table refers to
/// `config`.
base::config_fields fields_of(sram_config& config);

/// The first error of a configuration.
std::optional<std::string> validate(const sram_config& config);

/// The width-independent function of an SRAM: byte_store defines the effect of a transaction, sram_timing its timing.
///
/// An access takes latency + ceil(length / bytes_per_cycle) clock periods from its arrival, plus the periods that it
/// waits for ports and banks. The request is accepted one clock period after a port took it. A transaction that moves
/// no data (an error, TLM_IGNORE_COMMAND) takes no time.
///
/// Events    read_access, write_access                   64-bit words touched, enabled or not
///                                                       (costs/sram_costs.h)
///           port_conflict_cycle, bank_conflict_cycle    clock periods waited
class sram_body : public memory_body {
public:
    /// An invalid configuration is an SC_ERROR of this instance.
    explicit sram_body(const sram_config& config, const std::string& instance = "sram");

    bus::service_times serve(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& arrival) override;
    void reset() override { m_timing.clear(); } ///< frees ports and banks; contents and counts stay

    const std::uint64_t* counts() const { return m_counts; }

private:
    std::uint64_t& count(costs::sram_event event) { return m_counts[static_cast<std::size_t>(event)]; }

    sc_core::sc_time m_latency;
    sc_core::sc_time m_period;
    sc_core::sc_time m_one_beat; // from arrival to response without waits
    sram_timing m_timing;
    std::uint64_t m_accesses = 0;
    std::uint64_t m_counts[costs::sram_event_count] = {};
};

/// The width-independent part of sram.
class sram_module : public memory_module<sram_body> {
public:
    const std::uint64_t* counts() const { return m_body.counts(); } ///< by costs::sram_events
    const char* kind() const override { return "sram"; }

protected:
    sram_module(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity);
};

/// A static memory on the bus, with ports, banks and a request queue.
///
/// in      base-protocol target socket: blocking and non-blocking (see bus::at_target), debug, DMI
/// rst     active-high; its rising edge resets the memory; may stay unbound
///
/// Configuration and events: sram_body. Timing: sram_timing. Status of transactions: byte_store.
/// Not modelled: sleep modes; a held reset (only its edge acts).
///
/// Example
///
///     memory::sram<> memory("memory", {});
///     initiator.bind(memory.in);
template <unsigned BUSWIDTH = 32> class sram : public sram_module {
public:
    bus::at_target_socket<BUSWIDTH> in;

    /// An invalid configuration is an SC_ERROR.
    sram(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity = nullptr)
        : sram_module(name, config, activity), in("in", m_port)
    {}
};

// Instantiated once for the usual bus widths: sram.cpp.
extern template class sram<32>;
extern template class sram<64>;
extern template class sram<128>;
extern template class sram<256>;
extern template class sram<512>;

} // namespace tensorloom::memory
