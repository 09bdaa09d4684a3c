#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include "support/reference_failure.h"

namespace tensorloom::test {

/// The scratchpad of the reference: bytes, the weights that the array has from them, and whether those are still the
/// same.
class reference_scratchpad {
public:
    explicit reference_scratchpad(std::uint64_t bytes) : m_bytes(bytes) {}

    const std::vector<std::uint8_t>& bytes() const { return m_bytes; }

    /// Throws reference_failure: too_large outside, bad_field when misaligned.
    void check(std::int64_t address, std::size_t bytes, std::size_t alignment) const
    {
        if (address < 0 || static_cast<std::uint64_t>(address) + bytes > m_bytes.size()) {
            throw reference_failure{isa::error_code::too_large, "address " + std::to_string(address)};
        }
        if (static_cast<std::uint64_t>(address) % alignment != 0) {
            throw reference_failure{isa::error_code::bad_field, "alignment of " + std::to_string(address)};
        }
    }
    template <class T> T get(std::int64_t address) const
    {
        check(address, sizeof(T), sizeof(T));
        ++m_reads;
        T value;
        std::memcpy(&value, m_bytes.data() + address, sizeof value);
        return value;
    }
    template <class T> void put(std::int64_t address, const T& value)
    {
        check(address, sizeof(T), sizeof(T));
        ++m_writes;
        write(address, &value, sizeof value);
    }
    void write(std::int64_t address, const void* from, std::size_t bytes)
    {
        check(address, bytes, 1);
        for (std::int64_t r = 0; m_weights && r < m_weights->rows; ++r) {
            const std::int64_t row = std::int64_t{m_weights->address} + r * m_weights->stride;
            if (address < row + m_weights->row_bytes && row < address + static_cast<std::int64_t>(bytes)) {
                m_weights.reset();
            }
        }
        std::memcpy(m_bytes.data() + address, from, bytes);
    }

    /// Values that the units have read and written, each time.
    std::uint64_t reads() const { return m_reads; }
    std::uint64_t writes() const { return m_writes; }

    /// Where the weights in the array come from: rows at a stride, in bytes.
    struct weights {
        std::uint32_t address;
        std::int64_t stride;
        std::int64_t rows;
        std::int64_t row_bytes;

        bool operator==(const weights& o) const
        {
            return address == o.address && stride == o.stride && rows == o.rows && row_bytes == o.row_bytes;
        }
    };
    const std::optional<weights>& resident() const { return m_weights; }
    void set_resident(const std::optional<weights>& w) { m_weights = w; }

private:
    std::vector<std::uint8_t> m_bytes;
    std::optional<weights> m_weights;
    mutable std::uint64_t m_reads = 0;
    std::uint64_t m_writes = 0;
};

/// The three units of the reference in one format. Commands have their addresses of this iteration; each throws
/// reference_failure.
class reference_units {
public:
    virtual ~reference_units() = default;

    virtual void matmul(const mmv::matmul_command& command) = 0;
    virtual void product(const mmv::product_command& command, bool accumulate) = 0;
    virtual void vector(isa::vector::opcode code, const isa::vector::vector_command& command) = 0;
    virtual void repl(const isa::vector::strided_command& command) = 0;
    virtual void scalar(mmv::opcode code, const isa::vector::strided_command& command) = 0;
};

std::unique_ptr<reference_units> make_reference_units(const mmv::limits& limits, unsigned word_bits,
                                                      reference_scratchpad& scratchpad, mmv::counts& counts);

/// What one command does: the oracle of single units.
struct reference_effect {
    std::vector<std::uint8_t> memory; ///< afterwards
    mmv::counts counts;
    isa::error_code error = isa::error_code::none;
    std::uint64_t reads = 0; ///< of words
    std::uint64_t writes = 0;
};

/// Of a scratchpad with these bytes; `run` gives the units their command.
template <class Run>
reference_effect effect_of(const mmv::limits& limits, unsigned word_bits, const std::vector<std::uint8_t>& memory,
                           const Run& run)
{
    reference_effect effect;
    reference_scratchpad scratchpad(memory.size());
    scratchpad.write(0, memory.data(), memory.size());
    const auto units = make_reference_units(limits, word_bits, scratchpad, effect.counts);
    try {
        run(*units);
    } catch (const reference_failure& failed) {
        effect.error = failed.code;
    }
    effect.memory = scratchpad.bytes();
    effect.reads = scratchpad.reads();
    effect.writes = scratchpad.writes();
    return effect;
}

} // namespace tensorloom::test
