#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <systemc>
#include <tlm>
#include <tensorloom/models/arch/dram/dram_config.h>
#include <tensorloom/models/memory/dram_controller.h>
#include <tensorloom/models/memory/memory_body.h>
#include <tensorloom/tlm/at_target.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::memory {

/// The devices with their controller, the memory's manners, and how it takes non-blocking transactions (queue_depth,
/// phases).
struct dram_settings : bus::at_target_config {
    arch::dram_config dram = arch::load_dram("lpddr4-3200");
    bool streaming_bursts = true; ///< a streaming width below the length wraps the address; otherwise BURST_ERROR
    bool allow_dmi = false;       ///< a direct pointer goes round all timing and all counters
    bus::target_tolerance tolerance;
};

/// The first thing wrong with settings.
std::optional<std::string> complaint(const dram_settings& settings);

/// What a DRAM does, apart from its sockets and processes: byte_store says what comes of a transaction, dram_controller
/// when.
///
/// An arrival counts at the next clock period. The response begins when the last data of the transaction has passed;
/// the next request is accepted one clock period after this one. Each turn of a streaming burst is an access. What
/// moves no data (errors, TLM_IGNORE_COMMAND) takes no time.
///
/// Events    dram_events (arch/dram_energy.h)
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

} // namespace tensorloom::memory
