#include <tensorloom/workloads/training/network_program.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <tensorloom/workloads/training/network_memory.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using fetta::contract_command;
using isa::vector::opcode;

constexpr std::uint64_t alignment = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint64_t aligned_bytes(const bus_region& region)
{
    return round_up(region.elements * base::element_bytes(region.type), alignment);
}

class steps_writer {
public:
    steps_writer(const model_description& model, const model_contractions& contractions, const network_step& step,
                 const fetta::device_limits& g, const model_addresses& addresses)
        : m_model(model), m_contractions(contractions), m_step(step), m_limits(g), m_addresses(addresses),
          m_places(places_of(step, g))
    {
        std::uint64_t next = addresses.spills;
        for (const auto& spill : step.spills) {
            m_spills.push_back(next);
            next += aligned_bytes(spill);
        }
    }

    model_program write()
    {
        for (const auto& operation : m_step.operations) { write(operation); }
        m_program.bytes = m_builder.bytes();
        m_program.occupied = m_places.occupied;
        return std::move(m_program);
    }

private:
    static constexpr std::uint64_t word = sizeof(float);

    void add(isa::command_code code, std::uint16_t flags, const std::vector<std::uint8_t>& payload,
             const std::string& what)
    {
        m_builder.add(code, flags, static_cast<std::uint32_t>(m_program.commands.size()), payload);
        m_program.commands.push_back({m_phase, what});
    }

    std::uint64_t local_address(std::size_t tensor) const
    {
        const auto type = m_step.tensors[tensor].type;
        return fetta::row_address(m_limits, type, 0, 0) + m_places.byte[tensor];
    }

    std::uint64_t address_of(const bus_place& place) const
    {
        switch (place.array) {
        case bus_array::region: return m_addresses.regions[place.number];
        case bus_array::spill: return m_spills[place.number];
        case bus_array::moment: return m_addresses.moments[place.number];
        case bus_array::masters: return m_addresses.masters;
        case bus_array::constants: return m_addresses.constants;
        case bus_array::literals: return m_addresses.literals;
        case bus_array::ones: return m_addresses.ones;
        case bus_array::lists: return m_addresses.lists;
        case bus_array::metrics: break;
        }
        return m_addresses.metrics;
    }

    void write(const step_operation& operation)
    {
        m_phase = operation.phase;
        std::visit([&](const auto& work) { this->operate(work, operation.what); }, operation.work);
    }

    void operate(const gather_operation& work, const std::string& what)
    {
        const auto type = m_step.tensors[work.result.tensor].type;
        isa::gather_command c;
        const auto address = work.field == batch_field::features  ? m_addresses.features
                             : work.field == batch_field::indices ? m_addresses.indices
                                                                  : m_addresses.labels;
        const std::uint64_t of_sample =
            work.field == batch_field::labels ? answer_words(m_model.loss, m_model.classes()) : m_model.features();
        c.tensor =
            isa::dense_descriptor(address + work.first * base::element_bytes(type), type,
                                  {static_cast<std::uint32_t>(work.samples), static_cast<std::uint32_t>(work.count)});
        c.tensor.stride[0] = static_cast<std::int64_t>(of_sample);
        c.list = local_address(m_step.list) + work.first_sample * word;
        if (m_contractions.blocks > 1) { c.list_step[0] = static_cast<std::int64_t>(m_contractions.samples * word); }
        c.local = local_address(work.result.tensor) + work.result.offset * base::element_bytes(type);
        add(isa::opcode::gather, 0, c.encode(), what);
    }

    void operate(const transfer_operation& work, const std::string& what)
    {
        isa::tensor_descriptor tensor;
        const auto type = m_step.tensors[work.local.tensor].type;
        const std::uint64_t bytes = base::element_bytes(type);
        tensor.base = address_of(work.place) + work.offset * bytes;
        tensor.type = static_cast<std::uint8_t>(type);
        tensor.order = static_cast<std::uint8_t>(work.modes.size());
        for (std::size_t m = 0; m < work.modes.size(); ++m) {
            tensor.size[m] = static_cast<std::uint32_t>(work.modes[m].size);
            tensor.stride[m] = work.modes[m].stride;
        }
        const auto send = [&](auto command, isa::opcode code) {
            command.tensor = tensor;
            command.local = local_address(work.local.tensor) + work.local.offset * bytes_of(work.local);
            command.local_step = {byte_step(work.local), 0};
            add(code, 0, command.encode(), what);
        };
        if (work.kind == transfer_kind::gather) {
            isa::gather_command gather;
            gather.list = local_address(work.list->tensor) + work.list->offset * word;
            gather.list_step = {byte_step(*work.list), 0};
            send(gather, isa::opcode::gather);
        } else {
            isa::transfer_command transfer;
            for (std::size_t l = 0; l < work.place_step.size(); ++l) {
                transfer.tensor_step[l] = work.place_step[l] * static_cast<std::int64_t>(bytes);
            }
            send(transfer, work.kind == transfer_kind::load ? isa::opcode::load : isa::opcode::store);
        }
    }

    void operate(const contract_operation& work, const std::string& what)
    {
        const auto& of = m_contractions.graphs[work.graph];
        const auto& c = of.graph.contractions[work.contraction];
        auto choice = of.layouts.choice[work.contraction];
        const auto& layouts = of.layouts.layout;
        const auto part_of = [&](fetta::operand_role role) -> const tensor_part& {
            const auto which = tensor_of(choice.mapping, role);
            return which == contraction_tensor::a ? work.a : which == contraction_tensor::b ? work.b : work.result;
        };
        for (const auto role : fetta::operand_roles) {
            if (!starts_at_row(part_of(role))) { choice.banked[at(role)].reset(); }
            const auto which = tensor_of(choice.mapping, role);
            const std::size_t tensor = which == contraction_tensor::a   ? c.a
                                       : which == contraction_tensor::b ? c.b
                                                                        : c.result;
            m_program.paths.add(path_of(choice, role), m_repeats, of.graph.elements(tensor));
        }
        contract_command command = command_of(of.graph, choice, {&layouts[c.a], &layouts[c.b], &layouts[c.result]},
                                              m_step.tensors[work.result.tensor].type == element_type::bf16);
        const auto place = [&](fetta::contract_operand& operand, fetta::operand_role role) {
            const auto& part = part_of(role);
            const std::uint64_t bytes = base::element_bytes(m_step.tensors[part.tensor].type);
            const std::uint64_t unit = choice.banked[at(role)] ? row_elements() : 1; // of a base: rows of every bank
            operand.base = static_cast<std::uint32_t>((m_places.byte[part.tensor] / bytes + part.offset) / unit);
            operand.step[0] = static_cast<std::int32_t>(part.step / static_cast<std::int64_t>(unit));
        };
        place(command.ia, fetta::operand_role::ia);
        place(command.ib, fetta::operand_role::ib);
        place(command.result, fetta::operand_role::result);
        add(fetta::opcode::contract, command.flags, command.encode(), what);
    }

    std::uint64_t row_elements() const { return std::uint64_t{m_limits.side} * m_limits.engines; } // of all banks
    // Only such a part may pass the networks alone.
    bool starts_at_row(const tensor_part& part) const
    {
        const auto row = static_cast<std::int64_t>(row_elements());
        return static_cast<std::int64_t>(part.offset) % row == 0 && part.step % row == 0;
    }

    // Of the vector unit: words, or the words that hold elements of bf16.
    std::uint32_t word_address(const tensor_part& part) const
    {
        return static_cast<std::uint32_t>(m_places.byte[part.tensor] + part.offset * bytes_of(part));
    }
    std::int32_t byte_step(const tensor_part& part) const
    {
        return static_cast<std::int32_t>(part.step * static_cast<std::int64_t>(bytes_of(part)));
    }
    std::uint64_t bytes_of(const tensor_part& part) const
    {
        return base::element_bytes(m_step.tensors[part.tensor].type);
    }

    void operate(const vector_operation& work, const std::string& what)
    {
        isa::vector::vector_command c;
        c.length = static_cast<std::uint32_t>(work.length);
        c.block = static_cast<std::uint32_t>(work.block);
        if (work.broadcast_b) { c.flags |= isa::vector::vector_command::flag_broadcast_b; }
        if (work.zero_a) { c.flags |= isa::vector::vector_command::flag_zero_a; }
        const auto place = [&](isa::vector::vector_operand& operand, const tensor_part& part) {
            operand.address = word_address(part);
            operand.step[0] = byte_step(part);
        };
        if (work.a) { place(c.a, *work.a); }
        if (work.b) { place(c.b, *work.b); }
        if (work.c) { place(c.c, *work.c); }
        place(c.result, work.result);
        c.table = static_cast<std::uint32_t>(work.table);
        c.bits = work.bits;
        if (work.code == opcode::pack_bf16 || work.code == opcode::unpack_bf16) { // rows of the window of bf16
            c.block = m_limits.side;
            c.table = m_limits.engines;
        }
        add(work.code, c.flags, c.encode(), what);
    }

    void operate(const copy_operation& work, const std::string& what)
    {
        isa::vector::strided_command c;
        const auto place = [&](isa::vector::strided_operand& operand, const tensor_part& part, const auto& stride) {
            operand.address = word_address(part);
            operand.step[0] = byte_step(part);
            for (std::size_t m = 0; m < stride.size(); ++m) {
                operand.stride[m] = static_cast<std::int32_t>(stride[m]);
            }
        };
        for (std::size_t m = 0; m < work.size.size(); ++m) { c.size[m] = static_cast<std::uint32_t>(work.size[m]); }
        c.valid = c.size;
        place(c.result, work.result, work.result_stride);
        place(c.a, work.a, work.a_stride);
        add(opcode::repl, 0, c.encode(), what);
    }

    void operate(const loop_operation& work, const std::string& what)
    {
        add(isa::opcode::loop, 0, isa::loop_command{static_cast<std::uint32_t>(work.count)}.encode(), what);
        m_loops.push_back(work.kind == loop_kind::batches ? 1 : work.count);
        m_repeats *= m_loops.back();
    }

    void operate(const end_operation& /*work*/, const std::string& what)
    {
        m_builder.add(isa::opcode::end);
        m_program.commands.push_back({m_phase, what});
        m_repeats /= m_loops.back();
        m_loops.pop_back();
    }

    const model_description& m_model;
    const model_contractions& m_contractions;
    const network_step& m_step;
    const fetta::device_limits& m_limits;
    const model_addresses& m_addresses;
    step_places m_places;
    model_program m_program;
    isa::program_builder m_builder;
    step_phase m_phase = step_phase::fp;
    std::vector<std::uint64_t> m_spills; // addresses
    std::vector<std::uint64_t> m_loops;  // around the operation: iterations in a step
    std::uint64_t m_repeats = 1;         // their product
};

} // namespace

model_addresses model_addresses_of(const model_description& model, const model_contractions& contractions,
                                   const model_arrays& arrays, std::uint64_t base, std::uint64_t bytes)
{
    const auto [literals, samples, batches, spill_bytes] = arrays;
    model_addresses a;
    std::uint64_t next = round_up(base, alignment);
    const auto take = [&next](std::uint64_t elements, element_type type) {
        const std::uint64_t at = next;
        next += round_up(elements * base::element_bytes(type), alignment);
        return at;
    };
    a.masters = take(contractions.parameter_elements, element_type::f32);
    for (std::size_t m = 0; m < moments_of(model.optimizer.kind); ++m) {
        a.moments.push_back(take(contractions.parameter_elements, element_type::f32));
    }
    a.constants = take(step_constants, element_type::f32);
    a.literals = take(literals, element_type::f32);
    a.ones = take(contractions.most_rows, element_type::bf16);
    const bool tokens = model.vocabulary() != 0;
    a.features = take(samples * model.features(), tokens ? element_type::int32 : element_type::bf16);
    if (tokens) { a.indices = take(samples * model.features(), element_type::f32); }
    a.labels = take(samples * answer_words(model.loss, model.classes()), element_type::f32);
    a.lists = take(batches * list_layout(contractions).words, element_type::f32);
    for (const auto& region : contractions.regions) { a.regions.push_back(take(region.elements, region.type)); }
    a.metrics = take(batches * contractions.blocks * metric_words, element_type::f32);
    a.spills = take(spill_bytes, element_type::int8);
    a.end = next;
    if (next - base > bytes) {
        base::refuse("model", std::to_string(next - base) + " bytes of data and parameters",
                     "at most the " + std::to_string(bytes) + " of the memory");
    }
    return a;
}

std::uint64_t spill_bytes_of(const network_step& step)
{
    std::uint64_t bytes = 0;
    for (const auto& spill : step.spills) { bytes += aligned_bytes(spill); }
    return bytes;
}

model_program write_steps(const model_description& model, const model_contractions& contractions,
                          const network_step& step, const fetta::device_limits& g, const model_addresses& addresses)
{
    return steps_writer(model, contractions, step, g, addresses).write();
}

} // namespace tensorloom::workloads
