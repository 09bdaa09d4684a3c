#pragma once
#include <cstdint>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/program/register_definition.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::bus {

/// What a device does when its registers are read or written over the bus.
class register_owner {
public:
    virtual ~register_owner() = default;

    /// The 64-bit value of a pair whose lower register latches, as an access sees it at its annotated time `delay`.
    virtual std::uint64_t latched_value(std::uint32_t lo_offset, const sc_core::sc_time& delay) = 0;

    /// The same value for a debug access: nothing changes, not even what a later access sees.
    virtual std::uint64_t debug_value(std::uint32_t lo_offset) const = 0;

    /// After a write. `value`: the register's read/write bits as they are now, and the bits of its other writable
    /// fields that were written as 1. `delay`: the write's annotated time.
    virtual void after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) = 0;
};

/// A block of 32-bit registers behind a base-protocol target. What an access does, follows from the fields of the
/// table.
///
/// Accesses of 1, 2, 4 or 8 bytes at a multiple of their size; byte enables are honoured; a streaming width of at least
/// the length is normal, and one of 0 by tolerance. Registers that the table does not name, and reserved bits, read 0
/// and ignore writes. A read of the lowest byte of a latching register takes the owner's present value: its upper half
/// stays in the next register until the next such read, so that a pair that is read low first is one value.
/// Answers: ADDRESS_ERROR outside the block; BURST_ERROR for another length, alignment or streaming width;
/// COMMAND_ERROR for a write that touches, with an enabled byte, a register that has fields but none to write (nothing
/// is written). A debug read of any length has no side effects and shows present values on both halves of a pair. A
/// debug write is refused with 0 bytes and COMMAND_ERROR: a write to these registers acts on the device, and a debug
/// access must not. Not modelled: time; the owner adds its access time itself.
///
/// Example
///
///     bus::register_bank registers(isa::registers, owner);
///     registers.b_transport(transaction, delay);
class register_bank {
public:
    register_bank(const isa::register_table& table, register_owner& owner, const target_tolerance& tolerance = {});

    std::uint32_t get(std::uint32_t offset) const { return m_slots[offset / 4].value; }
    void set(std::uint32_t offset, std::uint32_t value) { m_slots[offset / 4].value = value; }
    void set_pair(std::uint32_t lo_offset, std::uint64_t value);

    /// All registers to their reset values.
    void reset();
    /// The value that reset() gives a register from now on.
    void set_reset_value(std::uint32_t offset, std::uint32_t value);

    void b_transport(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay)
    {
        if (!read_word(transaction)) { access(transaction, delay); }
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

private:
    struct slot {
        std::uint32_t value = 0;
        std::uint32_t reset = 0;
        std::uint32_t read_write = 0; // masks of fields by access
        std::uint32_t write_one_clear = 0;
        std::uint32_t write_start = 0;
        bool read_only = false; // it has fields, but none to write
        bool latches = false;

        std::uint32_t writable() const { return read_write | write_one_clear | write_start; }
    };

    // What nearly all accesses are: an aligned word, whole, of a register that just shows its value.
    bool read_word(tlm::tlm_generic_payload& transaction) const
    {
        const std::uint64_t address = transaction.get_address();
        if (!transaction.is_read() || transaction.get_data_length() != 4 || (address & 3) != 0 ||
            address >= m_block_bytes || transaction.get_byte_enable_ptr() != nullptr ||
            transaction.get_streaming_width() < 4 || transaction.get_data_ptr() == nullptr) {
            return false;
        }
        const slot& s = m_slots[address / 4];
        if (s.latches) { return false; }
        base::store_le(transaction.get_data_ptr(), s.value);
        transaction.set_dmi_allowed(false);
        transaction.set_response_status(tlm::TLM_OK_RESPONSE);
        return true;
    }

    void access(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    tlm::tlm_response_status check(const tlm::tlm_generic_payload& transaction) const;
    void read(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    tlm::tlm_response_status write(const tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    void write_word(std::uint32_t offset, std::uint32_t value, std::uint32_t enabled, const sc_core::sc_time& delay);

    std::uint64_t m_block_bytes;
    std::vector<slot> m_slots;
    register_owner& m_owner;
    target_tolerance m_tolerance;
};

} // namespace tensorloom::bus
