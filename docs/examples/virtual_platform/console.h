#pragma once
#include <ostream>
#include "register_block.h"

namespace tensorloom::virtual_platform {

/// A serial console that prints to a stream; always ready.
///
/// Registers: memory_map.h. Not modelled: input, baud rate, interrupts.
class console : public register_block {
public:
    console(sc_core::sc_module_name name, std::ostream& output) : register_block(name), m_output(output) {}

private:
    bool read(std::uint64_t offset, std::uint32_t& value, const sc_core::sc_time& at) override;
    bool write(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;

    std::ostream& m_output;
};

} // namespace tensorloom::virtual_platform
