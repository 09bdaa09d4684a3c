#include "models/fetta/random_contraction.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <numeric>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/models/isa/vector/limits.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::test {

using base::element_type;
using fetta::contract_command;
using fetta::contract_operand;
using fetta::device_limits;
using fetta::operand_role;

namespace {

constexpr std::uint32_t regions = 4; // of the unified memory: rows of every bank
constexpr std::uint64_t most_steps = 160;

contract_operand& operand(contract_command& c, unsigned role) { return role == 0 ? c.ia : role == 1 ? c.ib : c.result; }

} // namespace

device_limits random_limits(std::uint64_t seed)
{
    constexpr std::uint32_t engines[] = {4, 16, 64}, sides[] = {2, 4, 8, 16};
    device_limits g;
    g.engines = engines[seed % 3];
    g.side = sides[seed / 3 % 4];
    g.bank_bytes = g.engines == 64 ? 4096 : 8192;
    g.accumulator_bank_bytes = 1024;
    g.buffer_cycles = static_cast<std::uint32_t>(seed % 5 % 3);
    switch (seed / 12 % 3) {
    case 1: g.psum = element_type::bf16; break;
    case 2: g.operand = element_type::f32; break;
    default: break;
    }
    constexpr std::uint32_t latencies[] = {1, 2, 3, 1, 1, 1, 7};
    g.mac_latency = latencies[seed % 7];
    return g;
}

contraction_maker::contraction_maker(std::uint64_t seed, const device_limits& g, std::uint64_t memory_base)
    : m_limits(g), m_base(memory_base), m_random(seed)
{}

// ---- data ----

std::vector<std::uint8_t> contraction_maker::data()
{
    std::vector<std::uint8_t> bytes(memory_bytes());
    for (std::size_t at = 0; at < m_limits.memory_bytes(); at += 2) {
        std::uint16_t number = static_cast<std::uint16_t>((122 + below(9)) << 7 | below(128) | below(2) << 15);
        if (chance(0.001)) { number = static_cast<std::uint16_t>(below(65536)); }
        if (chance(0.02)) { number = static_cast<std::uint16_t>(below(2) << 15); }
        std::memcpy(bytes.data() + at, &number, sizeof number);
    }
    return bytes;
}

// ---- one CONTRACT ----

void contraction_maker::split(contract_command& c)
{
    std::uint32_t* const masks[] = {&c.mask_batch, &c.mask_contracted, &c.mask_ia, &c.mask_ib};
    const std::uint32_t favourite = below(4);
    for (std::uint32_t bit = 1; bit < m_limits.engines; bit *= 2) { *masks[chance(0.3) ? favourite : below(4)] |= bit; }
}

std::uint32_t contraction_maker::first_row(element_type type, std::uint32_t region) const
{
    return m_limits.bank_rows(type) / regions * region;
}

// Positions by mixed radix, in any order of the counters.
void contraction_maker::place_banked(contract_command& c, unsigned role, std::uint32_t region)
{
    contract_operand& o = operand(c, role);
    const auto as = fetta::operand_roles[role];
    const element_type type = fetta::type_of(c, as, m_limits);
    const auto counts = fetta::counter_counts(c, as, m_limits);
    std::array<unsigned, 4> order{0, 1, 2, 3};
    std::shuffle(order.begin(), order.end(), m_random);
    std::int64_t next = 1 + below(2);
    std::int64_t lowest = 0;
    for (const unsigned counter : order) {
        if (counts[counter] == 1) { continue; }
        if (role != 2 && chance(0.1)) { continue; } // used again
        const bool backwards = chance(0.1);
        o.stride[counter] = static_cast<std::int32_t>(backwards ? -next : next);
        const std::int64_t reach = next * (static_cast<std::int64_t>(counts[counter]) - 1);
        if (backwards) { lowest -= reach; }
        next += reach + below(3);
    }
    o.bank = below(m_limits.engines);
    const std::int64_t shares = fetta::parts(fetta::shared_mask(c, as));
    o.base = first_row(type, region) + static_cast<std::uint32_t>((-lowest + shares - 1) / shares) + below(4);
    if (chance(0.25)) { c.flags = static_cast<std::uint16_t>(c.flags | contract_command::flag_transpose_ia << role); }
}

// Modes of any sizes whose products are the extents, dense or not, in any order.
void contraction_maker::place_linear(contract_command& c, unsigned role, std::uint32_t region)
{
    contract_operand& o = operand(c, role);
    c.flags = static_cast<std::uint16_t>(c.flags | contract_command::flag_linear_ia << role);
    const element_type type = fetta::type_of(c, fetta::operand_roles[role], m_limits);
    const std::uint32_t extents[] = {c.batch, role == 2 ? c.ia_free : c.contracted, role == 0 ? c.ia_free : c.ib_free};
    unsigned modes = 0;
    for (unsigned group = 0; group < 3; ++group) {
        std::uint32_t rest = extents[group];
        for (std::uint32_t divisor = 2; divisor <= rest && o.modes[group] < 2 && modes < 7; ++divisor) {
            if (rest % divisor != 0 || chance(0.4)) { continue; }
            o.mode[modes++].size = divisor;
            ++o.modes[group];
            rest /= divisor;
        }
        if (rest != 1 && modes < fetta::max_operand_modes) {
            o.mode[modes++].size = rest;
            ++o.modes[group];
        }
    }
    std::vector<unsigned> order(modes);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), m_random);
    std::int64_t next = 1;
    std::int64_t lowest = 0;
    for (const unsigned m : order) {
        const bool backwards = chance(0.1);
        o.mode[m].stride = static_cast<std::int32_t>(backwards ? -next : next);
        const std::int64_t reach = next * (static_cast<std::int64_t>(o.mode[m].size) - 1);
        if (backwards) { lowest -= reach; }
        next += reach + (chance(0.3) ? below(5) : 0);
        if (chance(0.1)) { next = (next + 63) / 64 * 64; } // into one bank
    }
    const std::uint32_t row = m_limits.side * m_limits.engines;
    o.base = first_row(type, region) * row + static_cast<std::uint32_t>(-lowest) + below(9);
}

contract_command contraction_maker::attempt()
{
    contract_command c;
    c.mapping = below(fetta::mapping_count);
    split(c);
    const auto extent = [&] { return chance(0.3) ? 1 + below(3) : 1 + below(chance(0.2) ? 80 : 24); };
    c.batch = chance(0.5) ? 1 : 1 + below(6);
    c.contracted = extent();
    c.ia_free = extent();
    c.ib_free = extent();
    if (chance(0.15)) { // more steps than accumulators
        c.mask_ib |= c.mask_ia;
        c.mask_ia = 0;
        c.ia_free = 60 + below(90);
        c.batch = 1;
    }
    if (chance(0.3)) { c.flags |= contract_command::flag_store_bf16; }
    std::array<std::uint32_t, regions> region{0, 1, 2, 3};
    std::shuffle(region.begin(), region.end(), m_random);
    for (unsigned role = 0; role < 3; ++role) {
        if (chance(0.35)) {
            place_linear(c, role, region[role]);
        } else {
            place_banked(c, role, region[role]);
        }
    }
    return c;
}

contract_command contraction_maker::contraction()
{
    for (;;) {
        const contract_command c = attempt();
        const auto loops = fetta::loops_of(c, m_limits);
        if (!fetta::check(c, m_limits) && loops.tiles() * loops.steps <= most_steps) { return c; }
    }
}

// ---- programs ----

void contraction_maker::add(const contract_command& c)
{
    m_builder.add(static_cast<isa::opcode>(fetta::opcode::contract), c.flags, below(100), c.encode());
}

void contraction_maker::add_transfer(isa::opcode code, std::uint64_t memory, std::uint64_t local, element_type type,
                                     std::uint32_t elements)
{
    isa::transfer_command t;
    t.tensor = isa::dense_descriptor(memory, type, {elements});
    t.local = local;
    m_builder.add(code, 0, 0, t.encode());
}

// Sums of two or three commands, some of them with a command of others in between.
void contraction_maker::add_chain()
{
    for (unsigned tries = 0; tries < 200; ++tries) {
        contract_command last = contraction();
        last.flags |= contract_command::flag_accumulate;
        last.accumulator_row = below(m_limits.accumulator_rows() / 2);
        contract_command first = last;
        first.flags = static_cast<std::uint16_t>(
            (first.flags & ~(contract_command::flag_accumulate | contract_command::flag_store_bf16 |
                             contract_command::flag_linear_result)) |
            contract_command::flag_keep);
        if (last.has(contract_command::flag_linear_result)) { first.result = {}; }
        first.result.base = 0;
        contract_command middle = first;
        middle.flags |= contract_command::flag_accumulate;
        if (fetta::check(first, m_limits) || fetta::check(last, m_limits)) { continue; }
        add(first);
        if (chance(0.5)) { add(middle); }
        if (chance(0.3)) { add(contraction()); }
        add(last);
        if (chance(0.3)) { add(last); }
        return;
    }
}

void contraction_maker::add_loop()
{
    const std::uint32_t count = 2 + below(2);
    for (;;) {
        contract_command c = contraction();
        for (unsigned role = 0; role < 3; ++role) {
            if (chance(0.7)) { operand(c, role).step[0] = static_cast<std::int32_t>(below(9)) - 4; }
        }
        bool runs = !fetta::check(c, m_limits);
        for (std::uint32_t i = 0; i < count; ++i) { runs = runs && !fetta::check(c.at({i, 0}), m_limits); }
        if (!runs) { continue; }
        m_builder.add(isa::opcode::loop, 0, 0, isa::loop_command{count}.encode());
        add(c);
        m_builder.add(isa::opcode::end);
        return;
    }
}

// Half of the memory from the other window or another place, and back.
void contraction_maker::add_random_transfer()
{
    const bool wide = chance(0.5);
    const std::uint64_t window = m_limits.memory_bytes(), size = wide ? 4 : 2;
    const std::uint32_t elements = 1 + below(500);
    const std::uint64_t local =
        (wide ? window : 0) + below(static_cast<std::uint32_t>(window / size) - elements) * size;
    const auto type = wide ? element_type::f32 : element_type::bf16;
    const std::uint64_t memory = m_base + below(static_cast<std::uint32_t>(window / size) - elements) * size;
    add_transfer(chance(0.5) ? isa::opcode::load : isa::opcode::store, memory, local, type, elements);
}

// Of real numbers, on words anywhere.
void contraction_maker::add_vector()
{
    using isa::vector::opcode;
    constexpr opcode codes[] = {opcode::add,       opcode::mul,       opcode::relu,    opcode::sigmoid,  opcode::log,
                                opcode::sum_block, opcode::max_block, opcode::mul_add, opcode::pack_bf16};
    for (;;) {
        const opcode code = codes[below(std::size(codes))];
        isa::vector::vector_command v;
        v.length = 1 + below(300);
        const auto address = [&] { return 4 * below(static_cast<std::uint32_t>(m_limits.memory_bytes() / 4) - 1000); };
        v.result.address = address();
        v.a.address = address();
        if (code == opcode::add || code == opcode::mul || code == opcode::mul_add) { v.b.address = address(); }
        if (code == opcode::mul_add) { v.c.address = address(); }
        if (code == opcode::sum_block || code == opcode::max_block) { v.block = 1 + below(20); }
        if (code == opcode::pack_bf16) { v.block = m_limits.side, v.table = m_limits.engines; }
        if (isa::vector::check(code, v, fetta::vector_limits_of(m_limits))) { continue; }
        m_builder.add(static_cast<isa::opcode>(code), v.flags, 0, v.encode());
        return;
    }
}

std::vector<std::uint8_t> contraction_maker::program(unsigned contractions)
{
    m_builder = {};
    const std::uint64_t window = m_limits.memory_bytes();
    add_transfer(isa::opcode::load, m_base, window, element_type::f32, static_cast<std::uint32_t>(window / 4));
    for (unsigned i = 0; i < contractions; ++i) {
        const std::uint32_t kind = below(10);
        if (kind < 2) {
            add_chain();
        } else if (kind < 4) {
            add_loop();
        } else {
            add(contraction());
        }
        if (chance(0.4)) { add_random_transfer(); }
        if (chance(0.3)) { add_vector(); }
        if (chance(0.1)) {
            m_builder.add(isa::opcode::signal, 0, 0, isa::signal_command{3}.encode());
            m_builder.add(isa::opcode::wait, 0, 0, isa::signal_command{3}.encode());
        }
    }
    return m_builder.bytes();
}

std::vector<std::uint8_t> contraction_maker::dump() const
{
    const std::uint64_t window = m_limits.memory_bytes();
    isa::transfer_command t;
    t.tensor = isa::dense_descriptor(m_base + window, element_type::f32, {static_cast<std::uint32_t>(window / 4)});
    t.local = window;
    isa::program_builder program;
    program.add(isa::opcode::store, 0, 0, t.encode());
    return program.bytes();
}

} // namespace tensorloom::test
