#pragma once
#include <optional>
#include <string>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// How a DMA engine calls the bus. Bytes and counts are the same.
enum class dma_transport {
    blocking,    ///< b_transport with annotated times (LT): fast
    non_blocking ///< nb_transport in four phases (AT): for memories and routers that model contention
};

/// Whether a DMA engine moves bytes by direct memory pointers, which bypass contention.
enum class dmi_use {
    off,
    on,    ///< asks for every address that it comes to
    hinted ///< asks for an address when a response from there has carried the DMI hint: for targets that bear no other
};

/// What a user chooses about a device's DMA, besides the size of its bursts.
struct dma_options {
    unsigned outstanding = 8; ///< bursts in flight at once, 1 to 64
    /// Bursts of a run are in flight beside those of the runs before it, where a transfer has several: rows, planes.
    bool overlap_runs = true;
    dma_transport transport = dma_transport::blocking;
    dmi_use use_dmi = dmi_use::off;
    bool accept_incomplete = false; ///< takes an answer without a response as OK; bends the standard
    unsigned timeout_cycles = 0;    ///< for the answer to a burst, non-blocking only; 0: waits for ever
};

struct dma_config : dma_options {
    unsigned burst_bytes = 4096; ///< largest transfer: a power of two, 4 to 1 MiB
    /// One beat of the bus; above 0, so no finer than the time resolution.
    sc_core::sc_time clock_period{1, sc_core::SC_NS};
};

/// The first thing wrong with a configuration.
std::optional<std::string> validate(const dma_config& config);

} // namespace tensorloom::bus
