#pragma once
#include <cstdint>
#include <functional>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/program/register_definition.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::bus {

/// The device's reaction to accesses to its registers.
class register_owner {
public:
    virtual ~register_owner() = default;

    /// The 64-bit value of a register pair whose lower register latches, at the annotated time `delay` of the access.
    virtual std::uint64_t latched_value(std::uint32_t lo_offset, const sc_core::sc_time& delay) = 0;

    /// The same value for a debug access: must not change any state.
    virtual std::uint64_t debug_value(std::uint32_t lo_offset) const = 0;

    /// Called after a write. `value`: the register's read/write bits after the write, and the bits written as 1 of its
    /// other writable fields. `delay`: the annotated time of the write.
    virtual void after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) = 0;
};

/// A register and its present value.
struct register_value {
    const char* name;
    std::uint32_t offset;
    std::uint32_t value;
};

/// One register in an access over the bus, after the access has acted.
struct accessed_register {
    const isa::register_definition& definition; ///< its name, offset and fields
    bool is_write;
    std::uint32_t enabled;         ///< the bits in the accessed bytes; bytes without a byte enable are not among them
    std::uint32_t value;           ///< these bits as they were read or written; other bits are 0
    const sc_core::sc_time& delay; ///< the annotated time of the access
};

using register_listener = std::function<void(const accessed_register&)>;

/// A block of 32-bit registers for a base-protocol target. The fields of the register table define what an access does.
///
/// Accesses    1, 2, 4 or 8 bytes at a multiple of their size; byte enables are honoured; the streaming width must be
///             at least the length, or 0 by tolerance. Registers that are not in the table, and reserved bits, read 0
///             and ignore writes.
/// Latching    a read of the lowest byte of a latching register samples the owner's value and stores its upper half in
///             the next register until the next such read: a pair that is read low first is consistent.
/// Errors      ADDRESS_ERROR outside the block; BURST_ERROR for another length, alignment or streaming width;
///             COMMAND_ERROR for a write with an enabled byte in a register whose fields are all read-only (nothing is
///             written).
/// Debug       a read of any length has no side effects and returns present values of both halves of a pair. A write is
///             refused with 0 bytes and COMMAND_ERROR, because writes to these registers act on the device.
/// Tracing     list() returns all registers; a listener is called for every register of the table in a successful
/// access
///             by b_transport, in the order of addresses: an access of 8 bytes may call it twice. Errors, debug
///             accesses and offsets without a register do not call it. The listener may call list(); it must not call
///             wait(). Without a listener an access takes no longer.
/// Not modelled: time; the owner adds its access time.
///
/// Example
///
///     bus::register_bank registers(isa::registers, owner);
///     registers.listen([&](const bus::accessed_register& r) { out << r.definition.name << " " << r.value; });
///     registers.b_transport(transaction, delay);
class register_bank {
public:
    register_bank(const isa::register_table& table, register_owner& owner, const target_tolerance& tolerance = {});

    std::uint32_t get(std::uint32_t offset) const { return m_slots[offset / 4].value; }
    void set(std::uint32_t offset, std::uint32_t value) { m_slots[offset / 4].value = value; }
    void set_pair(std::uint32_t lo_offset, std::uint64_t value);

    /// Sets all registers to their reset values.
    void reset();
    /// The register's value after a reset() from now on.
    void set_reset_value(std::uint32_t offset, std::uint32_t value);

    /// All registers in the order of their offsets, with the values of a debug read.
    std::vector<register_value> list() const;
    /// Replaces the listener; an empty function removes it.
    void listen(register_listener listener);

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
        const isa::register_definition* definition = nullptr;
        bool read_only = false; // it has fields, none of them writable
        bool latches = false;
        bool read_acts = false; // it latches, or a listener is called

        std::uint32_t writable() const { return read_write | write_one_clear | write_start; }
    };

    // Fast path of nearly all accesses: an aligned whole word of a register without side effects.
    bool read_word(tlm::tlm_generic_payload& transaction) const
    {
        const std::uint64_t address = transaction.get_address();
        if (!transaction.is_read() || transaction.get_data_length() != 4 || (address & 3) != 0 ||
            address >= m_block_bytes || transaction.get_byte_enable_ptr() != nullptr ||
            transaction.get_streaming_width() < 4 || transaction.get_data_ptr() == nullptr) {
            return false;
        }
        const slot& s = m_slots[address / 4];
        if (s.read_acts) { return false; }
        base::store_le(transaction.get_data_ptr(), s.value);
        transaction.set_dmi_allowed(false);
        transaction.set_response_status(tlm::TLM_OK_RESPONSE);
        return true;
    }

    void access(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    tlm::tlm_response_status check(const tlm::tlm_generic_payload& transaction) const;
    void read(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    tlm::tlm_response_status write(const tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    std::uint32_t debug_word(std::uint32_t offset) const;
    void report(bool is_write, std::uint32_t first, std::uint64_t value, std::uint64_t mask,
                const sc_core::sc_time& delay) const;
    void write_word(std::uint32_t offset, std::uint32_t value, std::uint32_t enabled, const sc_core::sc_time& delay);

    std::uint64_t m_block_bytes;
    std::vector<slot> m_slots;
    register_owner& m_owner;
    target_tolerance m_tolerance;
    register_listener m_listener;
};

} // namespace tensorloom::bus
