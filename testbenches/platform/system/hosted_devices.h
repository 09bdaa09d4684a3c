#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/tlm/router.h>
#include "platform/system/connections.h"
#include "platform/system/testbed_device.h"

namespace tensorloom::testbench {

/// A device on a router, and the host that drives it and gets its interrupt.
struct hosted_device {
    bus::host_thread* host = nullptr;
    tlm::tlm_target_socket<32>* regs = nullptr;
    sc_core::sc_out<bool>* irq = nullptr;
    std::function<void(connections&, bus::router<512>&, const std::string&)> connect_dma; ///< testbed_device's
    std::uint64_t base = 0;                                                               ///< address of its registers
    std::string host_wire, dma_wire, regs_wire; ///< names of its connections; of the DMA's first port
};

template <class Body>
hosted_device on_host(bus::host_thread& host, const testbed_device<Body>& made, std::uint64_t base)
{
    hosted_device all;
    all.host = &host;
    all.regs = &made.device->regs;
    all.irq = &made.device->irq;
    all.connect_dma = made.connect_dma;
    all.base = base;
    return all;
}

/// Elaboration, within the platform's constructor, before memories are connected. The router's initiators are by number
/// the hosts, then the DMA ports device by device; its targets the registers. `irqs`: a signal for each device.
void connect(connections& wires, bus::router<512>& router, sc_core::sc_vector<sc_core::sc_signal<bool>>& irqs,
             const std::vector<hosted_device>& devices);

} // namespace tensorloom::testbench
