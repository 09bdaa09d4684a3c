#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorloom::isa {

/// A place in a program that holds an address which was not known when the program was assembled: 64 bits, the symbol's
/// address plus `addend`. Until the symbol is bound they are the addend.
struct relocation {
    std::string symbol;
    std::uint32_t offset = 0; ///< in the program, in bytes
    std::int64_t addend = 0;

    bool operator==(const relocation& o) const
    {
        return symbol == o.symbol && offset == o.offset && addend == o.addend;
    }
};

/// What the assembler writes beside a program, in the order of its places.
using relocation_table = std::vector<relocation>;

/// Gives a symbol its address, everywhere in a program that has not been written into memory yet; again for another
/// memory map. Throws input_error, and changes nothing, when the table has no such symbol, a place is not in the
/// program, or a sum does not fit 64 bits.
void bind_symbol(std::vector<std::uint8_t>& program, const relocation_table& table, std::string_view symbol,
                 std::uint64_t address);

/// A symbol: a letter or underscore, then letters, digits and underscores; not the word none.
bool is_symbol(std::string_view text);

/// A table as a file: a place per line, as an initializer of the C driver's tl_relocation, and one without a symbol at
/// the end.
std::string relocation_text(const relocation_table& table);

/// What relocation_text() wrote. Throws input_error: "ORIGIN:LINE: found ..., expected ...".
relocation_table parse_relocations(const std::string& text, const std::string& origin);

} // namespace tensorloom::isa
