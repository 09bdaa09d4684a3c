#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace tensorloom::base {

/// The meaning of a field's numbers, for writers and viewers.
enum class field_kind : std::uint8_t {
    number,        ///< unsigned
    signed_number, ///< two's complement
    address,
    bits,    ///< of a word whose format the field does not define
    real,    ///< IEEE double
    tensor,  ///< a tensor descriptor
    reserved ///< must be 0, which is checked
};

/// A field of a byte string in memory: `count` little-endian integers of `bytes` bytes each, one after the other.
struct layout_field {
    const char* name;
    std::uint32_t offset;
    std::uint32_t bytes;
    std::uint32_t count;
    const char* meaning;
    field_kind kind;

    constexpr layout_field(const char* called, std::uint32_t at, std::uint32_t each, std::uint32_t numbers,
                           const char* means, field_kind is = field_kind::number)
        : name(called), offset(at), bytes(each), count(numbers), meaning(means), kind(is)
    {}
    constexpr std::uint32_t end() const { return offset + bytes * count; }
};

/// The byte layout of a program header, a command or a descriptor.
struct byte_layout {
    const char* name;
    const layout_field* first;
    std::size_t size;

    template <std::size_t N>
    constexpr byte_layout(const char* called, const layout_field (&fields)[N]) : name(called), first(fields), size(N)
    {}

    constexpr const layout_field* begin() const { return first; }
    constexpr const layout_field* end() const { return first + size; }
    constexpr std::uint32_t bytes() const { return size == 0 ? 0 : first[size - 1].end(); }

    /// Fields are contiguous: every byte belongs to one field.
    constexpr bool is_whole() const
    {
        std::uint32_t next = 0;
        for (const auto& f : *this) {
            if (f.offset != next || f.bytes == 0 || f.count == 0) { return false; }
            next = f.end();
        }
        return true;
    }
};

/// Whether every byte of the reserved fields is 0.
inline bool reserved_is_zero(const byte_layout& layout, const std::uint8_t* bytes)
{
    std::uint8_t any = 0;
    for (const auto& f : layout) {
        for (std::uint32_t at = f.offset; f.kind == field_kind::reserved && at < f.end(); ++at) { any |= bytes[at]; }
    }
    return any == 0;
}

/// Programs, commands and descriptors in memory are little-endian byte strings on every host.
template <class T> void store_le(std::uint8_t* at, T value)
{
    static_assert(std::is_integral_v<T>, "integers only");
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        at[i] = static_cast<std::uint8_t>(static_cast<std::make_unsigned_t<T>>(value) >> (8 * i));
    }
}

template <class T> T load_le(const std::uint8_t* at)
{
    static_assert(std::is_integral_v<T>, "integers only");
    std::make_unsigned_t<T> value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value = static_cast<std::make_unsigned_t<T>>(value | (static_cast<std::make_unsigned_t<T>>(at[i]) << (8 * i)));
    }
    return static_cast<T>(value);
}

/// Writes the members of a command in the order of its fields, one member per field: numbers, enumerators, types with
/// `encoded_bytes`, and arrays of these. field_reader takes the same list of members.
class field_writer {
public:
    explicit field_writer(std::uint8_t* to) : m_to(to) {}
    template <class... T> void operator()(const T&... members) { (put(members), ...); }

private:
    template <class T, std::size_t N> void put(const std::array<T, N>& members)
    {
        for (const T& m : members) { put(m); }
    }
    template <class T> void put(const T& member)
    {
        if constexpr (std::is_integral_v<T>) {
            store_le(m_to, member);
            m_to += sizeof member;
        } else if constexpr (std::is_enum_v<T>) {
            put(static_cast<std::underlying_type_t<T>>(member));
        } else if constexpr (std::is_same_v<T, double>) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, &member, sizeof bits);
            put(bits);
        } else {
            member.encode(m_to);
            m_to += T::encoded_bytes;
        }
    }

    std::uint8_t* m_to;
};

/// Reads the members of a command, as written by field_writer.
class field_reader {
public:
    explicit field_reader(const std::uint8_t* from) : m_from(from) {}
    template <class... T> void operator()(T&... members) { (take(members), ...); }

private:
    template <class T, std::size_t N> void take(std::array<T, N>& members)
    {
        for (T& m : members) { take(m); }
    }
    template <class T> void take(T& member)
    {
        if constexpr (std::is_integral_v<T>) {
            member = load_le<T>(m_from);
            m_from += sizeof member;
        } else if constexpr (std::is_enum_v<T>) {
            std::underlying_type_t<T> number{};
            take(number);
            member = static_cast<T>(number);
        } else if constexpr (std::is_same_v<T, double>) {
            std::uint64_t bits = 0;
            take(bits);
            std::memcpy(&member, &bits, sizeof bits);
        } else {
            member = T::decode(m_from);
            m_from += T::encoded_bytes;
        }
    }

    const std::uint8_t* m_from;
};

/// The payload of a command. `each_member(command, fields)` passes all of its members to a field_writer or
/// field_reader, in the order of the layout.
template <class Command, class EachMember>
std::vector<std::uint8_t> encoded(const Command& command, const EachMember& each_member)
{
    std::vector<std::uint8_t> to(Command::payload_bytes);
    each_member(command, field_writer(to.data()));
    return to;
}
/// The command of a payload, read likewise.
template <class Command, class EachMember> Command decoded(const std::uint8_t* payload, const EachMember& each_member)
{
    Command command;
    each_member(command, field_reader(payload));
    return command;
}

} // namespace tensorloom::base
