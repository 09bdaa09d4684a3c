#include <tensorloom/workloads/training/network_program.h>
#include <algorithm>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/program/program.h>
#include <tensorloom/models/arch/program/shell_commands.h>
#include <tensorloom/models/arch/program/tensor_descriptor.h>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/vector/strided_command.h>
#include <tensorloom/models/arch/vector/vector_command.h>
#include <tensorloom/workloads/step_planner/chip_places.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <tensorloom/workloads/step_planner/pass_places.h>

namespace tensorloom::workloads {
namespace {

using arch::element_type;
using arch::fetta::contract_command;
using arch::vector::opcode;

constexpr std::uint64_t alignment = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

// Every tensor that an operation reads or writes.
template <class F> void for_each_tensor(const step_operation& operation, const network_step& step, F f)
{
    const auto parts = [&f](const auto&... part) { (f(part.tensor), ...); };
    if (const auto* c = std::get_if<contract_operation>(&operation.work)) {
        parts(c->a, c->b, c->result);
    } else if (const auto* v = std::get_if<vector_operation>(&operation.work)) {
        parts(v->result);
        for (const auto& o : {v->a, v->b, v->c}) {
            if (o) { parts(*o); }
        }
    } else if (const auto* r = std::get_if<repeat_operation>(&operation.work)) {
        parts(r->a, r->result);
    } else {
        f(std::get<gather_operation>(operation.work).result);
        f(step.list);
    }
}

// Bytes of the unified memory by tensor: of what stays all the time, of others from the first operation with it to the
// last.
std::vector<std::uint64_t> places_of(const network_step& step, const arch::fetta::geometry& g)
{
    std::vector<wanted_place> wanted;
    for (const auto& t : step.tensors) {
        wanted.push_back({t.elements * arch::element_bytes(t.type), t.stays ? 0 : step.operations.size(),
                          t.stays ? step.operations.size() : 0});
    }
    for (std::size_t o = 0; o < step.operations.size(); ++o) {
        for_each_tensor(step.operations[o], step, [&](std::size_t t) {
            wanted[t].first = std::min(wanted[t].first, o);
            wanted[t].last = std::max(wanted[t].last, o);
        });
    }
    wanted[step.list].first = 0;                        // it is loaded ahead of all,
    wanted[step.metrics].last = step.operations.size(); // they are stored behind all
    const auto places = places_for(wanted, place_granule(g), g.memory_bytes());
    if (!places) {
        throw arch::input_error("model: the tensors of a step do not fit into the " + std::to_string(g.memory_bytes()) +
                                " bytes of the unified memory, expected a smaller "
                                "batch or model");
    }
    return *places;
}

class steps_writer {
public:
    steps_writer(const model_description& model, const model_contractions& contractions, const network_step& step,
                 const arch::fetta::geometry& g, const model_addresses& addresses)
        : m_model(model), m_contractions(contractions), m_step(step), m_geometry(g), m_addresses(addresses),
          m_places(places_of(step, g))
    {}

    model_program write(std::uint64_t batches)
    {
        const auto& s = m_step;
        m_phase = step_phase::update;
        move(arch::opcode::load, s.masters, m_addresses.masters, "load the parameters");
        move(arch::opcode::load, s.constants, m_addresses.constants, "load the constants");
        move(arch::opcode::load, s.ones, m_addresses.ones, "load the ones");
        vector({opcode::pack_bf16, {s.copies}, tensor_part{s.masters}, {}, {}, s.tensors[s.masters].elements},
               "round the parameters");
        if (is_training()) {
            move_moments(arch::opcode::load, "load ");
            clear(s.gradients);
        }
        m_phase = step_phase::fp;
        add(arch::opcode::loop, 0, arch::loop_command{static_cast<std::uint32_t>(batches)}.encode(),
            "loop over " + std::to_string(batches) + " batches");
        move(arch::opcode::load, s.list, m_addresses.lists, "load the list", m_model.batch * word);
        for (const auto& operation : s.operations) { write(operation); }
        move(arch::opcode::store, s.metrics, m_addresses.metrics, "store the metrics", metric_words * word);
        m_builder.add(arch::opcode::end);
        m_program.commands.push_back({m_phase, "end"});
        if (is_training()) {
            const auto rate = [&](step_constant c) { return tensor_part{s.constants, static_cast<std::uint64_t>(c)}; };
            vector({opcode::mul,
                    rate(step_constant::minus_rate),
                    rate(step_constant::minus_rate),
                    rate(step_constant::rate_decay),
                    {},
                    1},
                   "decay of the rate");
            move(arch::opcode::store, s.constants, m_addresses.constants, "store the constants");
            move(arch::opcode::store, s.masters, m_addresses.masters, "store the parameters");
            move_moments(arch::opcode::store, "store ");
        }
        m_program.bytes = m_builder.bytes();
        return std::move(m_program);
    }

private:
    static constexpr std::uint64_t word = sizeof(float);

    bool is_training() const { return m_step.gradients != 0; }

    void add(arch::command_code code, std::uint16_t flags, const std::vector<std::uint8_t>& payload,
             const std::string& what)
    {
        m_builder.add(code, flags, static_cast<std::uint32_t>(m_program.commands.size()), payload);
        m_program.commands.push_back({m_phase, what});
    }

    std::uint64_t local_address(std::size_t tensor) const
    {
        const auto type = m_step.tensors[tensor].type;
        return arch::fetta::row_address(m_geometry, type, 0, 0) + m_places[tensor];
    }

    // Of a whole tensor; in a loop the address on the bus advances by `step` bytes.
    void move(arch::opcode code, std::size_t tensor, std::uint64_t address, const std::string& what,
              std::uint64_t step = 0)
    {
        const auto& t = m_step.tensors[tensor];
        arch::transfer_command c;
        c.tensor = arch::dense_descriptor(address, t.type, {static_cast<std::uint32_t>(t.elements)});
        c.local = local_address(tensor);
        c.tensor_step = {static_cast<std::int64_t>(step), 0};
        add(code, 0, c.encode(), what);
    }

    void move_moments(arch::opcode code, const std::string& what)
    {
        for (std::size_t m = 0; m < m_step.moments.size(); ++m) {
            move(code, m_step.moments[m], m_addresses.moments[m], what + m_step.tensors[m_step.moments[m]].name);
        }
    }

    void write(const step_operation& operation)
    {
        m_phase = operation.phase;
        std::visit([&](const auto& work) { this->operate(work, operation.what); }, operation.work);
    }

    void operate(const gather_operation& work, const std::string& what)
    {
        const auto& t = m_step.tensors[work.result];
        const auto samples = static_cast<std::uint32_t>(m_model.batch);
        arch::gather_command c;
        c.tensor =
            arch::dense_descriptor(work.field == batch_field::features ? m_addresses.features : m_addresses.labels,
                                   t.type, {samples, static_cast<std::uint32_t>(t.elements / samples)});
        c.list = local_address(m_step.list);
        c.local = local_address(work.result);
        add(arch::opcode::gather, 0, c.encode(), what);
    }

    void operate(const contract_operation& work, const std::string& what)
    {
        const auto& of = m_contractions.layers[work.layer];
        const auto& c = of.graph.contractions[work.contraction];
        const auto& choice = of.layouts.choice[work.contraction];
        const auto& layouts = of.layouts.layout;
        contract_command command = command_of(of.graph, choice, {&layouts[c.a], &layouts[c.b], &layouts[c.result]},
                                              m_step.tensors[work.result.tensor].type == element_type::bf16);
        const auto base_of = [&](arch::fetta::operand_role role) {
            const auto which = tensor_of(choice.mapping, role);
            const auto& part = which == contraction_tensor::a   ? work.a
                               : which == contraction_tensor::b ? work.b
                                                                : work.result;
            const std::uint64_t bytes = arch::element_bytes(m_step.tensors[part.tensor].type);
            return static_cast<std::uint32_t>(m_places[part.tensor] / bytes + part.offset);
        };
        command.ia.base = base_of(arch::fetta::operand_role::ia);
        command.ib.base = base_of(arch::fetta::operand_role::ib);
        command.result.base = base_of(arch::fetta::operand_role::result);
        add(arch::fetta::opcode::contract, command.flags, command.encode(), what);
    }

    std::uint32_t word_address(const tensor_part& part) const
    {
        return static_cast<std::uint32_t>(m_places[part.tensor] + part.offset * word);
    }

    void operate(const vector_operation& work, const std::string& what) { vector(work, what); }

    void vector(const vector_operation& work, const std::string& what)
    {
        arch::vector::vector_command c;
        c.length = static_cast<std::uint32_t>(work.length);
        c.block = static_cast<std::uint32_t>(work.block);
        if (work.broadcast_b) { c.flags |= arch::vector::vector_command::flag_broadcast_b; }
        if (work.a) { c.a.address = word_address(*work.a); }
        if (work.b) { c.b.address = word_address(*work.b); }
        if (work.c) { c.c.address = word_address(*work.c); }
        c.result.address = word_address(work.result);
        if (work.code == opcode::pack_bf16) { // rows of the window of 16-bit elements
            c.block = m_geometry.side;
            c.table = m_geometry.engines;
        }
        add(work.code, c.flags, c.encode(), what);
    }

    void clear(std::size_t tensor)
    {
        arch::vector::vector_command c;
        c.flags = arch::vector::vector_command::flag_zero_a;
        c.length = static_cast<std::uint32_t>(m_step.tensors[tensor].elements);
        c.b.address = c.result.address = word_address({tensor});
        add(opcode::mask, c.flags, c.encode(), "clear the " + m_step.tensors[tensor].name);
    }

    void operate(const repeat_operation& work, const std::string& what)
    {
        arch::vector::strided_command c;
        c.size = {1, static_cast<std::uint32_t>(work.samples), static_cast<std::uint32_t>(work.elements)};
        c.valid = c.size;
        c.result.address = word_address(work.result);
        c.result.stride = {0, static_cast<std::int32_t>(work.elements), 1};
        c.a.address = word_address(work.a);
        c.a.stride = {0, work.each ? 1 : 0, work.each ? 0 : 1};
        add(opcode::repl, 0, c.encode(), what);
    }

    const model_description& m_model;
    const model_contractions& m_contractions;
    const network_step& m_step;
    const arch::fetta::geometry& m_geometry;
    const model_addresses& m_addresses;
    std::vector<std::uint64_t> m_places;
    model_program m_program;
    arch::program_builder m_builder;
    step_phase m_phase = step_phase::fp;
};

} // namespace

model_addresses model_addresses_of(const model_description& model, const model_contractions& contractions,
                                   std::uint64_t samples, std::uint64_t batches, std::uint64_t base,
                                   std::uint64_t bytes)
{
    model_addresses a;
    std::uint64_t next = round_up(base, alignment);
    const auto take = [&next](std::uint64_t elements, element_type type) {
        const std::uint64_t at = next;
        next += round_up(elements * arch::element_bytes(type), alignment);
        return at;
    };
    a.masters = take(contractions.parameter_elements, element_type::f32);
    for (std::size_t m = 0; m < moments_of(model.optimizer.kind); ++m) {
        a.moments.push_back(take(contractions.parameter_elements, element_type::f32));
    }
    a.constants = take(step_constants, element_type::f32);
    a.ones = take(model.batch, element_type::bf16);
    a.features = take(samples * model.features(), element_type::bf16);
    a.labels = take(samples * model.classes(), element_type::f32);
    a.lists = take(batches * model.batch, element_type::f32);
    a.metrics = take(batches * metric_words, element_type::f32);
    a.end = next;
    if (next - base > bytes) {
        throw arch::input_error("model: found " + std::to_string(next - base) +
                                " bytes of data and parameters, expected at most the " + std::to_string(bytes) +
                                " of the memory");
    }
    return a;
}

model_program write_steps(const model_description& model, const model_contractions& contractions,
                          const network_step& step, const arch::fetta::geometry& g, const model_addresses& addresses,
                          std::uint64_t batches)
{
    return steps_writer(model, contractions, step, g, addresses).write(batches);
}

} // namespace tensorloom::workloads
