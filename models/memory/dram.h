#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <systemc>
#include <tlm>
#include <tensorloom/models/costs/dram/dram_config.h>
#include <tensorloom/models/memory/dram_controller.h>
#include <tensorloom/models/memory/memory_module.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/at_target.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::memory {

/// The devices with their controller, the memory's manners, and how it takes non-blocking transactions (queue_depth,
/// phases).
struct dram_settings : bus::at_target_config {
    costs::dram_config dram = costs::load_dram("lpddr4-3200");
    bool streaming_bursts = true; ///< a streaming width below the length wraps the address; otherwise BURST_ERROR
    bool allow_dmi = false;       ///< a direct pointer goes round all timing and all counters
    bus::target_tolerance tolerance;
};

/// The table of its parameters, by which they can be set and listed (base/values/config_fields.h): the part by the name
/// of its file, of which single timings have no names. It lives as long as the settings.
base::config_fields fields_of(dram_settings& settings);

/// The first thing wrong with settings.
std::optional<std::string> validate(const dram_settings& settings);

/// What a DRAM does, apart from its sockets and processes: byte_store says what comes of a transaction, dram_controller
/// when.
///
/// An arrival counts at the next clock period. The response begins when the last data of the transaction has passed;
/// the next request is accepted one clock period after this one. Each turn of a streaming burst is an access. What
/// moves no data (errors, TLM_IGNORE_COMMAND) takes no time.
///
/// Events    dram_events (costs/dram/dram_energy.h)
class dram_body : public memory_body {
public:
    /// Settings with a complaint are an SC_ERROR, as is a time resolution in which tCK is no whole number.
    explicit dram_body(const dram_settings& settings);

    bus::service_times serve(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& arrival) override;
    void reset() override {} ///< open rows and refresh stay: the devices keep running

    const dram_counts& counts() const { return m_controller.counts(); }
    void settle(const sc_core::sc_time& now) { m_controller.settle(now.value() / m_tck); }
    void log_to(dram_command_log log) { m_controller.log_to(std::move(log)); }

private:
    std::uint64_t m_tck; // a clock period in units of the time resolution
    dram_controller m_controller;
};

/// A DRAM on the bus, apart from the width of its socket: see dram.
class dram_module : public memory_module<dram_body> {
public:
    /// Brings the counts up to the present time. Refreshes and open rows cost energy without an access, and are counted
    /// with the next access, by this call, or when the simulation is stopped.
    void settle() { m_body.settle(sc_core::sc_time_stamp()); }

    /// From now on each command is given to `log`; an empty one ends it.
    void log_to(dram_command_log log) { m_body.log_to(std::move(log)); }

    const dram_counts& counts() const { return m_body.counts(); } ///< by costs::dram_events
    const char* kind() const override { return "dram"; }

protected:
    dram_module(sc_core::sc_module_name name, const dram_settings& settings, bus::activity_sink* activity);
    void end_of_simulation() override { settle(); }
};

/// A DRAM on the bus; four x16 channels of LPDDR4-3200, 4 GiB and 25.6 GB/s, unless configured otherwise.
///
/// in      base-protocol target socket: blocking and non-blocking (see bus::at_target), debug, DMI when allowed
/// rst     active-high; its rising edge resets the memory; may stay unbound
///
/// Settings and events: dram_body. Timing: dram_controller, dram_channel. Answers to transactions: byte_store.
/// Blocking calls may come from initiators that run ahead of time: an arrival is the annotated time. One that lies more
/// than tRCpb behind an earlier arrival at its channel gets an estimate (dram_channel), because plans made stand.
/// DMI, when allowed, is granted for the whole memory, with the time per byte at peak bandwidth, rounded to the time
/// resolution.
///
/// Not modelled: time in the controller's front end, the physical interface and the bus (BUSWIDTH has no effect);
///               initialisation, power-down, self-refresh, ECC; what a held reset does (its edge alone acts).
///
/// Example
///
///     memory::dram<> memory("memory");
///     initiator.bind(memory.in);
template <unsigned BUSWIDTH = 32> class dram : public dram_module {
public:
    bus::at_target_socket<BUSWIDTH> in;

    /// Settings with a complaint are an SC_ERROR.
    explicit dram(sc_core::sc_module_name name, const dram_settings& settings = {},
                  bus::activity_sink* activity = nullptr)
        : dram_module(name, settings, activity), in("in", m_port)
    {}
};

// Compiled once, for the widths that buses have: see dram.cpp.
extern template class dram<32>;
extern template class dram<64>;
extern template class dram<128>;
extern template class dram<256>;
extern template class dram<512>;

} // namespace tensorloom::memory
