#pragma once
#include <algorithm>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/firmware/tensorloom.h>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/mmv/isa/matmul_command.h>
#include <tensorloom/models/mmv/isa/product_command.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/torus/isa/multiply_command.h>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include "models/isa/firmware/gemt_for_c.h"

namespace tensorloom::test {

// Commands as the C driver takes them, member by member.

inline tl_transfer transfer_for_c(const isa::transfer_command& command)
{
    tl_transfer t{};
    t.tensor = tensor_for_c(command.tensor);
    std::copy(command.tensor_step.begin(), command.tensor_step.end(), t.tensor_step);
    t.local = command.local;
    std::copy(command.local_step.begin(), command.local_step.end(), t.local_step);
    return t;
}

inline tl_gather gather_for_c(const isa::gather_command& command)
{
    tl_gather g{};
    g.tensor = tensor_for_c(command.tensor);
    g.list = command.list;
    std::copy(command.list_step.begin(), command.list_step.end(), g.list_step);
    g.local = command.local;
    std::copy(command.local_step.begin(), command.local_step.end(), g.local_step);
    return g;
}

inline tl_matrix matrix_for_c(const mmv::matrix_operand& operand)
{
    return {operand.address, operand.row_stride, {operand.step[0], operand.step[1]}};
}

inline tl_matmul matmul_for_c(const mmv::matmul_command& command)
{
    tl_matmul m{};
    m.result = matrix_for_c(command.result);
    m.left = matrix_for_c(command.left);
    m.weights = matrix_for_c(command.weights);
    m.words = command.words;
    m.left_columns = command.left_columns;
    m.result_columns = command.result_columns;
    return m;
}

inline tl_product product_for_c(std::uint16_t flags, const mmv::product_command& command)
{
    tl_product p{};
    p.flags = flags;
    p.result = matrix_for_c(command.result);
    p.left = matrix_for_c(command.left);
    p.weights = matrix_for_c(command.weights);
    p.rows = command.rows;
    p.depth = command.depth;
    p.columns = command.columns;
    p.call_rows = command.call_rows;
    p.tile_columns = command.tile_columns;
    return p;
}

inline tl_orbit orbit_for_c(const torus::orbit_command& command)
{
    tl_orbit o;
    tl_orbit_init(&o);
    o.flags = command.flags;
    std::copy(command.order.begin(), command.order.end(), o.order);
    o.way = static_cast<std::uint8_t>(command.way);
    o.vector = command.encode()[torus::orbit_fields::vector.offset];
    o.left_out = command.left_out;
    std::copy(command.shifts.begin(), command.shifts.end(), o.shifts);
    for (unsigned m = 0; m < 3; ++m) {
        o.in_block[m] = static_cast<std::uint16_t>(command.blocks.in_block[m]);
        o.out_block[m] = static_cast<std::uint16_t>(command.blocks.out_block[m]);
        o.matrix[m] = tensor_for_c(command.matrix[m]);
    }
    o.completion_address = command.completion_address;
    o.x = tensor_for_c(command.x);
    o.y = tensor_for_c(command.y);
    o.workspace = tensor_for_c(command.workspace);
    return o;
}

inline tl_pointwise pointwise_for_c(const isa::pointwise_command& command)
{
    tl_pointwise p{};
    p.flags = command.flags;
    p.operation = static_cast<std::uint8_t>(command.operation);
    p.shift = command.shift;
    std::copy(command.value.begin(), command.value.end(), p.value);
    p.completion_address = command.completion_address;
    p.x = tensor_for_c(command.x);
    p.y = tensor_for_c(command.y);
    p.operand = tensor_for_c(command.operand);
    return p;
}

inline tl_multiply multiply_for_c(const torus::multiply_command& command)
{
    tl_multiply m{};
    m.flags = command.flags;
    m.matrix_class = static_cast<std::uint8_t>(command.cls);
    m.form = static_cast<std::uint8_t>(command.form);
    m.vector = command.vector_bits;
    std::copy(command.blocks.begin(), command.blocks.end(), m.blocks);
    m.completion_address = command.completion_address;
    std::transform(command.operand.begin(), command.operand.end(), m.operand, tensor_for_c);
    return m;
}

inline tl_words words_for_c(const isa::vector::vector_operand& operand)
{
    return {operand.address, operand.shift, {operand.step[0], operand.step[1]}};
}

inline tl_vector vector_for_c(const isa::vector::vector_command& command)
{
    tl_vector v{};
    v.flags = command.flags;
    v.result = words_for_c(command.result);
    v.a = words_for_c(command.a);
    v.b = words_for_c(command.b);
    v.c = words_for_c(command.c);
    v.length = command.length;
    v.table = command.table;
    v.block = command.block;
    v.bits = command.bits;
    return v;
}

inline tl_strided_words strided_words_for_c(const isa::vector::strided_operand& operand)
{
    tl_strided_words w{};
    w.address = operand.address;
    std::copy(operand.stride.begin(), operand.stride.end(), w.stride);
    std::copy(operand.step.begin(), operand.step.end(), w.step);
    return w;
}

inline tl_strided strided_for_c(const isa::vector::strided_command& command)
{
    tl_strided s{};
    s.result = strided_words_for_c(command.result);
    s.a = strided_words_for_c(command.a);
    s.b = strided_words_for_c(command.b);
    std::copy(command.size.begin(), command.size.end(), s.size);
    std::copy(command.valid.begin(), command.valid.end(), s.valid);
    s.cpu_ops = command.cpu_ops;
    std::copy(command.immediate.begin(), command.immediate.end(), s.immediate);
    return s;
}

inline tl_operand operand_for_c(const fetta::contract_operand& operand)
{
    tl_operand o{};
    o.base = operand.base;
    o.bank = operand.bank;
    std::copy(operand.stride.begin(), operand.stride.end(), o.stride);
    std::copy(operand.step.begin(), operand.step.end(), o.step);
    std::copy(operand.modes.begin(), operand.modes.end(), o.modes);
    for (std::size_t m = 0; m < operand.mode.size(); ++m) {
        o.mode[m] = {operand.mode[m].size, operand.mode[m].stride};
    }
    return o;
}

inline tl_contract contract_for_c(const fetta::contract_command& command)
{
    tl_contract c{};
    c.flags = command.flags;
    c.mapping = command.mapping;
    c.batch = command.batch;
    c.contracted = command.contracted;
    c.ia_free = command.ia_free;
    c.ib_free = command.ib_free;
    c.mask_batch = command.mask_batch;
    c.mask_contracted = command.mask_contracted;
    c.mask_ia = command.mask_ia;
    c.mask_ib = command.mask_ib;
    c.accumulator_row = command.accumulator_row;
    c.ia = operand_for_c(command.ia);
    c.ib = operand_for_c(command.ib);
    c.result = operand_for_c(command.result);
    return c;
}

} // namespace tensorloom::test
