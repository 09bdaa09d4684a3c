#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/values/bank_counts.h>
#include <tensorloom/models/base/values/scratchpad_banks.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::memory {

/// Rows of bytes with a stride.
struct byte_rows {
    std::uint64_t address = 0;   ///< of the first byte
    std::uint64_t rows = 0;      ///< 0: no bytes
    std::uint64_t row_bytes = 0; ///< at least 1
    std::int64_t stride = 0;     ///< from one row to the next, in bytes, signed
};

/// Detects whether rows of bytes have been written since they were read. Plain C++.
///
/// Exact to the byte: writes between the rows do not count. A module that keeps a copy of a part of a scratchpad
/// attaches one.
class write_watch {
public:
    /// Watches these rows from now on.
    void watch(const byte_rows& rows);
    /// Watches nothing; written() is true, as initially.
    void forget()
    {
        m_rows.rows = 0;
        m_written = true;
    }

    bool written() const { return m_written; }
    /// Whether a note of bytes first..end - 1 could change anything.
    bool looks_at(std::uint64_t first, std::uint64_t end) const
    {
        return !m_written && m_rows.rows != 0 && first < m_end && end > m_first;
    }

    /// These rows are being written.
    void note(const byte_rows& written);

private:
    byte_rows m_rows;
    std::uint64_t m_first = 0; // first byte of the watched rows
    std::uint64_t m_end = 0;   // first byte after them
    bool m_written = true;
};

/// The interface of a scratchpad for units. Addresses are bytes from 0; the caller has checked that they exist.
///
/// Pointers stay valid as long as the scratchpad. `words` counts written words: the caller passes the counter of its
/// command. No call takes time: units wait themselves, for the cycles that they compute with banks().
class scratchpad_if : public virtual sc_core::sc_interface {
public:
    virtual std::uint64_t size() const = 0; ///< bytes
    virtual const base::scratchpad_banks& banks() const = 0;
    /// Counters of strided and indexed accesses and of bank stalls; nullptr when they are not counted.
    virtual base::bank_counts* bank_counts() = 0;

    /// Contiguous bytes, all of which the caller writes at once: counted as written now, in whole words.
    virtual unsigned char* write(std::uint64_t address, std::uint64_t bytes, std::uint64_t& words) = 0;

    /// The byte at an address and those around it, for strided or indexed words. The caller counts them, reports what
    /// it writes by note_written(), and touches nothing else.
    virtual const unsigned char* at(std::uint64_t address) const = 0;
    virtual unsigned char* at(std::uint64_t address) = 0;
    virtual void note_written(const byte_rows& rows) = 0;
    /// Whether a watch covers any of the bytes first..end - 1, or lies around them; if not, writes need no
    /// note_written().
    virtual bool is_watched(std::uint64_t first, std::uint64_t end) const = 0;

    /// Elaboration or later: reports every write to the watch from now on. The watch must outlive all writers.
    virtual void attach(write_watch& watch) = 0;

    virtual void clear() = 0; ///< sets all bytes to 0, for a reset; counts as a write to every byte

protected:
    ~scratchpad_if() override = default;
};

/// A software-managed memory inside a device: banks of words beside the units that compute on them.
///
/// port    export of the whole interface
///
/// Initially all 0. Storage is contiguous and aligned to 64 bytes; untouched pages take no host memory.
/// Timing: none here; scratchpad_banks has bank conflicts.
/// Not modelled: arbitration between units (the device decides which work at the same time), sleep modes.
///
/// Example
///
///     memory::scratchpad scratchpad("scratchpad", 1u << 20, 64, 16);
///     sc_core::sc_port<memory::scratchpad_if> port("port");
///     port.bind(scratchpad.port);
class scratchpad : public sc_core::sc_module, private scratchpad_if {
public:
    sc_core::sc_export<scratchpad_if> port;

    /// bytes: at least 1, a multiple of word_bytes; word_bytes and banks: powers of two. Throws std::bad_alloc when the
    /// host cannot reserve the address space.
    scratchpad(sc_core::sc_module_name name, std::uint64_t bytes, unsigned word_bytes, unsigned banks);
    ~scratchpad() override;
    const char* kind() const override { return "scratchpad"; }

    /// Elaboration: counts bank accesses from now on, which slows down the simulation.
    const base::bank_counts& count_banks() { return m_counts.emplace(m_banks.banks()); }

private:
    std::uint64_t size() const override { return m_size; }
    const base::scratchpad_banks& banks() const override { return m_banks; }
    base::bank_counts* bank_counts() override { return m_counts ? &*m_counts : nullptr; }
    unsigned char* write(std::uint64_t address, std::uint64_t bytes, std::uint64_t& words) override;
    const unsigned char* at(std::uint64_t address) const override { return m_bytes + address; }
    unsigned char* at(std::uint64_t address) override { return m_bytes + address; }
    void note_written(const byte_rows& rows) override;
    bool is_watched(std::uint64_t first, std::uint64_t end) const override;
    void attach(write_watch& watch) override { m_watches.push_back(&watch); }
    void clear() override;

    std::uint64_t m_size;
    base::scratchpad_banks m_banks;
    unsigned char* m_bytes;
    std::vector<write_watch*> m_watches;
    std::optional<base::bank_counts> m_counts;
};

} // namespace tensorloom::memory
