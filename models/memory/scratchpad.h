#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/memory/scratchpad_banks.h>
#include <tensorloom/models/memory/write_watch.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::memory {

/// What units read and write in a scratchpad. Addresses are bytes from 0; whoever calls has checked that they exist.
///
/// Pointers stay valid as long as the scratchpad. `words` counts what is written: a caller gives the counter of the
/// command that it works for. No call takes time: units wait themselves, for cycles that banks() helps them to find.
class scratchpad_if : public virtual sc_core::sc_interface {
public:
    virtual std::uint64_t size() const = 0; ///< bytes
    virtual const scratchpad_banks& banks() const = 0;

    /// Contiguous bytes, all of them to be written at once: they count as written from now on, in words that hold any
    /// of them.
    virtual unsigned char* write(std::uint64_t address, std::uint64_t bytes, std::uint64_t& words) = 0;

    /// The byte at an address, and those around it: for words at strides or at indices. The caller counts them itself,
    /// tells what it writes by note_written(), and touches nothing else.
    virtual const unsigned char* at(std::uint64_t address) const = 0;
    virtual unsigned char* at(std::uint64_t address) = 0;
    virtual void note_written(const byte_rows& rows) = 0;
    /// Whether a watch waits for a write to some of the bytes from first to end - 1, or to some between those that it
    /// watches: if not, they need no note_written().
    virtual bool is_watched(std::uint64_t first, std::uint64_t end) const = 0;

    /// Elaboration or later: from now on the watch is told of every write. It must live as long as anybody writes.
    virtual void attach(write_watch& watch) = 0;

    virtual void clear() = 0; ///< all 0, for a reset; counts as a write to every byte

protected:
    ~scratchpad_if() override = default;
};

/// A software-managed memory inside a device: words in banks, next to the units that compute on them.
///
/// port    export: everything
///
/// All 0 at the start. Storage is contiguous and aligned to 64 bytes; pages that nobody touches cost the host nothing.
/// Timing: none of its own, see scratchpad_banks for conflicts. Not modelled: arbitration between units (the device
/// decides which work at the same time), sleep modes.
class scratchpad : public sc_core::sc_module, private scratchpad_if {
public:
    sc_core::sc_export<scratchpad_if> port;

    /// bytes: at least 1, a multiple of word_bytes; word_bytes and banks: powers of two. std::bad_alloc when the host
    /// has no addresses for that much.
    scratchpad(sc_core::sc_module_name name, std::uint64_t bytes, unsigned word_bytes, unsigned banks);
    ~scratchpad() override;

private:
    std::uint64_t size() const override { return m_size; }
    const scratchpad_banks& banks() const override { return m_banks; }
    unsigned char* write(std::uint64_t address, std::uint64_t bytes, std::uint64_t& words) override;
    const unsigned char* at(std::uint64_t address) const override { return m_bytes + address; }
    unsigned char* at(std::uint64_t address) override { return m_bytes + address; }
    void note_written(const byte_rows& rows) override;
    bool is_watched(std::uint64_t first, std::uint64_t end) const override;
    void attach(write_watch& watch) override { m_watches.push_back(&watch); }
    void clear() override;

    std::uint64_t m_size;
    scratchpad_banks m_banks;
    unsigned char* m_bytes;
    std::vector<write_watch*> m_watches;
};

} // namespace tensorloom::memory
