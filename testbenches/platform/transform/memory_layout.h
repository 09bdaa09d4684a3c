#pragma once
#include <cstdint>
#include <tensorloom/models/arch/values/element_type.h>

namespace tensorloom::testbench {

/// Hands out addresses in a memory, a page apart.
class memory_layout {
public:
    /// `base`: bus address of the memory.
    explicit memory_layout(std::uint64_t base) : m_base(base) {}

    std::uint64_t place(std::uint64_t bytes)
    {
        const std::uint64_t at = m_base + m_bytes;
        m_bytes += (bytes + page - 1) / page * page;
        return at;
    }
    std::uint64_t bytes() const { return m_bytes; } ///< handed out so far

private:
    static constexpr std::uint64_t page = 4096;

    std::uint64_t m_base;
    std::uint64_t m_bytes = 0;
};

/// Places the workspace of GEMT commands, arch::triada::gemt_workspace_elements() of them; returns its address, 0 when
/// none is needed. Throws arch::input_error: more elements than a tensor descriptor can have in a mode.
std::uint64_t place_workspace(std::uint64_t elements, arch::element_type format, memory_layout& memory);

} // namespace tensorloom::testbench
