#include <tensorloom/workloads/step_planner/step_program.h>
#include <algorithm>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/workloads/step_planner/pass_places.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using fetta::contract_command;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr std::uint64_t block_alignment = 64; // of blocks: a beat of the widest bus
constexpr std::uint64_t tensor_alignment = 4096;

// Whether a tensor of blocks lies in memory on the bus.
bool is_on_bus(const step_plan& plan, std::size_t t)
{
    if (!plan.graph.is_batched(t)) { return false; }
    return plan.graph.maker(t) ? plan.graph.users(t).empty() || plan.stored[t] : plan.is_given_by_sample(t);
}

class step_writer {
public:
    step_writer(const step_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes) : m_plan(plan)
    {
        place_tensors(data_base, data_bytes);
    }

    step_program write()
    {
        const auto& first = m_plan.passes.front();
        if (!m_plan.list_by_block()) {
            load(m_program.addresses.list, m_plan.list_bytes() / sizeof(float), element_type::f32, first.list,
                 "load the list of samples");
        }
        if (!m_plan.cores_by_pass) {
            load(m_program.addresses.cores, m_plan.core_elements, element_type::bf16, first_core(first),
                 "load the cores");
        }
        for (m_pass = 0; m_pass < m_plan.passes.size(); ++m_pass) { write_pass(m_plan.passes[m_pass]); }
        if (m_plan.settings.training) { write_results(m_plan.passes.back()); }
        m_program.bytes = m_builder.bytes();
        return std::move(m_program);
    }

private:
    // Which block commands are for: the first of a loop over pairs, or one of a straight line.
    struct turn {
        std::uint64_t block = 0;
        bool looped = false;
        bool last = false;
        bool first = false; // in a line of its own: sums begin
        std::uint64_t slice = 0;
    };

    void place_tensors(std::uint64_t base, std::uint64_t bytes)
    {
        const std::size_t tensors = m_plan.graph.tensors.size();
        auto& a = m_program.addresses;
        a.tensor.resize(tensors);
        a.block_bytes.resize(tensors);
        std::uint64_t next = round_up(base, tensor_alignment);
        const auto take = [&next](std::uint64_t size) {
            const std::uint64_t at = next;
            next += round_up(size, tensor_alignment);
            return at;
        };
        const auto take_bundle = [&](element_type type) {
            return take(m_plan.core_elements * base::element_bytes(type));
        };
        a.list = take(m_plan.list_bytes());
        a.cores = take_bundle(element_type::bf16);
        for (const std::size_t core : m_plan.cores()) {
            a.tensor[core] = a.cores + m_plan.core_offset[core] * base::element_bytes(element_type::bf16);
        }
        for (std::size_t t = 0; t < tensors; ++t) {
            if (!is_on_bus(m_plan, t)) { continue; }
            if (m_plan.is_given_by_sample(t)) {
                const std::uint64_t sample = m_plan.sample_elements(t) * base::element_bytes(m_plan.type_of(t));
                a.block_bytes[t] = round_up(sample, block_alignment);
                a.tensor[t] = take(a.block_bytes[t] * m_plan.samples());
                continue;
            }
            a.block_bytes[t] = round_up(m_plan.bytes_of(t), block_alignment);
            a.tensor[t] = take(a.block_bytes[t] * m_plan.blocks);
        }
        for (std::size_t t = 0; t < tensors; ++t) {
            if (m_plan.is_stored_by_slice(t) && !m_plan.is_core_gradient(t)) {
                a.tensor[t] = take(m_plan.operand_bytes(t));
            }
        }
        if (m_plan.settings.training && m_plan.settings.update) {
            a.masters = take_bundle(element_type::f32);
            a.rate = take(sizeof(float));
        }
        if (m_plan.settings.training && (!m_plan.settings.update || m_plan.gradients_in_memory())) {
            a.gradients = take_bundle(element_type::f32);
            for (const std::size_t core : m_plan.cores()) {
                const std::size_t gradient = *m_plan.graph.gradient(core);
                a.tensor[gradient] = gradient_address(gradient);
            }
        }
        a.end = next;
        if (next - base > bytes) {
            base::refuse("network", std::to_string(next - base) + " bytes of tensors",
                         "at most the " + std::to_string(bytes) + " of the memory");
        }
    }

    std::uint64_t first_core(const step_pass& pass) const { return pass.place[m_plan.cores().front()].byte[0]; }
    std::uint64_t first_gradient(const step_pass& pass) const
    {
        return pass.place[*m_plan.graph.gradient(m_plan.cores().front())].byte[0];
    }

    std::uint64_t address_of(std::size_t tensor, std::uint64_t block) const
    {
        return m_program.addresses.tensor[tensor] + block * m_program.addresses.block_bytes[tensor];
    }

    // ---- commands ----

    void add(isa::command_code code, std::uint16_t flags, const std::vector<std::uint8_t>& payload,
             const std::string& what)
    {
        m_builder.add(code, flags, 0, payload);
        m_program.commands.push_back({m_phase, what});
    }

    void add_transfer(isa::opcode code, const isa::transfer_command& c, const std::string& what)
    {
        add(code, 0, c.encode(), what);
    }

    isa::transfer_command transfer(std::uint64_t address, std::uint64_t elements, element_type type,
                                   std::uint64_t byte) const
    {
        isa::transfer_command c;
        c.tensor = isa::dense_descriptor(address, type, {static_cast<std::uint32_t>(elements)});
        c.local = fetta::row_address(m_plan.limits, type, 0, 0) + byte;
        return c;
    }

    void load(std::uint64_t address, std::uint64_t elements, element_type type, std::uint64_t byte,
              const std::string& what)
    {
        add_transfer(isa::opcode::load, transfer(address, elements, type, byte), what);
    }

    void loop(std::uint64_t count)
    {
        add(isa::opcode::loop, 0, isa::loop_command{static_cast<std::uint32_t>(count)}.encode(),
            "loop over " + std::to_string(count));
    }

    void end()
    {
        m_builder.add(isa::opcode::end);
        m_program.commands.push_back({m_phase, "end"});
    }

    // Of a block: numbers of its samples.
    std::uint64_t block_list_bytes() const { return m_plan.list_bytes() / m_plan.blocks; }
    std::uint64_t list_place(const step_pass& pass) const
    {
        return fetta::row_address(m_plan.limits, element_type::f32, 0, 0) + pass.list;
    }

    void load_list(const step_pass& pass, const turn& at, std::uint64_t block)
    {
        auto c = transfer(m_program.addresses.list + block * block_list_bytes(), block_list_bytes() / sizeof(float),
                          element_type::f32, pass.list);
        const auto step = static_cast<std::int64_t>(block_list_bytes());
        if (at.looped) { c.tensor_step = {step, 2 * step}; }
        add_transfer(isa::opcode::load, c, "load the list of a block");
    }

    // X or dY of a block's samples; behind the list of the block where it comes first.
    void gather(const step_pass& pass, std::size_t tensor, const turn& at, std::uint64_t block)
    {
        const auto& place = pass.place[tensor];
        const auto type = m_plan.type_of(tensor);
        const auto first = std::find_if(pass.loads.begin(), pass.loads.end(),
                                        [&](const auto& t) { return m_plan.is_given_by_sample(t.tensor); });
        const bool by_block = m_plan.list_by_block();
        if (by_block && first->tensor == tensor) { load_list(pass, at, block); }
        const auto samples = static_cast<std::uint32_t>(m_plan.block_graph.modes[m_plan.graph.batch].size);
        const auto elements = static_cast<std::uint32_t>(m_plan.sample_elements(tensor));
        isa::gather_command c;
        c.tensor = isa::dense_descriptor(m_program.addresses.tensor[tensor], type, {samples, elements});
        c.tensor.stride[0] =
            static_cast<std::int64_t>(m_program.addresses.block_bytes[tensor] / base::element_bytes(type));
        c.list = list_place(pass) + (by_block ? 0 : block * block_list_bytes());
        c.local = fetta::row_address(m_plan.limits, type, 0, 0) + place.byte[block % 2];
        if (at.looped) {
            const auto step = static_cast<std::int64_t>(block_list_bytes());
            if (!by_block) { c.list_step = {step, 2 * step}; }
            c.local_step = {to_other(place, block), 0};
        }
        add(isa::opcode::gather, 0, c.encode(), "gather " + m_plan.graph.tensors[tensor].name);
    }

    // Of the block of a turn or, `ahead`, of the one behind it.
    void move(const step_pass& pass, isa::opcode code, std::size_t tensor, const turn& at, bool ahead)
    {
        const auto& place = pass.place[tensor];
        const std::uint64_t block = at.block + (ahead ? 1 : 0);
        if (m_plan.is_given_by_sample(tensor)) { return gather(pass, tensor, at, block); }
        auto c = transfer(address_of(tensor, block), m_plan.layouts.layout[tensor].span, m_plan.type_of(tensor),
                          place.byte[block % 2]);
        if (at.looped) {
            const auto bytes = static_cast<std::int64_t>(m_program.addresses.block_bytes[tensor]);
            c.tensor_step = {bytes, 2 * bytes};
            c.local_step = {to_other(place, block), 0};
        }
        add_transfer(code, c, (code == isa::opcode::load ? "load " : "store ") + m_plan.graph.tensors[tensor].name);
    }

    // What of the step a transfer is for, in a pass that has several: what first makes or uses the tensor.
    step_phase phase_of(const step_pass& pass, std::size_t tensor) const
    {
        const auto& graph = m_plan.graph;
        for (const std::size_t c : pass.body) {
            const auto& of = graph.contractions[c];
            if (of.a != tensor && of.b != tensor && of.result != tensor) { continue; }
            return of.phase == step_phase::fp && !m_plan.is_made_again(m_pass, c) ? step_phase::fp : step_phase::bp;
        }
        return step_phase::bp;
    }

    static std::int64_t to_other(const chip_place& place, std::uint64_t block)
    {
        return static_cast<std::int64_t>(place.byte[1 - block % 2]) - static_cast<std::int64_t>(place.byte[block % 2]);
    }

    void contract(const step_pass& pass, std::size_t contraction, const turn& at, bool in_loop)
    {
        const auto& graph = m_plan.block_graph;
        const auto& of = graph.contractions[contraction];
        const auto& layouts = m_plan.layouts.layout;
        const auto& choice = m_plan.layouts.choice[contraction];
        const bool added = m_plan.added[contraction] && in_loop;
        contract_command c = command_of(graph, choice, {&layouts[of.a], &layouts[of.b], &layouts[of.result]},
                                        m_plan.type_of(of.result) == element_type::bf16 && !added);
        const auto set_place = [&](fetta::operand_role role, fetta::contract_operand& o) {
            const auto tensor = tensor_of(choice.mapping, role);
            const std::size_t t = tensor == contraction_tensor::a   ? of.a
                                  : tensor == contraction_tensor::b ? of.b
                                                                    : of.result;
            const auto bytes = static_cast<std::int64_t>(base::element_bytes(m_plan.type_of(t)));
            // A base counts elements, or of a banked operand rows of every bank.
            const auto& g = m_plan.limits;
            const auto unit = choice.banked[static_cast<unsigned>(role)] ? bytes * g.side * g.engines : bytes;
            o.base = static_cast<std::uint32_t>(pass.place[t].byte[at.block % 2] / static_cast<std::uint64_t>(unit));
            if (at.looped) { o.step[0] = static_cast<std::int32_t>(to_other(pass.place[t], at.block) / unit); }
            if (of.sliced && t != of.result) {
                o.base += static_cast<std::uint32_t>(at.slice * layouts[t].stride_of(*of.sliced));
            }
        };
        set_place(fetta::operand_role::ia, c.ia);
        set_place(fetta::operand_role::ib, c.ib);
        set_place(fetta::operand_role::result, c.result);
        if (added) {
            const std::uint64_t unit =
                sizeof(float) * (choice.banked[2] ? m_plan.limits.side * m_plan.limits.engines : 1);
            c.result.base = static_cast<std::uint32_t>(pass.addend[of.result].byte[0] / unit);
            c.result.step = {};
        }
        if (const auto row = m_plan.kept_row[contraction]; row && in_loop) {
            if (!at.first) { c.flags |= contract_command::flag_accumulate; }
            c.accumulator_row = *row;
            if (!at.last) {
                c.result = place_of_kept_sums(c.result);
                c.flags |= contract_command::flag_keep;
                c.flags &= static_cast<std::uint16_t>(
                    ~(contract_command::flag_store_bf16 | contract_command::flag_linear_result));
            }
        }
        m_phase = m_plan.is_made_again(m_pass, contraction) ? step_phase::bp : of.phase;
        add(fetta::opcode::contract, c.flags, c.encode(),
            "contract " + graph.tensors[of.a].name + "." + graph.tensors[of.b].name);
    }

    // The sums of a block to those of the blocks before.
    void add_sums(const step_pass& pass, std::size_t contraction)
    {
        if (!m_plan.added[contraction]) { return; }
        const auto& of = m_plan.graph.contractions[contraction];
        m_phase = m_plan.is_made_again(m_pass, contraction) ? step_phase::bp : of.phase;
        vector(isa::vector::opcode::add, sum_of(pass, of.result), pass.addend[of.result].byte[0],
               sum_of(pass, of.result), m_plan.elements_of(of.result), "add " + m_plan.graph.tensors[of.result].name);
    }

    // What the vector unit makes, of words of the float32 window: z of a and b.
    void vector(isa::vector::opcode code, std::uint64_t a, std::uint64_t b, std::uint64_t z, std::uint64_t length,
                const std::string& what, std::uint16_t flags = 0)
    {
        isa::vector::vector_command c;
        c.flags = flags;
        c.length = static_cast<std::uint32_t>(length);
        c.a.address = static_cast<std::uint32_t>(a);
        c.b.address = static_cast<std::uint32_t>(b);
        c.result.address = static_cast<std::uint32_t>(z);
        if (code == isa::vector::opcode::pack_bf16) { // rows of the window of 16-bit elements
            c.block = m_plan.limits.side;
            c.table = m_plan.limits.engines;
        }
        add(code, flags, c.encode(), what);
    }

    std::uint64_t sum_of(const step_pass& pass, std::size_t tensor) const
    {
        return (m_plan.type_of(tensor) == element_type::f32 ? pass.place : pass.sum)[tensor].byte[0];
    }

    // Sums of the vector unit: 0 ahead of the loop, and bf16 behind it where they are operands.
    void begin_sums(const step_pass& pass)
    {
        for (const std::size_t c : pass.body) {
            if (!m_plan.added[c]) { continue; }
            const std::size_t t = m_plan.graph.contractions[c].result;
            vector(isa::vector::opcode::mask, 0, sum_of(pass, t), sum_of(pass, t), m_plan.elements_of(t),
                   "clear " + m_plan.graph.tensors[t].name, isa::vector::vector_command::flag_zero_a);
        }
    }

    void end_sums(const step_pass& pass)
    {
        for (const std::size_t c : pass.body) {
            const std::size_t t = m_plan.graph.contractions[c].result;
            if (!m_plan.added[c] || m_plan.type_of(t) == element_type::f32) { continue; }
            vector(isa::vector::opcode::pack_bf16, pass.sum[t].byte[0], 0, pass.place[t].byte[0], m_plan.elements_of(t),
                   "round " + m_plan.graph.tensors[t].name);
        }
    }

    // ---- passes ----

    void write_body(const step_pass& pass, const turn& at)
    {
        for (std::size_t k = 0; k < pass.body.size(); ++k) {
            contract(pass, pass.body[k], at, true);
            for (const auto& t : pass.loads) {
                if (t.behind != k || at.last) { continue; }
                m_phase = phase_of(pass, t.tensor);
                move(pass, isa::opcode::load, t.tensor, at, true);
            }
            for (const auto& t : pass.stores) {
                if (t.behind != k) { continue; }
                m_phase = phase_of(pass, t.tensor);
                move(pass, isa::opcode::store, t.tensor, at, false);
            }
            add_sums(pass, pass.body[k]); // waits for the CONTRACT: transfers go ahead of it
        }
    }

    void write_pass(const step_pass& pass)
    {
        for (const std::size_t t : m_plan.loaded_first(pass)) {
            m_phase = m_plan.graph.contractions[(pass.body.empty() ? pass.before : pass.body).front()].phase;
            load(m_program.addresses.tensor[t], m_plan.layouts.layout[t].span, m_plan.type_of(t), pass.place[t].byte[0],
                 "load " + m_plan.graph.tensors[t].name);
        }
        for (std::uint64_t slice = 0; slice < pass.slices; ++slice) {
            for (const std::size_t c : pass.before) {
                contract(pass, c, {0, false, false, false, slice}, false);
                store_sums(pass, c, slice);
            }
            if (!pass.body.empty()) { write_loop(pass, slice); }
        }
        for (const std::size_t c : pass.after) {
            contract(pass, c, {}, false);
            store_sums(pass, c, 0);
        }
    }

    // Over the batch.
    void write_loop(const step_pass& pass, std::uint64_t slice)
    {
        m_phase = pass.is_backward ? step_phase::bp : step_phase::fp;
        begin_sums(pass);
        for (const auto& t : pass.loads) {
            m_phase = phase_of(pass, t.tensor);
            move(pass, isa::opcode::load, t.tensor, {}, false);
        }
        // Accumulators are 0 in the first pass that keeps sums; in others the first block does not add to them.
        const bool begins = m_plan.residency == step_residency::spill && m_plan.blocks > 1;
        if (begins) { write_body(pass, {0, false, false, true, slice}); }
        const std::uint64_t first = begins ? 1 : 0;
        const std::uint64_t looped = (m_plan.blocks - 1 - first) / 2 * 2;
        if (looped != 0) {
            loop(looped / 2);
            loop(2);
            write_body(pass, {first, true, false, false, slice});
            end();
            end();
        }
        for (std::uint64_t b = first + looped; b < m_plan.blocks; ++b) {
            write_body(pass, {b, false, b + 1 == m_plan.blocks, false, slice});
        }
        end_sums(pass);
        for (const std::size_t c : pass.body) { store_sums(pass, c, slice); }
    }

    std::uint64_t gradient_address(std::size_t gradient) const
    {
        const std::size_t core = *m_plan.graph.tensors[gradient].gradient_of;
        return m_program.addresses.gradients + m_plan.core_offset[core] * base::element_bytes(element_type::f32);
    }

    // A result that is the same for all samples, if it does not stay on chip.
    void store_sums(const step_pass& pass, std::size_t contraction, std::uint64_t slice)
    {
        const std::size_t t = m_plan.graph.contractions[contraction].result;
        if (!m_plan.is_stored_by_slice(t)) { return; }
        m_phase = m_plan.graph.contractions[contraction].phase;
        const std::uint64_t address = m_program.addresses.tensor[t] + slice * m_plan.bytes_of(t);
        add_transfer(isa::opcode::store,
                     transfer(address, m_plan.elements_of(t), m_plan.type_of(t), pass.place[t].byte[0]),
                     "store " + m_plan.graph.tensors[t].name);
    }

    // Gradients to memory, or new cores of them: master += rate x gradient, then the bf16 copy.
    void write_results(const step_pass& pass)
    {
        const auto& addresses = m_program.addresses;
        const std::uint64_t elements = m_plan.core_elements;
        const bool pieces = m_plan.gradients_in_memory();
        const auto store = [&](std::uint64_t address, std::uint64_t count, element_type type, std::uint64_t byte,
                               const std::string& what) {
            add_transfer(isa::opcode::store, transfer(address, count, type, byte), what);
        };
        if (!m_plan.settings.update) {
            m_phase = step_phase::wg;
            if (!pieces) {
                store(addresses.gradients, elements, element_type::f32, first_gradient(pass), "store the gradients");
            }
            return;
        }
        m_phase = step_phase::update;
        load(addresses.rate, 1, element_type::f32, pass.rate, "load the rate");
        const std::uint64_t piece = pieces ? update_piece(m_plan.limits) : elements;
        for (std::uint64_t first = 0, p = 0; first < elements; first += piece, p = 1 - p) {
            const std::uint64_t count = std::min(piece, elements - first), at = first * sizeof(float);
            const std::uint64_t masters = pass.masters[p];
            const std::uint64_t gradients = pieces ? pass.gradients[p] : first_gradient(pass);
            load(addresses.masters + at, count, element_type::f32, masters, "load the masters");
            if (pieces) { load(addresses.gradients + at, count, element_type::f32, gradients, "load the gradients"); }
            isa::vector::vector_command step;
            step.length = static_cast<std::uint32_t>(count);
            step.a.address = static_cast<std::uint32_t>(masters);
            step.b.address = static_cast<std::uint32_t>(gradients);
            step.c.address = static_cast<std::uint32_t>(pass.rate);
            step.result.address = step.a.address;
            add(isa::vector::opcode::mul_add, 0, step.encode(), "update the masters");
            const std::uint64_t core_at = first * base::element_bytes(element_type::bf16);
            const std::uint64_t core = m_plan.cores_by_pass ? pass.copies[p] : first_core(pass) + core_at;
            vector(isa::vector::opcode::pack_bf16, masters, 0, core, count, "round the masters");
            store(addresses.masters + at, count, element_type::f32, masters, "store the masters");
            if (m_plan.cores_by_pass) {
                store(addresses.cores + core_at, count, element_type::bf16, core, "store the cores");
            }
        }
        if (!m_plan.cores_by_pass) {
            store(addresses.cores, elements, element_type::bf16, first_core(pass), "store the cores");
        }
    }

    const step_plan& m_plan;
    step_program m_program;
    isa::program_builder m_builder;
    step_phase m_phase = step_phase::fp;
    std::size_t m_pass = 0;
};

} // namespace

step_program write_step(const step_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes)
{
    return step_writer(plan, data_base, data_bytes).write();
}

} // namespace tensorloom::workloads
