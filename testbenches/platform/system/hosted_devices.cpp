#include "platform/system/hosted_devices.h"

namespace tensorloom::testbench {

void connect(connections& wires, bus::router<512>& router, sc_core::sc_vector<sc_core::sc_signal<bool>>& irqs,
             const std::vector<hosted_device>& devices)
{
    constexpr std::uint64_t last_register = 0xfff;
    for (const auto& d : devices) { wires.connect_widths<32, 512>(d.host->bus, router.in, d.host_wire); }
    for (const auto& d : devices) { d.connect_dma(wires, router, d.dma_wire); }
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const auto& d = devices[i];
        wires.connect_widths<512, 32>(router.out, *d.regs, d.regs_wire);
        router.map(d.base, d.base + last_register, static_cast<unsigned>(i));
        d.irq->bind(irqs[i]);
        d.host->irq.bind(irqs[i]);
    }
}

} // namespace tensorloom::testbench
