#include <tensorloom/workloads/step_planner/program_writer.h>
#include <array>
#include <type_traits>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using fetta::contract_command;
using isa::vector::opcode;

class list_writer {
public:
    list_writer(const operation_list& list, const std::vector<planned_graph>& graphs, const step_places& places,
                const fetta::device_limits& g, const address_of_array& address_of)
        : m_list(list), m_graphs(graphs), m_places(places), m_limits(g), m_address_of(address_of)
    {}

    written_program write()
    {
        for (const auto& operation : m_list.operations) { write(operation); }
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
        const auto type = m_list.tensors[tensor].type;
        return fetta::row_address(m_limits, type, 0, 0) + m_places.byte[tensor];
    }

    void write(const step_operation& operation)
    {
        m_phase = operation.phase;
        std::visit([&](const auto& work) { this->operate(work, operation.what); }, operation.work);
    }

    void operate(const transfer_operation& work, const std::string& what)
    {
        const auto type = m_list.tensors[work.local.tensor].type;
        const std::uint64_t bytes = base::element_bytes(type);
        const auto tensor = work.descriptor(m_address_of(work.place), type);
        const auto send = [&](auto command, isa::opcode code) {
            command.tensor = tensor;
            command.local = local_address(work.local.tensor) + work.local.offset * bytes_of(work.local);
            command.local_step = byte_steps(work.local);
            add(code, 0, command.encode(), what);
        };
        if (work.kind == transfer_kind::gather) {
            isa::gather_command gather;
            gather.list = local_address(work.list->tensor) + work.list->offset * word;
            gather.list_step = byte_steps(*work.list);
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
        const auto& of = m_graphs[work.graph];
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
                                              m_list.tensors[work.result.tensor].type == element_type::bf16);
        const auto place = [&](fetta::contract_operand& operand, fetta::operand_role role) {
            const auto& part = part_of(role);
            const std::uint64_t bytes = base::element_bytes(m_list.tensors[part.tensor].type);
            const std::uint64_t unit = choice.banked[at(role)] ? row_elements() : 1; // of a base: rows of every bank
            operand.base = static_cast<std::uint32_t>((m_places.byte[part.tensor] / bytes + part.offset) / unit);
            operand.step[0] = static_cast<std::int32_t>(part.step / static_cast<std::int64_t>(unit));
        };
        place(command.ia, fetta::operand_role::ia);
        place(command.ib, fetta::operand_role::ib);
        place(command.result, fetta::operand_role::result);
        if (work.sums) {
            command.accumulator_row = work.sums->row;
            if (work.sums->adds) { command.flags |= contract_command::flag_accumulate; }
            if (work.sums->stays) {
                command.result = place_of_kept_sums(command.result);
                command.flags |= contract_command::flag_keep;
                command.flags &= static_cast<std::uint16_t>(
                    ~(contract_command::flag_store_bf16 | contract_command::flag_linear_result));
            }
        }
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
    std::array<std::int64_t, 2> byte_steps(const tensor_part& part) const
    {
        return {byte_step(part), part.outer_step * static_cast<std::int64_t>(bytes_of(part))};
    }
    std::uint64_t bytes_of(const tensor_part& part) const
    {
        return base::element_bytes(m_list.tensors[part.tensor].type);
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

    const operation_list& m_list;
    const std::vector<planned_graph>& m_graphs;
    const step_places& m_places;
    const fetta::device_limits& m_limits;
    const address_of_array& m_address_of;
    written_program m_program;
    isa::program_builder m_builder;
    step_phase m_phase = step_phase::fp;
    std::vector<std::uint64_t> m_loops; // around the operation: iterations in a step
    std::uint64_t m_repeats = 1;        // their product
};

std::uint64_t payload_bytes(const step_operation& operation)
{
    const auto bytes_of = [](const auto& work) -> std::uint64_t {
        using kind = std::decay_t<decltype(work)>;
        if constexpr (std::is_same_v<kind, contract_operation>) { return contract_command::payload_bytes; }
        if constexpr (std::is_same_v<kind, vector_operation>) { return isa::vector::vector_command::payload_bytes; }
        if constexpr (std::is_same_v<kind, copy_operation>) { return isa::vector::strided_command::payload_bytes; }
        if constexpr (std::is_same_v<kind, loop_operation>) { return isa::loop_command::payload_bytes; }
        if constexpr (std::is_same_v<kind, transfer_operation>) {
            return work.kind == transfer_kind::gather ? isa::gather_command::payload_bytes
                                                      : isa::transfer_command::payload_bytes;
        }
        return 0; // the end of a loop
    };
    return std::visit(bytes_of, operation.work);
}

} // namespace

written_program write_program(const operation_list& list, const std::vector<planned_graph>& graphs,
                              const step_places& places, const fetta::device_limits& g,
                              const address_of_array& address_of)
{
    return list_writer(list, graphs, places, g, address_of).write();
}

std::uint64_t program_bytes_of(const operation_list& list)
{
    std::uint64_t bytes = isa::program_header::encoded_bytes;
    for (const auto& operation : list.operations) {
        bytes += isa::command_header::encoded_bytes + payload_bytes(operation);
    }
    return bytes;
}

} // namespace tensorloom::workloads
