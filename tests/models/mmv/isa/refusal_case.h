#pragma once
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <gmock/gmock.h>
#include <tensorloom/models/mmv/isa/driver.h>
#include <tensorloom/models/mmv/isa/limits.h>

namespace tensorloom::test::mmv_check_errors {

// Instructions of every kind with nothing wrong, and one change at a time that makes them refused.

using base::element_type;
using isa::check_error;
using isa::error_code;
using isa::vector::all_functional_blocks;
using isa::vector::block_bit;
using isa::vector::functional_block;
using isa::vector::opcode;
using mmv::matmul_command;
using mmv::product_command;
using scalar_opcode = mmv::opcode;
using isa::vector::strided_command;
using isa::vector::vector_command;

inline constexpr std::uint32_t kib64 = 1u << 16;
inline const mmv::limits int64_device{4, element_type::int64, kib64, all_functional_blocks};
inline const isa::vector::limits f32_device{element_type::f32, kib64, all_functional_blocks};

inline const isa::vector::limits int32_device{element_type::int32, kib64, all_functional_blocks};

/// A vector unit that has the instruction.
inline isa::vector::limits vector_unit_of(opcode code)
{
    for (const isa::vector::limits& l : {isa::vector::limits(int64_device), f32_device}) {
        if (l.offers(code)) { return l; }
    }
    return int32_device;
}

inline mmv::limits device(element_type format) { return {4, format, kib64, all_functional_blocks}; }

/// 10 rows of 4 words, of a matrix of 8 columns.
inline matmul_command fine_matmul()
{
    matmul_command c;
    c.result = {0x1000, 8, {}};
    c.left = {0x2000, 8, {}};
    c.weights = {0x3000, 4, {}};
    c.words = 38;
    c.left_columns = 4;
    c.result_columns = 4;
    return c;
}

inline product_command fine_product()
{
    product_command c;
    c.result = {0x1000, 8, {}};
    c.left = {0x2000, 8, {}};
    c.weights = {0x3000, 6, {}};
    c.rows = 5;
    c.depth = 7;
    c.columns = 6;
    return c;
}

inline vector_command fine_vector(opcode code)
{
    vector_command c;
    c.result.address = 0x1000;
    c.a.address = 0x2000;
    c.length = 10;
    switch (code) {
    case opcode::not_:
    case opcode::is_zero:
    case opcode::bit:
    case opcode::relu:
    case opcode::sigmoid:
    case opcode::tanh:
    case opcode::exp:
    case opcode::log:
    case opcode::pack_f16:
    case opcode::unpack_f16:
    case opcode::pack_int8:
    case opcode::unpack_int8:
    case opcode::sqrt: break;
    case opcode::pack_bf16:
    case opcode::unpack_bf16: c.block = 4, c.table = 2; break;
    case opcode::flags: c.table = 3; break;
    case opcode::gather_last:
    case opcode::fill_first:
    case opcode::sum_block:
    case opcode::max_block:
    case opcode::or_block: c.block = 4; break;
    default: c.b.address = 0x3000;
    }
    if (code == opcode::scatter_add) { c.block = 4, c.table = 7; }
    if (code == opcode::scatter_last || code == opcode::revspec || code == opcode::expand) { c.block = 4; }
    if (code == opcode::expand) { c.bits = 4; }
    if (code == opcode::compact || code == opcode::gather_idx || code == opcode::gather_prev) { c.table = 7; }
    if (code == opcode::mul_add || code == opcode::random_mask) { c.c.address = 0x4000; }
    if (code == opcode::revert) {
        c.c.address = 0x4000;
        c.table = 7;
    }
    return c;
}

/// An opcode of any unit.
struct any_opcode : isa::command_code {
    using isa::command_code::command_code;

    template <class Opcode> bool is(Opcode code) const { return value == static_cast<std::uint8_t>(code); }
    std::string name() const { return isa::find_command(mmv::description, value)->opcode.name; }
};

inline std::optional<check_error> check_strided(any_opcode code, const strided_command& c, std::uint16_t flags,
                                                const mmv::limits& device)
{
    if (code.is(opcode::repl)) { return isa::vector::check(opcode::repl, c, flags, device); }
    return mmv::check(static_cast<scalar_opcode>(code.value), c, flags, device);
}

inline strided_command fine_strided(any_opcode code)
{
    strided_command c;
    if (code.is(scalar_opcode::charge)) {
        c.cpu_ops = 5;
        return c;
    }
    const std::string name = code.name();
    const bool matrix = name.rfind("eliminate", 0) == 0 || name.rfind("close", 0) == 0;
    c.size = {matrix || code.is(scalar_opcode::s_carry) ? 1u : 2u, code.is(scalar_opcode::s_carry) ? 1u : 3u, 3u};
    c.result = {0x1000, {16, 4, 1}, {}};
    const bool no_a = code.is(scalar_opcode::set) || name.find("diagonal") < name.size();
    const bool no_b = no_a || code.is(opcode::repl) || code.is(scalar_opcode::move) ||
                      code.is(scalar_opcode::s_positive) || code.is(scalar_opcode::s_carry) ||
                      code.is(scalar_opcode::eliminate_column) || name.rfind("close", 0) == 0;
    if (!no_a) { c.a = {0x2000, {16, 4, 1}, {}}; }
    if (!no_b) { c.b = {0x3000, {0, 4, 1}, {}}; }
    if (code.is(opcode::repl)) { c.valid = {2, 2, 3}; }
    if (code.is(scalar_opcode::s_mul_mod) || code.is(scalar_opcode::s_mac_mod)) { c.immediate[0] = 1009; }
    if (code.is(scalar_opcode::s_carry)) { c.immediate[0] = 16; }
    return c;
}

inline mmv::limits device_for(any_opcode code)
{
    return device(code.name().rfind("eliminate", 0) == 0 ? element_type::f64 : element_type::int64);
}

template <class Command> struct change {
    const char* name;
    std::conditional_t<std::is_same_v<Command, vector_command>, opcode, any_opcode> code;
    std::function<void(Command&)> make;
    error_code error;
    const char* text;
};
template <class Command> std::ostream& operator<<(std::ostream& to, const change<Command>& c) { return to << c.name; }

template <class Command> std::string name_of(const testing::TestParamInfo<change<Command>>& tested)
{
    return tested.param.name;
}

inline void expect_check_error(const std::optional<check_error>& found, error_code error, const std::string& text)
{
    ASSERT_TRUE(found);
    EXPECT_EQ(found->code, error) << found->text;
    EXPECT_THAT(found->text, testing::HasSubstr(text));
}

inline constexpr auto bad_field = error_code::bad_field;
inline constexpr auto too_large = error_code::too_large;

} // namespace tensorloom::test::mmv_check_errors
