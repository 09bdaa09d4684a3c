#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/mmv/opcode.h>
#include <tensorloom/models/arch/mmv/strided_command.h>

namespace tensorloom::arch::mmv {

/// What the immediate of a strided instruction is.
enum class immediate_use : std::uint8_t {
    none,
    word,      ///< one word, in the first bytes; the others are 0
    modulus,   ///< 1 to the largest integer of the words
    digit_bits ///< 1 to 62
};

/// Which elements a strided instruction works on.
enum class strided_shape : std::uint8_t {
    none,    ///< no element at all: sizes are 0
    modes,   ///< size[0] x size[1] x size[2]
    vector,  ///< size[2]; the other sizes are 1
    matrix,  ///< z is size[1] x size[2]; size[0] is 1
    diagonal ///< as matrix, and square
};

/// The operands and fields that a strided instruction has; the others are 0.
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

/// Of an instruction with payload_kind::strided.
strided_signature strided_signature_of(opcode code);

/// The sizes of the operands of a strided instruction; 0 in a mode: none of it is touched.
struct strided_sizes {
    std::array<std::uint32_t, 3> result{};
    std::array<std::uint32_t, 3> a{};
    std::array<std::uint32_t, 3> b{};
};
strided_sizes sizes_of(opcode code, const strided_command& command);

} // namespace tensorloom::arch::mmv
