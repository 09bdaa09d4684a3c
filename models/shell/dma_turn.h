#pragma once
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::shell {

/// Arbitrates a device's DMA, which does one transfer at a time, between LOAD and STORE and the fetch of a running
/// program (program_fetch.h).
///
/// Example
///
///     turn.take();
///     dma.read(0x8000'0000, buffer.data(), buffer.size(), stop);
///     turn.give_back();
class dma_turn {
public:
    /// Returns when the DMA is free. Called in a thread.
    void take()
    {
        while (m_taken) { sc_core::wait(m_free); }
        m_taken = true;
    }
    void give_back()
    {
        m_taken = false;
        m_free.notify(sc_core::SC_ZERO_TIME);
    }
    bool taken() const { return m_taken; }
    const sc_core::sc_event& free() const { return m_free; }

private:
    bool m_taken = false;
    sc_core::sc_event m_free;
};

} // namespace tensorloom::shell
