#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::isa {

enum class register_access : std::uint8_t {
    read_only,
    read_write,
    write_one_clear, ///< writing a 1 clears the bit
    write_start      ///< reads 0; writing a 1 triggers an action
};

/// Bits lsb .. lsb + width - 1 of a register.
struct field_definition {
    const char* name;
    unsigned lsb;
    unsigned width;
    register_access access;
    std::uint32_t reset; ///< value of the field after reset, not shifted
    const char* meaning;
    base::named_values values{}; ///< names of its values, if it is not a number

    constexpr std::uint32_t mask() const
    {
        return static_cast<std::uint32_t>(((std::uint64_t{1} << width) - 1) << lsb);
    }
};

/// Special behaviour of a register.
enum class register_trait : std::uint8_t {
    plain,
    identification, ///< the device sets its value after reset
    latches_next    ///< a read of its lowest byte samples the present value and latches the upper half into the next
                    ///< register
};

/// One register of 32 bits. Bits without a field are reserved: they read 0 and ignore writes.
struct register_definition {
    std::uint32_t offset;
    const char* name;
    register_trait trait;
    const char* meaning;
    const field_definition* fields;
    std::size_t field_count;

    template <std::size_t N>
    constexpr register_definition(std::uint32_t at, const char* called, register_trait does, const char* means,
                                  const field_definition (&has)[N])
        : offset(at), name(called), trait(does), meaning(means), fields(has), field_count(N)
    {}

    constexpr const field_definition* begin() const { return fields; }
    constexpr const field_definition* end() const { return fields + field_count; }

    /// The bits whose fields have this access.
    constexpr std::uint32_t mask(register_access access) const
    {
        std::uint32_t bits = 0;
        for (const auto& f : *this) { bits |= f.access == access ? f.mask() : 0; }
        return bits;
    }
    /// The bits that a write can change or act on. If there are none, a write gets COMMAND_ERROR.
    constexpr std::uint32_t writable() const
    {
        return mask(register_access::read_write) | mask(register_access::write_one_clear) |
               mask(register_access::write_start);
    }
    constexpr std::uint32_t reset() const
    {
        std::uint32_t value = 0;
        for (const auto& f : *this) { value |= f.reset << f.lsb; }
        return value;
    }
};

/// The registers of a block, in the order of their offsets.
struct register_table {
    const register_definition* first;
    std::size_t size;
    std::uint32_t block_bytes;

    constexpr const register_definition* begin() const { return first; }
    constexpr const register_definition* end() const { return first + size; }
};

// ---- requirements on every table, checked at compile time ----

/// Offsets are multiples of 4, ascend, and lie inside the block.
constexpr bool offsets_ascend(const register_table& table)
{
    std::uint64_t next = 0;
    for (const auto& r : table) {
        if (r.offset % 4 != 0 || r.offset < next) { return false; }
        next = std::uint64_t{r.offset} + 4;
    }
    return next <= table.block_bytes;
}

/// Fields have at least one bit, lie inside their register, and ascend without sharing a bit.
constexpr bool fields_are_apart(const register_table& table)
{
    for (const auto& r : table) {
        unsigned next = 0;
        for (const auto& f : r) {
            if (f.width == 0 || f.width > 32 || f.lsb < next || f.lsb > 32 - f.width) { return false; }
            next = f.lsb + f.width;
        }
    }
    return true;
}

/// Reset values and named values fit their fields; bits that read 0 have no reset value.
constexpr bool values_fit(const register_table& table)
{
    for (const auto& r : table) {
        for (const auto& f : r) {
            const std::uint32_t largest = f.mask() >> f.lsb;
            if (f.reset > largest || (f.access == register_access::write_start && f.reset != 0)) { return false; }
            for (const auto& v : f.values) {
                if (v.value > largest) { return false; }
            }
        }
    }
    return true;
}

/// A latching register has a next register.
constexpr bool latches_have_a_place(const register_table& table)
{
    for (std::size_t i = 0; i < table.size; ++i) {
        if (table.first[i].trait != register_trait::latches_next) { continue; }
        if (i + 1 == table.size || table.first[i + 1].offset != table.first[i].offset + 4) { return false; }
    }
    return true;
}

/// The mask of a field, for constants of drivers. An unknown name does not compile.
constexpr std::uint32_t field_mask(const register_table& table, std::uint32_t offset, std::string_view name)
{
    for (const auto& r : table) {
        if (r.offset != offset) { continue; }
        for (const auto& f : r) {
            if (name == f.name) { return f.mask(); }
        }
    }
    throw "no such field";
}

} // namespace tensorloom::isa
