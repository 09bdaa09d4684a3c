#pragma once
#include "register_block.h"

namespace tensorloom::virtual_platform {

/// The machine timer of a RISC-V processor: mtime counts ns of simulated time, mtimecmp is the time of the interrupt.
///
/// irq     high while mtime >= mtimecmp
///
/// Registers: memory_map.h. An access is at its annotated time; the interrupt follows simulated time.
/// Not modelled: writes to mtime; a latch for its halves (read the high word again).
class timer : public register_block {
public:
    sc_core::sc_out<bool> irq;

    explicit timer(sc_core::sc_module_name name);

private:
    bool read(std::uint64_t offset, std::uint32_t& value, const sc_core::sc_time& at) override;
    bool write(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;
    void update(); // method: drives irq, or waits for the time of the interrupt

    std::uint64_t m_compare = ~std::uint64_t{0};
    sc_core::sc_event m_update;
};

} // namespace tensorloom::virtual_platform
