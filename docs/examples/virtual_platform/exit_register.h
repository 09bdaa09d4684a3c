#pragma once
#include <optional>
#include "register_block.h"

namespace tensorloom::virtual_platform {

/// A register that ends the simulation: the word that is written is the status of the firmware.
class exit_register : public register_block {
public:
    explicit exit_register(sc_core::sc_module_name name) : register_block(name) {}

    /// What the firmware wrote; nothing before it did.
    std::optional<std::uint32_t> status() const { return m_status; }

private:
    bool read(std::uint64_t, std::uint32_t&, const sc_core::sc_time&) override { return false; }
    bool write(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time&) override
    {
        if (offset != 0) { return false; }
        m_status = value;
        sc_core::sc_stop();
        return true;
    }

    std::optional<std::uint32_t> m_status;
};

} // namespace tensorloom::virtual_platform
