#pragma once
#include <cstdint>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/models/arch/register_map.h>

namespace tensorloom::bus {

/// What a device does when its registers are read or written over the bus.
class register_owner {
public:
    virtual ~register_owner() = default;

    /// Before a read of this register's value: the owner may update it. `delay`: the read's annotated time.
    virtual void before_read(std::uint32_t offset, const sc_core::sc_time& delay) = 0;

    /// After a write. `value`: the register (read_write), or the bits written as 1 (write_one_clear, write_start).
    /// `delay`: the write's annotated time.
    virtual void after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) = 0;
};

/// A block of 32-bit registers behind a base-protocol target.
///
/// Accesses of 1, 2, 4 or 8 bytes at a multiple of their size; byte enables are honoured; a streaming width of 0 or of at least the
/// length is normal. Registers that the map does not name, and reserved bits, read 0 and ignore writes.
/// Answers: ADDRESS_ERROR outside the block; BURST_ERROR for another length, alignment or streaming width; COMMAND_ERROR for a write
/// that touches a read-only register with an enabled byte (nothing is written). A debug access has no side effects.
/// Not modelled: waiting; the owner adds its access time itself.
class register_bank {
public:
    register_bank(const arch::register_definition* map, std::size_t count, std::uint32_t block_bytes,
                  register_owner& owner);

    std::uint32_t get(std::uint32_t offset) const { return m_values[offset / 4]; }
    void set(std::uint32_t offset, std::uint32_t value) { m_values[offset / 4] = value; }
    void set_pair(std::uint32_t lo_offset, std::uint64_t value);

    /// All registers to their reset values.
    void reset();
    /// The value that reset() gives a register from now on.
    void set_reset_value(std::uint32_t offset, std::uint32_t value);

    void b_transport(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

private:
    struct slot {
        const arch::register_definition* definition = nullptr;
        std::uint32_t reset = 0;
    };

    tlm::tlm_response_status check(const tlm::tlm_generic_payload& transaction) const;
    void read(std::uint32_t address, unsigned char* data, const tlm::tlm_generic_payload& transaction);
    tlm::tlm_response_status write(std::uint32_t address, const unsigned char* data,
                                   const tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);

    std::vector<slot> m_slots;
    std::vector<std::uint32_t> m_values;
    register_owner& m_owner;
};

} // namespace tensorloom::bus
