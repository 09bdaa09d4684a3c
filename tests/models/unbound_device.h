#pragma once
#include <gtest/gtest.h>
#include <systemc>
#include <tensorloom/models/memory/sram.h>
#include <tlm_utils/simple_initiator_socket.h>

namespace tensorloom::test {

struct idle_initiator : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<idle_initiator, 32> out;
    explicit idle_initiator(sc_core::sc_module_name name) : sc_core::sc_module(name), out("out") {}
};

/// A device with a DMA of 32 bits, made of these arguments, whose irq and rst nobody has bound, elaborates and idles.
template <class Device, class... Arguments> void expect_that_irq_and_rst_may_stay_unbound(const Arguments&... arguments)
{
    Device device("device", arguments...);
    memory::sram<32> memory("memory", {});
    device.dma.bind(memory.in);
    idle_initiator initiator("initiator");
    initiator.out.bind(device.regs);
    EXPECT_NO_THROW(sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_NS)));
    EXPECT_FALSE(device.irq.read());
}

} // namespace tensorloom::test
