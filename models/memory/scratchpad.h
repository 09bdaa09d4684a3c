#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/values/bank_counts.h>
#include <tensorloom/models/memory/scratchpad_banks.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::memory {

/// Rows of bytes at a stride.
struct byte_rows {
    std::uint64_t address = 0;   ///< of the first byte
    std::uint64_t rows = 0;      ///< 0: no bytes
    std::uint64_t row_bytes = 0; ///< at least 1
    std::int64_t stride = 0;     ///< from a row to the next, in bytes, signed
};

/// Whether rows of bytes have been written since they were read. Plain C++.
///
/// Exact to the byte: what is written between the rows does not count. Whoever keeps a copy of a part of a scratchpad
/// has one of these attached to it.
class write_watch {
public:
    /// From now on these rows are watched.
    void watch(const byte_rows& rows);
    /// Nothing is watched; written() is true, as at the start.
    void forget()
    {
        m_rows.rows = 0;
        m_written = true;
    }

    bool written() const { return m_written; }
    /// Whether a note of bytes from first to end - 1 could change anything.
    bool looks_at(std::uint64_t first, std::uint64_t end) const
    {
        return !m_written && m_rows.rows != 0 && first < m_end && end > m_first;
    }

    /// Somebody writes these rows.
    void note(const byte_rows& written);

private:
    byte_rows m_rows;
    std::uint64_t m_first = 0; // bytes of the watched rows lie from here
    std::uint64_t m_end = 0;   // to before here
    bool m_written = true;
};

/// What units read and write in a scratchpad. Addresses are bytes from 0; whoever calls has checked that they exist.
///
/// Pointers stay valid as long as the scratchpad. `words` counts what is written: a caller gives the counter of the
/// command that it works for. No call takes time: units wait themselves, for cycles that banks() helps them to find.
class scratchpad_if : public virtual sc_core::sc_interface {
public:
    virtual std::uint64_t size() const = 0; ///< bytes
    virtual const scratchpad_banks& banks() const = 0;
    /// Where units count words at strides and at indices, and what they wait for banks; nullptr: they do not.
    virtual base::bank_counts* bank_counts() = 0;

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
///
/// Example
///
///     memory::scratchpad scratchpad("scratchpad", 1u << 20, 64, 16);
///     sc_core::sc_port<memory::scratchpad_if> port("port");
///     port.bind(scratchpad.port);
class scratchpad : public sc_core::sc_module, private scratchpad_if {
public:
    sc_core::sc_export<scratchpad_if> port;

    /// bytes: at least 1, a multiple of word_bytes; word_bytes and banks: powers of two. std::bad_alloc when the host
    /// has no addresses for that much.
    scratchpad(sc_core::sc_module_name name, std::uint64_t bytes, unsigned word_bytes, unsigned banks);
    ~scratchpad() override;
    const char* kind() const override { return "scratchpad"; }

    /// Elaboration: banks are counted from now on, at the expense of speed.
    const base::bank_counts& count_banks() { return m_counts.emplace(m_banks.banks()); }

private:
    std::uint64_t size() const override { return m_size; }
    const scratchpad_banks& banks() const override { return m_banks; }
    base::bank_counts* bank_counts() override { return m_counts ? &*m_counts : nullptr; }
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
    std::optional<base::bank_counts> m_counts;
};

} // namespace tensorloom::memory
