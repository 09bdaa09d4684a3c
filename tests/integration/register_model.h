#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tlm>
#include "integration/bus_access.h"

namespace tensorloom::test {

/// What the registers of a TriADA device should do, in the words of docs/registers.md; shares no code with the device.
///
/// Of a register that the device changes by itself the value may be unknown for a while.
class register_model {
public:
    static constexpr std::uint32_t block_bytes = 4096;
    /// Registers that a running program changes.
    static constexpr std::array<std::uint32_t, 12> volatile_registers{0x024, 0x028, 0x040, 0x044, 0x048, 0x04c,
                                                                      0x050, 0x058, 0x05c, 0x068, 0x06c, 0x070};

    register_model(std::uint32_t caps, const std::array<std::uint32_t, 3>& caps_size);

    void reset();
    std::optional<std::uint32_t> get(std::uint32_t offset) const { return m_words[offset / 4]; }
    void set(std::uint32_t offset, std::uint32_t value) { m_words[offset / 4] = value; }
    void program_runs(); ///< volatile registers are unknown from now on

    /// Addresses from 0, as the device sees them.
    tlm::tlm_response_status expected_status(const bus_access& a) const;
    /// An access came back: empty, or what is wrong with it. Writes are applied.
    std::string check(const bus_access& a);
    /// Bytes that were read from the address on, all of the block: empty, or what is wrong with them.
    std::string seen(std::uint64_t address, const unsigned char* bytes, std::uint64_t count) const;

    /// The 1 bits that the access, if it is a write, has for this register.
    static std::uint32_t written_to(std::uint32_t offset, const bus_access& a);

private:
    std::string see_byte(std::uint64_t address, unsigned char value) const;

    std::array<std::optional<std::uint32_t>, block_bytes / 4> m_words{};
    std::uint32_t m_caps;
    std::array<std::uint32_t, 3> m_caps_size;
};

} // namespace tensorloom::test
