#pragma once
#include <cstdint>
#include <memory>
#include <tlm>
#include <tensorloom/models/base/files/saved_state.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::memory {

struct byte_store_config {
    std::uint64_t bytes = 1u << 20;
    unsigned char fill = 0;       ///< initial value of every byte; other than 0 it costs host memory for all of them
    bool read_only = false;       ///< a ROM: only debug transport writes
    bool streaming_bursts = true; ///< streaming width below the length wraps the address; otherwise BURST_ERROR
    bool allow_dmi = true;
    bus::target_tolerance tolerance;
};

/// The contents of a memory and the effect of transactions on them, without timing. Addresses start at 0; bytes have no
/// endianness.
///
/// Status, the first that applies: TLM_IGNORE_COMMAND does nothing and is OK; COMMAND_ERROR for a write to a read-only
/// memory; GENERIC_ERROR without data pointer or length; BURST_ERROR for a streaming width of 0 or below the length, as
/// configured; ADDRESS_ERROR when any byte lies outside; BYTE_ENABLE_ERROR for byte enables of length 0. An error
/// changes nothing. Byte enables apply to reads and writes. With a streaming width w, byte i lies at address + i mod w,
/// in the order of i.
///
/// Example
///
///     memory::byte_store store(memory::byte_store_config{});
///     store.execute(transaction);
class byte_store {
public:
    /// Throws std::bad_alloc when the host cannot reserve that much address space. Untouched pages take no host memory.
    explicit byte_store(const byte_store_config& config);

    /// Moves the data, sets response status and DMI hint; true when data were moved (OK, not TLM_IGNORE_COMMAND).
    bool execute(tlm::tlm_generic_payload& transaction);

    /// Moves the bytes that exist from the address on, also into a read-only memory; returns their number.
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

    /// Grants or refuses DMI for the whole memory; a read-only memory grants reads and refuses requests to write. An
    /// address above the memory is refused together with all addresses above it.
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi,
                            const sc_core::sc_time& latency_per_byte);

    /// Bytes per turn of a streaming burst: the streaming width, or the length where the width is 0 or larger.
    static std::uint64_t turn_bytes(const tlm::tlm_generic_payload& transaction);

    void set_dmi_allowed(bool allowed) { m_config.allow_dmi = allowed; }

    /// Whether a DMI pointer may be in use; clears that, since the caller invalidates the pointers.
    bool take_back_dmi();

    std::uint64_t size() const { return m_config.bytes; }

    /// Saves the contents. Skips untouched pages where the host can identify them.
    void save(base::state_writer& state) const;
    /// Direct pointers stay valid. Throws base::input_error; nothing has changed then.
    void restore(base::state_reader& state);

private:
    struct release {
        std::uint64_t bytes;
        void operator()(unsigned char* p) const;
    };

    tlm::tlm_response_status response_to(const tlm::tlm_generic_payload& transaction) const;
    void move_bytes(tlm::tlm_generic_payload& transaction);

    byte_store_config m_config;
    std::unique_ptr<unsigned char[], release> m_bytes;
    bool m_granted = false;
};

} // namespace tensorloom::memory
