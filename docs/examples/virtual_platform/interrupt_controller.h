#pragma once
#include "memory_map.h"
#include "register_block.h"

namespace tensorloom::virtual_platform {

/// An interrupt controller for the devices, after the platform-level interrupt controller (PLIC) of RISC-V.
///
/// source[n]    level of source n + 1, active-high
/// irq          high while a source is pending and enabled
///
/// A source is pending while it is high, from its last completion on until it is claimed. Registers: memory_map.h.
/// Not modelled: priorities (the lowest number is first), thresholds, several processors.
class interrupt_controller : public register_block {
public:
    sc_core::sc_vector<sc_core::sc_in<bool>> source;
    sc_core::sc_out<bool> irq;

    explicit interrupt_controller(sc_core::sc_module_name name);

private:
    bool read(std::uint64_t offset, std::uint32_t& value, const sc_core::sc_time& at) override;
    bool write(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;
    std::uint32_t pending() const;
    std::uint32_t claim();
    void update() { irq.write((pending() & m_enabled) != 0); } // method

    std::uint32_t m_enabled = 0;
    std::uint32_t m_claimed = 0; // and not yet completed
    sc_core::sc_event m_update;
};

} // namespace tensorloom::virtual_platform
