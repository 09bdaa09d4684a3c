#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/integers.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

// The banks of the unified memory as seen by the engines: placement of rows, and the ports that read and write them.

/// Placement of the rows of the unified memory in its storage: bytes from 0, in the order of the float32 window
/// (row_address() in fetta/isa/device_limits.h). Plain C++.
///
/// P = side, N = banks. A float32 row of 4 P bytes consists of the rows 2r and 2r+1 of 16-bit elements of its bank, in
/// this order. Address bits of the window of 16-bit elements are therefore permuted:
///
///     window of 16-bit elements     .. upper bits | row mod 2 | bank | byte in the row
///     storage                       .. upper bits | bank | row mod 2 | byte in the row
class row_layout {
public:
    explicit row_layout(const device_limits& g)
        : m_row_shift(base::log2_of(2 * g.side)), m_bank_shift(base::log2_of(g.engines)),
          m_element_shift(base::log2_of(g.side))
    {}

    /// The storage byte of an address in the window of 16-bit elements; contiguous up to the end of that row.
    std::uint64_t narrow_byte(std::uint64_t address) const
    {
        const std::uint64_t bank = (address >> m_row_shift) & ((std::uint64_t{1} << m_bank_shift) - 1);
        const std::uint64_t odd = (address >> (m_row_shift + m_bank_shift)) & 1;
        const std::uint64_t in_block = (bank << 1 | odd) << m_row_shift | (address & (row_bytes() - 1));
        return (address & ~(block_bytes() - 1)) | in_block;
    }

    /// First byte of a row of elements of this type, bf16 or f32.
    std::uint64_t row(base::element_type type, std::uint64_t row, std::uint64_t bank) const
    {
        const std::uint64_t number = row << m_bank_shift | bank;
        return type == base::element_type::bf16 ? narrow_byte(number << m_row_shift) : number << (m_row_shift + 1);
    }

    /// First byte of element e in linear order: rows fill bank after bank.
    std::uint64_t element(base::element_type type, std::uint64_t e) const
    {
        return type == base::element_type::bf16 ? narrow_byte(2 * e) : 4 * e;
    }
    /// The row, bank and lane of element e.
    std::uint64_t row_of(std::uint64_t e) const { return e >> (m_element_shift + m_bank_shift); }
    unsigned bank_of(std::uint64_t e) const
    {
        return static_cast<unsigned>(e >> m_element_shift) & ((1u << m_bank_shift) - 1);
    }
    unsigned lane_of(std::uint64_t e) const { return static_cast<unsigned>(e) & ((1u << m_element_shift) - 1); }

    std::uint64_t row_bytes() const { return std::uint64_t{1} << m_row_shift; } ///< of 16-bit elements: 2 P
    /// 4 P N: both windows have the same bytes in every aligned block of this size.
    std::uint64_t block_bytes() const { return std::uint64_t{2} << (m_row_shift + m_bank_shift); }

private:
    unsigned m_row_shift;
    unsigned m_bank_shift;
    unsigned m_element_shift;
};

/// A read port of the banks of the unified memory: one row of each bank per cycle. Rows have bf16 or f32 elements. The
/// caller guarantees that they exist, and accesses one row per bank and cycle.
class bank_read_if : public virtual sc_core::sc_interface {
public:
    /// Reads P elements; bfloat16 is widened to the equal float.
    virtual void read_row(base::element_type type, std::uint64_t row, unsigned bank, float* to) const = 0;

    /// For a whole operand at once: a row starts at bytes() + layout().row(...). Valid as long as the memory.
    virtual const row_layout& layout() const = 0;
    virtual const unsigned char* bytes() const = 0;

protected:
    ~bank_read_if() override = default;
};

/// The write port of the banks of the unified memory: one row of each bank per cycle.
class bank_write_if : public virtual sc_core::sc_interface {
public:
    /// Writes the elements whose bit in `lanes` is set; bf16 elements are rounded once.
    virtual void write_row(base::element_type type, std::uint64_t row, unsigned bank, const float* from,
                           std::uint32_t lanes) = 0;

    /// For a whole result at once, as in bank_read_if; report the written range once.
    virtual const row_layout& layout() const = 0;
    virtual unsigned char* bytes() = 0;
    virtual void note_written(const memory_range& range) = 0;

protected:
    ~bank_write_if() override = default;
};

} // namespace tensorloom::fetta
