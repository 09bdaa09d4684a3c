#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorloom::isa {

/// The position of an address in a program that is not known at assembly: 64 bits, the symbol's address plus `addend`.
/// They hold the addend until the symbol is bound.
struct relocation {
    std::string symbol;
    std::uint32_t offset = 0; ///< in the program, in bytes
    std::int64_t addend = 0;

    bool operator==(const relocation& o) const
    {
        return symbol == o.symbol && offset == o.offset && addend == o.addend;
    }
};

/// The relocations of a program, as the assembler writes them beside it.
using relocation_table = std::vector<relocation>;

/// Sets the address of a symbol everywhere in a program that has not been written into memory yet; call it again for
/// another memory map. Throws input_error, and changes nothing, when the table has no such symbol, an offset is outside
/// the program, or a sum does not fit 64 bits.
void bind_symbol(std::vector<std::uint8_t>& program, const relocation_table& table, std::string_view symbol,
                 std::uint64_t address);

/// Whether a text is a symbol: a letter or underscore, then letters, digits and underscores; not the word none.
bool is_symbol(std::string_view text);

/// A table as a file: one relocation per line, as an initializer of the C driver's tl_relocation, and a final one
/// without symbol.
std::string relocation_text(const relocation_table& table);

/// Reads the text of relocation_text(). Throws input_error: "ORIGIN:LINE: found ..., expected ...".
relocation_table parse_relocations(const std::string& text, const std::string& origin);

} // namespace tensorloom::isa
