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

/// The DRAM with its controller, the memory's behaviour on the bus, and its non-blocking port (queue_depth, phases).
struct dram_settings : bus::at_target_config {
    costs::dram_config dram = costs::load_dram("lpddr4-3200");
    bool streaming_bursts = true; ///< a streaming width below the length wraps the address; otherwise BURST_ERROR
    bool allow_dmi = false;       ///< a direct pointer bypasses all timing and all counters
    bus::target_tolerance tolerance;
};

/// Its parameters as a table, by which they are set and listed (base/values/config_fields.h); the DRAM is given by the
/// name of its file, single timings have no names. The table refers to `settings`.
base::config_fields fields_of(dram_settings& settings);

/// The first error of settings.
std::optional<std::string> validate(const dram_settings& settings);

/// The width-independent function of a DRAM: byte_store defines the effect of a transaction, dram_controller its
/// timing.
///
/// An arrival counts at the next clock period. The response begins when the last data of the transaction has been
/// transferred; the next request is accepted one clock period after this one. Each turn of a streaming burst is an
/// access. A transaction that moves no data (an error, TLM_IGNORE_COMMAND) takes no time.
///
/// Events    dram_events (costs/dram/dram_energy.h)
class dram_body : public memory_body {
public:
    /// Invalid settings are an SC_ERROR of this instance, as is a time resolution of which tCK is no multiple.
    explicit dram_body(const dram_settings& settings, std::string instance = "dram");

    bus::service_times serve(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& arrival) override;
    void reset() override {} ///< open rows and refresh stay: the DRAM keeps running

    const dram_counts& counts() const { return m_controller.counts(); }
    void settle(const sc_core::sc_time& now) { m_controller.settle((now.value() - m_origin) / m_tck); }
    /// The timing after construction, as if the simulation began at `now`, a multiple of tCK, with no access in flight
    /// (else an SC_ERROR). Contents stay, counts go on.
    void restart(const sc_core::sc_time& now);
    void log_to(dram_command_log log) { m_controller.log_to(std::move(log)); }

private:
    const std::string m_instance;
    std::uint64_t m_tck;        // a clock period in units of the time resolution
    std::uint64_t m_origin = 0; // time of tick 0, in the same units
    dram_controller m_controller;
};

/// The width-independent part of dram.
class dram_module : public memory_module<dram_body> {
public:
    /// Brings the counts up to the present time. Refreshes and open rows cost energy without an access; they are
    /// counted at the next access, by this call, or when the simulation stops.
    void settle() { m_body.settle(sc_core::sc_time_stamp()); }

    /// Counts up to now, then dram_body::restart(): what follows takes the time that it takes at the begin of a
    /// simulation.
    void restart();

    /// Passes each command to `log` from now on; an empty log ends it.
    void log_to(dram_command_log log) { m_body.log_to(std::move(log)); }

    const dram_counts& counts() const { return m_body.counts(); } ///< by costs::dram_events
    const char* kind() const override { return "dram"; }

protected:
    dram_module(sc_core::sc_module_name name, const dram_settings& settings, bus::activity_sink* activity);
    void end_of_simulation() override { settle(); }
};

/// A DRAM on the bus; by default four x16 channels of LPDDR4-3200, 4 GiB, 25.6 GB/s.
///
/// in      base-protocol target socket: blocking and non-blocking (see bus::at_target), debug, DMI when allowed
/// rst     active-high; its rising edge resets the memory; may stay unbound
///
/// Settings and events: dram_body. Timing: dram_controller, dram_channel. Status of transactions: byte_store.
/// Initiators may run ahead of time: a blocking call arrives at its annotated time. An arrival more than tRCpb before
/// an earlier one at its channel gets an estimated time (dram_channel), because planned commands do not move.
/// DMI, when allowed, is granted for the whole memory, with the time per byte at peak bandwidth, rounded to the time
/// resolution.
///
/// Not modelled: time in the controller's front end, the physical interface and the bus (BUSWIDTH has no effect);
/// initialisation, power-down, self-refresh, ECC; a held reset (only its edge acts).
///
/// Example
///
///     memory::dram<> memory("memory");
///     initiator.bind(memory.in);
template <unsigned BUSWIDTH = 32> class dram : public dram_module {
public:
    bus::at_target_socket<BUSWIDTH> in;

    /// Invalid settings are an SC_ERROR.
    explicit dram(sc_core::sc_module_name name, const dram_settings& settings = {},
                  bus::activity_sink* activity = nullptr)
        : dram_module(name, settings, activity), in("in", m_port)
    {}
};

// Instantiated once for the usual bus widths: dram.cpp.
extern template class dram<32>;
extern template class dram<64>;
extern template class dram<128>;
extern template class dram<256>;
extern template class dram<512>;

} // namespace tensorloom::memory
