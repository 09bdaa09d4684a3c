#pragma once
#include <functional>
#include <utility>
#include <vector>
#include <systemc>
#include <tensorloom/tlm/dma_socket.h>
#include "tlm/at_target.h"
#include "tlm/byte_target.h"
#include "tlm/payload.h"

namespace tensorloom::test {

/// A DMA engine in a thread of its own, in front of a memory of the test's.
template <unsigned BUSWIDTH = 32, class Target = byte_target<BUSWIDTH>> class dma_bench : public sc_core::sc_module {
public:
    bus::dma_socket<BUSWIDTH> port;
    Target target;
    bus::dma_engine dma;
    bus::stop_request stop;
    std::vector<unsigned char> inside; ///< the device's side, filled with `untouched`
    bus::dma_result result;            ///< of the last transfer
    sc_core::sc_time end;              ///< when the program returned
    bool finished = false;

    dma_bench(sc_core::sc_module_name name, const bus::dma_config& config, std::function<void(dma_bench&)> program)
        : sc_core::sc_module(name), port("port"), target("target", 4096), dma(config), inside(4096, untouched),
          m_program(std::move(program))
    {
        SC_HAS_PROCESS(dma_bench);
        port.bind(target.in);
        dma.bind(port);
        for (std::size_t i = 0; i < target.bytes.size(); ++i) { target.bytes[i] = pattern(i); }
        SC_THREAD(run);
    }

    void read(std::uint64_t address, std::uint64_t bytes) { result = dma.read(address, inside.data(), bytes, stop); }
    void write(std::uint64_t address, std::uint64_t bytes) { result = dma.write(address, inside.data(), bytes, stop); }

    std::uint64_t count(bus::dma_event e) const { return dma.counts()[static_cast<std::size_t>(e)]; }

    static unsigned char pattern(std::size_t i) { return static_cast<unsigned char>(i * 7 + i / 256 + 1); }
    /// What `inside` should hold after a read of all the bytes.
    std::vector<unsigned char> read_of(std::uint64_t address, std::uint64_t bytes) const
    {
        std::vector<unsigned char> all(inside.size(), untouched);
        for (std::size_t i = 0; i < bytes; ++i) { all[i] = pattern(address - target.base + i); }
        return all;
    }

private:
    void run()
    {
        m_program(*this);
        end = sc_core::sc_time_stamp();
        finished = true;
    }
    std::function<void(dma_bench&)> m_program;
};

using at_dma_bench = dma_bench<32, at_target<32>>;

/// What 16 bytes take on the bus of 32 bits at 1 GHz.
constexpr double beats_ns = 4;

/// One burst after the other.
inline bus::dma_config burst_of(unsigned bytes, sc_core::sc_time period = ns(1))
{
    bus::dma_config c;
    c.burst_bytes = bytes;
    c.clock_period = period;
    c.outstanding = 1;
    return c;
}

inline bus::dma_config several_of(unsigned outstanding, unsigned bytes,
                                  bus::dma_transport transport = bus::dma_transport::blocking)
{
    auto c = burst_of(bytes);
    c.outstanding = outstanding;
    c.transport = transport;
    return c;
}

} // namespace tensorloom::test
