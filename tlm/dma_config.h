#pragma once
#include <optional>
#include <string>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/device_clock.h>

namespace tensorloom::bus {

/// How a DMA engine calls the bus. Both ways move the same bytes and give the same counts.
enum class dma_transport {
    blocking,    ///< b_transport with annotated times (LT): fast
    non_blocking ///< nb_transport in four phases (AT): for memories and routers that model contention
};

/// Whether a DMA engine moves bytes by direct memory pointers, which bypass contention.
enum class dmi_use {
    off,
    on,    ///< requests a pointer for every address that it accesses
    hinted ///< requests a pointer only where a response carried the DMI hint: for targets that tolerate no other
           ///< request
};

/// User options of a device's DMA, besides the burst size.
struct dma_options {
    unsigned outstanding = 8; ///< bursts in flight at once, 1 to 64
    /// In a transfer of several runs (rows, planes), bursts of a run are issued while those of earlier runs are in
    /// flight.
    bool overlap_runs = true;
    dma_transport transport = dma_transport::blocking;
    dmi_use use_dmi = dmi_use::off;
    bool accept_incomplete = false; ///< treats a missing response status as OK; bends the standard
    unsigned timeout_cycles = 0;    ///< for the answer to a burst, non-blocking only; 0: no time-out
};

struct dma_config : dma_options {
    unsigned burst_bytes = 4096; ///< largest transfer: a power of two, 4 to 1 MiB
    /// One beat of the bus; above 0, so not below the time resolution.
    clock_source clock_period{sc_core::sc_time(1, sc_core::SC_NS)};
};

/// The first error of a configuration.
std::optional<std::string> validate(const dma_config& config);

} // namespace tensorloom::bus
