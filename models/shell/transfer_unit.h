#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/shell/access_set.h>
#include <tensorloom/models/shell/command_outcome.h>
#include <tensorloom/models/shell/issued_command.h>
#include <tensorloom/models/shell/job_clock.h>
#include <tensorloom/models/shell/local_memory.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// How a LOAD or STORE went.
struct transfer_result {
    command_outcome outcome;
    std::uint64_t cycles = 0;
    byte_range moved; ///< of the device's memory: all of it, or up to the piece that failed
};

/// Executes LOAD and STORE: moves a tensor between memory on the bus and the memory of a device, run by run in C order.
///
/// Timing     DMA time, or that of the memory's port if it is longer, up to the next cycle boundary
/// Errors     bad_descriptor, too_large   the addresses of this iteration lead outside of 64 bits, or of a window of
///            the memory; takes no time
///            bus_error, aborted          what has been moved stays, in whole pieces (dma_chunks.h)
/// A stop that acts when all has been moved and the port's time has passed comes too late, as for every unit.
/// Not modelled: several transfers at a time.
class transfer_unit {
public:
    /// A device without memory never runs one.
    transfer_unit(bus::dma_engine& dma, const bus::stop_request& stop, const job_clock& clock)
        : m_dma(dma), m_stop(stop), m_clock(clock)
    {}

    transfer_result run(const issued_command& command, local_memory& memory);

    /// What a transfer reads or writes of the device's memory: nothing when run() will refuse it. The unit is not set.
    static access_set footprint(const issued_command& command, const local_memory& memory);

private:
    command_outcome move(bool load, const arch::transfer_command& transfer, local_memory& memory,
                         std::uint64_t& moved_bytes);

    bus::dma_engine& m_dma;
    const bus::stop_request& m_stop;
    const job_clock& m_clock;
    std::vector<unsigned char> m_buffer;
};

} // namespace tensorloom::shell
