#include "models/mmv/random_program.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/vector/signature.h>

namespace tensorloom::test {

using base::element_type;
using isa::vector::opcode;

namespace {

constexpr std::uint32_t smallest_table = 4; // indices are below
constexpr unsigned tries = 200;

} // namespace

program_maker::program_maker(std::uint64_t seed, const mmv::limits& limits, std::uint64_t memory_base)
    : m_engine(seed), m_limits(limits), m_memory{memory_base, limits.scratchpad_bytes}
{}

// ---- data ----

void program_maker::put_number(std::vector<std::uint8_t>& bytes, std::uint64_t at, bool index)
{
    const std::int32_t small = index ? between(0, smallest_table - 1) : chance(0.3) ? 0 : between(-3, 4);
    const std::int32_t number = index && chance(0.02) ? between(-1, 100) : small;
    const bool extreme = !index && chance(0.004);
    const auto put = [&](auto value) { std::memcpy(bytes.data() + at, &value, sizeof value); };
    const auto real = [&] {
        if (index) { return static_cast<double>(number); }
        if (chance(0.01)) { return chance(0.5) ? -0.0 : std::numeric_limits<double>::infinity(); }
        return chance(0.5) ? number : number / 3.0; // a third rounds
    };
    switch (m_limits.word()) {
    case element_type::f64: put(real()); break;
    case element_type::f32: put(static_cast<float>(real())); break;
    case element_type::c128:
        put(real());
        at += 8;
        put(real());
        break;
    case element_type::int32: put(extreme ? std::numeric_limits<std::int32_t>::max() : number); break;
    default: put(extreme ? std::numeric_limits<std::int64_t>::min() : std::int64_t{number}); break;
    }
}

std::vector<std::uint8_t> program_maker::data()
{
    std::vector<std::uint8_t> bytes(m_memory.bytes());
    const std::uint64_t indices = m_memory.indices() - m_memory.base;
    for (std::uint64_t at = 0; at < m_memory.stores() - m_memory.base; at += m_limits.word_bytes()) {
        put_number(bytes, at, at >= indices && at < indices + random_memory::piece);
    }
    return bytes;
}

// ---- programs ----

std::vector<std::uint8_t> program_maker::program(unsigned instructions)
{
    m_builder = {};
    m_weights.reset();
    isa::transfer_command all;
    all.tensor = isa::dense_descriptor(m_memory.base, element_type::int8,
                                       {static_cast<std::uint32_t>(m_limits.scratchpad_bytes)});
    m_builder.add(isa::opcode::load, 0, 0, all.encode());
    for (unsigned i = 0; i < instructions; ++i) {
        if (chance(0.2)) { open_or_close_loop(); }
        if (chance(0.1)) { add_transfer(); }
        if (chance(0.05)) {
            const isa::signal_command s{below(isa::signal_count)};
            m_builder.add(isa::opcode::signal, 0, 0, s.encode()).add(isa::opcode::nop);
            m_builder.add(isa::opcode::wait, 0, i, s.encode());
        }
        add_instruction();
    }
    for (; !m_loops.empty(); m_loops.pop_back()) { m_builder.add(isa::opcode::end); }
    if (chance(0.5)) { m_builder.add(isa::opcode::halt, 0, 99); }
    return m_builder.bytes();
}

std::vector<std::uint8_t> program_maker::dump() const
{
    isa::transfer_command all;
    all.tensor = isa::dense_descriptor(m_memory.dump(), element_type::int8,
                                       {static_cast<std::uint32_t>(m_limits.scratchpad_bytes)});
    return isa::program_builder().add(isa::opcode::store, 0, 0, all.encode()).bytes();
}

void program_maker::open_or_close_loop()
{
    if (m_loops.empty() || (m_loops.size() < 3 && chance(0.3))) {
        m_loops.push_back(1 + below(3));
        m_builder.add(isa::opcode::loop, 0, 0, isa::loop_command{m_loops.back()}.encode());
    } else {
        m_loops.pop_back();
        m_builder.add(isa::opcode::end);
    }
}

void program_maker::add_instruction()
{
    for (bool added = false; !added;) {
        const std::uint32_t place = below(isa::vector::instruction_count + mmv::instruction_count);
        const bool lanes = place >= mmv::instruction_count;
        const auto& vector = isa::vector::instructions[lanes ? place - mmv::instruction_count : 0];
        const auto& other = mmv::instructions[lanes ? 0 : place];
        const auto needed = lanes ? isa::vector::needed_block(vector.code) : std::nullopt;
        const auto word = m_limits.word();
        if (!(lanes ? exists_in_format(vector.code, word) : exists_in_format(other.code, word)) ||
            (needed && !m_limits.has(*needed))) {
            continue;
        }
        for (unsigned t = 0; t < tries && !added; ++t) {
            if (!lanes && other.code == mmv::opcode::matmul) {
                added = add_matmul();
            } else if (!lanes && other.code == mmv::opcode::product) {
                added = add_product();
            } else if (!lanes) {
                added = add_strided(other.code, signature_of(other.code),
                                    [&](const auto& c) { return check(other.code, c, 0, m_limits).has_value(); });
            } else if (vector.payload == isa::vector::payload_kind::vector) {
                added = add_vector(vector.code);
            } else {
                added = add_strided(vector.code, isa::vector::repl_signature,
                                    [&](const auto& c) { return check(vector.code, c, 0, m_limits).has_value(); });
            }
        }
    }
}

// In every iteration.
template <class Command, class Refusal> bool program_maker::runs(const Command& command, const Refusal& refusal) const
{
    if (refusal(command)) { return false; }
    const std::uint32_t inner = m_loops.empty() ? 1 : m_loops.back();
    const std::uint32_t outer = m_loops.size() < 2 ? 1 : m_loops[m_loops.size() - 2];
    for (std::uint32_t i = 0; i < inner; ++i) {
        for (std::uint32_t j = 0; j < outer; ++j) {
            if (refusal(command.at({i, j}))) { return false; }
        }
    }
    return true;
}

std::uint32_t program_maker::address(std::uint64_t bytes, std::uint32_t alignment)
{
    const std::uint64_t room = m_limits.scratchpad_bytes - std::min(bytes, m_limits.scratchpad_bytes - alignment);
    return below(static_cast<std::uint32_t>(room / alignment)) * alignment;
}

std::array<std::int32_t, isa::stepped_loops> program_maker::steps(std::uint32_t element)
{
    std::array<std::int32_t, isa::stepped_loops> step{};
    for (std::size_t l = 0; l < step.size() && l < m_loops.size(); ++l) {
        if (chance(0.5)) { step[l] = between(-3, 5) * static_cast<std::int32_t>(element); }
    }
    return step;
}

bool program_maker::add_matmul()
{
    const auto element = static_cast<std::uint32_t>(base::element_bytes(m_limits.format));
    const std::uint32_t side = m_limits.side;
    mmv::matmul_command m;
    m.words = 1 + below(5 * side);
    m.left_columns = chance(0.7) ? side : 1 + below(side);
    m.result_columns = chance(0.7) ? side : 1 + below(side);
    const auto stride = [&] {
        return chance(0.6) ? static_cast<std::int32_t>(side) : between(-2, static_cast<std::int32_t>(side) + 3);
    };
    const std::uint32_t rows = (m.words + side - 1) / side;
    m.left = {address(rows * side * element, element), stride(), steps(element)};
    m.weights = {address(side * side * element, element), stride(), steps(element)};
    if (m_weights && chance(0.5)) { m.weights = *m_weights; }
    m.result = {address(rows * side * m_limits.word_bytes(), m_limits.word_bytes()), stride(),
                steps(m_limits.word_bytes())};
    if (chance(0.3)) { m.result = m.left; }
    if (!runs(m, [&](const auto& c) { return check(c, 0, m_limits).has_value(); })) { return false; }
    m_weights = m.weights;
    m_builder.add(static_cast<isa::opcode>(mmv::opcode::matmul), 0, 0, m.encode());
    return true;
}

bool program_maker::add_product()
{
    const auto element = static_cast<std::uint32_t>(base::element_bytes(m_limits.format));
    const std::uint32_t side = m_limits.side;
    mmv::product_command p;
    p.rows = 1 + below(2 * side);
    p.depth = 1 + below(2 * side + 1);
    p.columns = 1 + below(2 * side + 1);
    p.call_rows = static_cast<std::uint16_t>(chance(0.5) ? 0 : 1 + below(side));
    p.tile_columns = static_cast<std::uint16_t>(chance(0.5) ? 0 : 1 + below(side));
    const auto stride = [&](std::uint32_t columns) {
        const auto dense = static_cast<std::int32_t>(columns);
        return chance(0.6) ? dense : chance(0.3) ? -dense - between(0, 3) : dense + between(-1, 3);
    };
    p.left = {address(p.rows * p.depth * element, element), stride(p.depth), steps(element)};
    p.weights = {address(p.depth * p.columns * element, element), stride(p.columns), steps(element)};
    p.result = {address(p.rows * p.columns * m_limits.word_bytes(), m_limits.word_bytes()), stride(p.columns),
                steps(m_limits.word_bytes())};
    const std::uint16_t flags = chance(0.5) ? mmv::product_command::flag_accumulate : std::uint16_t{0};
    if (!runs(p, [&](const auto& c) { return check(c, flags, m_limits).has_value(); })) { return false; }
    m_weights.reset(); // the array holds none
    m_builder.add(static_cast<isa::opcode>(mmv::opcode::product), flags, 0, p.encode());
    return true;
}

void program_maker::load_indices(std::uint32_t to, std::uint64_t words)
{
    isa::transfer_command t;
    t.tensor = isa::dense_descriptor(m_memory.indices(), m_limits.word(), {static_cast<std::uint32_t>(words)});
    t.local = to;
    m_builder.add(isa::opcode::load, 0, 0, t.encode());
}

void program_maker::clear_words(std::uint32_t at, std::uint32_t words)
{
    isa::vector::strided_command s;
    s.result = {at, {0, 0, 1}, {}};
    s.size = {1, 1, words};
    m_builder.add(static_cast<isa::opcode>(mmv::opcode::set), 0, 0, s.encode());
}

bool program_maker::add_vector(opcode code)
{
    using isa::vector::operand_use;
    const auto has = isa::vector::vector_signature_of(code);
    const std::uint32_t word = m_limits.word_bytes();
    isa::vector::vector_command v;
    v.length = 1 + below(24);
    if (has.block) { v.block = 1 + below(8); }
    if (has.table) { v.table = smallest_table + below(8); }
    if (has.packed_rows) { v.block = 2 * (1 + below(3)), v.table = 1 + below(3); }
    const bool every_index_needs_one = code == opcode::gather_idx || code == opcode::scatter_add;
    if (has.table && !every_index_needs_one && chance(0.1)) { v.table = 0; }
    switch (has.bits) {
    case isa::vector::bits_use::none: break;
    case isa::vector::bits_use::stream: v.bits = below(1000); break;
    case isa::vector::bits_use::right_shift:
    case isa::vector::bits_use::which_bit: v.bits = below(8 * word); break;
    case isa::vector::bits_use::operand_bits: v.bits = 1 + below(v.block); break;
    }
    if (has.a == operand_use::in_order && chance(0.1)) { v.flags |= isa::vector::vector_command::flag_zero_a; }
    if (has.broadcast_b && chance(0.2)) { v.flags |= isa::vector::vector_command::flag_broadcast_b; }
    const auto lengths = isa::vector::lengths_of(code, v);
    const auto operand = [&](operand_use use, std::uint64_t length, bool is_index) {
        isa::vector::vector_operand o;
        if (length == 0) { return o; }
        o.address = address(length * word, word);
        if (use == operand_use::in_order && length > 1 && chance(0.25)) { o.shift = below(v.length + 2); }
        if (!is_index) { o.step = steps(word); }
        return o;
    };
    const bool indexed = has.table;
    v.a = operand(has.a, lengths.a, code == opcode::flags);
    v.b = operand(has.b, lengths.b, indexed);
    v.c = operand(has.c, lengths.c, false);
    v.result = operand(operand_use::table, lengths.result, false);
    if (v.result.address == 0 && v.result.step == decltype(v.result.step){} && lengths.result == 0) { return false; }
    if (chance(0.3) && !v.zero_a()) {
        v.a.shift = 0;
        v.result = v.a;
    }
    if (lengths.result == 0 && chance(0.5)) { v.result = v.b; }
    if (!runs(v, [&](const auto& c) { return check(code, c, m_limits).has_value(); })) { return false; }
    if (v.table == 0 && indexed && code != opcode::flags) {
        clear_words(v.b.address, v.length); // no index names anything
    } else if (code == opcode::flags && v.table != 0) {
        load_indices(v.a.address, lengths.a);
    } else if (indexed && code != opcode::flags) {
        load_indices(v.b.address, lengths.b);
    }
    m_builder.add(static_cast<isa::opcode>(code), v.flags, 0, v.encode());
    return true;
}

std::uint64_t program_maker::immediate_number()
{
    const std::int64_t number = between(-3, 4);
    if (m_limits.word() == element_type::int32) { return static_cast<std::uint32_t>(number); }
    if (m_limits.word() == element_type::int64) { return static_cast<std::uint64_t>(number); }
    const double real = static_cast<double>(number) + 0.25;
    std::uint64_t bits = 0;
    if (m_limits.word() == element_type::f32) {
        const auto narrow = static_cast<float>(real);
        std::memcpy(&bits, &narrow, sizeof narrow);
        return bits;
    }
    std::memcpy(&bits, &real, sizeof bits);
    return bits;
}

template <class Refusal>
bool program_maker::add_strided(isa::command_code code, const isa::vector::strided_signature& has,
                                const Refusal& refusal)
{
    using isa::vector::immediate_use;
    using isa::vector::strided_shape;
    const std::uint32_t word = m_limits.word_bytes();
    isa::vector::strided_command s;
    s.cpu_ops = below(50);
    if (has.shape != strided_shape::none) {
        s.size = {1 + below(3), 1 + below(4), 1 + below(5)};
        if (has.shape != strided_shape::modes) { s.size[0] = 1; }
        if (has.shape == strided_shape::vector) { s.size[1] = 1; }
        if (has.shape == strided_shape::diagonal) { s.size[2] = s.size[1]; }
    }
    const auto operand = [&](bool given) {
        isa::vector::strided_operand o;
        if (!given) { return o; }
        o.address = address(60 * word, word);
        o.step = steps(word);
        o.stride = {static_cast<std::int32_t>(s.size[1] * s.size[2]), static_cast<std::int32_t>(s.size[2]), 1};
        for (auto& stride : o.stride) {
            if (chance(0.3)) { stride = between(-4, 7); }
        }
        return o;
    };
    s.result = operand(has.result);
    s.a = operand(has.a);
    s.b = operand(has.b);
    if (has.a && has.result && chance(0.2)) { s.a = s.result; }
    for (unsigned m = 0; has.valid && m < 3; ++m) { s.valid[m] = chance(0.6) ? s.size[m] : below(s.size[m] + 1); }
    switch (has.immediate) {
    case immediate_use::none: break;
    case immediate_use::word:
        s.immediate[0] = immediate_number();
        if (base::is_complex(m_limits.word())) { s.immediate[1] = immediate_number(); }
        break;
    case immediate_use::modulus: s.immediate[0] = 1 + below(30); break;
    case immediate_use::digit_bits: s.immediate[0] = 1 + below(20); break;
    }
    if (!runs(s, refusal)) { return false; }
    m_builder.add(code, 0, 0, s.encode());
    return true;
}

// Rows at a stride, so that no two elements lie in one place.
void program_maker::add_transfer()
{
    const bool load = chance(0.5);
    const std::uint32_t element = m_limits.word_bytes();
    const std::array<std::uint32_t, 2> size{1 + below(5), 1 + below(6)};
    isa::transfer_command t;
    t.tensor = isa::dense_descriptor(load ? m_memory.loads() : m_memory.stores(), m_limits.word(), {size[0], size[1]});
    if (chance(0.3)) {
        t.tensor.stride = {1, std::int64_t{size[0]} + below(3)};
    } else {
        t.tensor.stride = {std::int64_t{size[1]} + below(4), 1};
    }
    t.tensor.base += element * below(16);
    t.local = address(size[0] * size[1] * element + 12 * element, element);
    if (!m_loops.empty() && chance(0.5)) {
        t.local_step[0] = element;
        t.tensor_step[0] = static_cast<std::int64_t>(element) * below(8);
    }
    m_builder.add(load ? isa::opcode::load : isa::opcode::store, 0, 0, t.encode());
}

} // namespace tensorloom::test
