#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>

namespace tensorloom::isa::vector {

/// How a vector instruction accesses an operand.
enum class operand_use : std::uint8_t {
    none,
    in_order, ///< element after element: may be shifted; a may be all 0
    table,    ///< random access: indexed elements, the indices themselves, or rows of words; no shift, not all 0
    one_word, ///< only the first word: no shift
    two_words ///< only the first two words: no shift
};

/// The meaning of the field `bits` of a vector instruction.
enum class bits_use : std::uint8_t {
    none,
    which_bit,    ///< 0 to the bits of a word - 1
    operand_bits, ///< 1 to the block length and to the bits of a word
    right_shift,  ///< 0 to the bits of a word - 1
    stream        ///< any: number of a stream of random numbers
};

/// The operands and fields of a vector instruction; all others are 0.
struct vector_signature {
    operand_use a = operand_use::in_order;
    operand_use b = operand_use::none;
    operand_use c = operand_use::none;
    bool broadcast_b = false; ///< flag BROADCAST_B is allowed
    bool block = false;
    bool table = false;        ///< `table` counts elements; rows of `block` elements where there are blocks
    bool reads_result = false; ///< z is also an operand, and may equal no other one
    bool packed_rows = false;  ///< `block`, an even number, and `table` describe the layout of packed elements
    bits_use bits = bits_use::none;
};

/// For an instruction with payload_kind::vector.
vector_signature vector_signature_of(opcode code);

/// Words of the operands and of the result of an instruction; words that a shift turns into 0 are included, an all-zero
/// operand has 0 words and a broadcast one has 1.
struct vector_lengths {
    std::uint64_t result = 0;
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::uint64_t c = 0;
};
vector_lengths lengths_of(opcode code, const vector_command& command);

/// The meaning of the immediate of a strided instruction.
enum class immediate_use : std::uint8_t {
    none,
    word,      ///< one word, in the first bytes; the others are 0
    modulus,   ///< 1 to the largest integer of the words
    digit_bits ///< 1 to 62
};

/// The elements of a strided instruction.
enum class strided_shape : std::uint8_t {
    none,    ///< none: sizes are 0
    modes,   ///< size[0] x size[1] x size[2]
    vector,  ///< size[2]; the other sizes are 1
    matrix,  ///< z is size[1] x size[2]; size[0] is 1
    diagonal ///< as matrix, and square
};

/// The operands and fields of a strided instruction; all others are 0.
struct strided_signature {
    strided_shape shape = strided_shape::modes;
    bool a = false;
    bool b = false;
    bool result = true;
    bool reads_result = false;
    bool writes_b = false; ///< b is a second result
    bool valid = false;
    immediate_use immediate = immediate_use::none;
};

/// For REPL: a copy of the valid part of a.
inline constexpr strided_signature repl_signature{strided_shape::modes, true, false, true, false, false, true,
                                                  immediate_use::none};

/// The sizes of the operands of a strided instruction; 0 in a mode: not accessed.
struct strided_sizes {
    std::array<std::uint32_t, 3> result{};
    std::array<std::uint32_t, 3> a{};
    std::array<std::uint32_t, 3> b{};
};
/// Whether all of its operands have the size of the result, or of its valid part.
strided_sizes sizes_of(const strided_signature& has, const strided_command& command);

} // namespace tensorloom::isa::vector
