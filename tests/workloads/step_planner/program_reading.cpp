#include "workloads/step_planner/program_reading.h"
#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include "support/reference_failure.h"
#include "support/reference_program.h"

namespace tensorloom::test {
namespace {

using fetta::contract_command;
using fetta::contract_operand;

[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error(what); }

void demand(bool condition, const std::string& what)
{
    if (!condition) { refuse(what); }
}

constexpr std::uint64_t bf16_bytes = 2, f32_bytes = 4;

// What lies at a byte of the unified memory.
struct chip_tensor {
    std::string name;
    std::optional<std::uint64_t> block;          // which one of a tensor of blocks
    std::map<std::string, std::uint64_t> stride; // in elements
    std::uint64_t element_bytes = bf16_bytes;
    std::uint64_t elements = 1;        // from the first to the last
    std::vector<std::uint64_t> summed; // blocks, in their order, of what is summed over the batch
    bool is_partial = false;           // the sum of one block, which the vector unit is to add
};

const std::string updated = "new ", cleared = "zeros";

bool begins_with(const std::string& text, const std::string& beginning)
{
    return text.compare(0, beginning.size(), beginning) == 0;
}

using digits = std::vector<std::string>; // modes of a flat index, last fastest

class step_reader : public reference_executor {
public:
    step_reader(const step_definition& step, std::uint64_t samples, const std::vector<bus_tensor>& on_bus,
                const fetta::device_limits& limits)
        : m_step(step), m_samples(samples), m_on_bus(on_bus), m_limits(limits)
    {}

    std::map<std::string, order_of_sums> orders;

    // Numbers of the list stand for places in the batch: what samples the host has put there is its business.
    std::vector<std::uint32_t> list(std::uint64_t local, std::uint32_t entries) override
    {
        const auto& found = on_chip(local % m_limits.memory_bytes(), "a GATHER");
        demand(found.name == list_of_samples && entries == m_samples, "a GATHER by " + found.name);
        std::vector<std::uint32_t> numbers;
        for (std::uint32_t e = 0; e < entries; ++e) {
            numbers.push_back(static_cast<std::uint32_t>(*found.block * m_samples) + e);
        }
        return numbers;
    }

    void transfer(bool load, const isa::transfer_command& c, const std::vector<std::uint32_t>& slices) override
    {
        if (!slices.empty()) { return gather(c, slices); }
        demand(c.tensor.order == 1 && c.tensor.stride[0] == 1, "a transfer that is not contiguous");
        const std::uint64_t bytes = c.bytes(), local = c.local % m_limits.memory_bytes();
        const std::uint64_t element_bytes = base::element_bytes(static_cast<base::element_type>(c.tensor.type));
        if (load) { clear(local, bytes / element_bytes, element_bytes); }
        for (const auto& t : m_on_bus) {
            for (std::uint64_t block = 0; block < blocks_of(t); ++block) {
                const std::uint64_t address = t.address + block * t.block_bytes;
                if (address < c.tensor.base || address >= c.tensor.base + bytes) { continue; }
                const std::uint64_t at = local + (address - c.tensor.base);
                chip_tensor moved;
                moved.name = t.name;
                moved.stride = t.stride;
                moved.element_bytes = element_bytes;
                if (t.block_bytes != 0) { moved.block = block; }
                if (load) {
                    put(at, moved);
                    continue;
                }
                const auto& found = on_chip(at, "a STORE");
                const bool is_new = begins_with(t.name, master_of) || is_core(t.name);
                demand(found.name == (is_new ? updated : "") + t.name && found.block == moved.block &&
                           found.element_bytes == moved.element_bytes && !found.is_partial,
                       found.name + " is stored where " + t.name + " belongs");
                demand(found.stride == moved.stride, found.name + " does not lie as the host is told");
                demand(found.summed.empty() || is_whole(found), found.name + " is stored before it is summed");
            }
        }
    }

    void execute(const reference_command& command, const isa::loop_indices& iteration) override
    {
        if (command.header.opcode == static_cast<std::uint8_t>(fetta::opcode::contract)) {
            return contract(
                contract_command::decode(command.header.flags, command.payload(contract_command::payload_bytes))
                    .at(iteration));
        }
        using namespace isa::vector;
        const auto* instruction = find_instruction(command.header.opcode);
        demand(instruction != nullptr && instruction->payload == payload_kind::vector, "an unknown opcode");
        vector(
            instruction->code,
            vector_command::decode(command.header.flags, command.payload(vector_command::payload_bytes)).at(iteration));
    }

private:
    // Samples of a block, one behind the other.
    void gather(const isa::transfer_command& c, const std::vector<std::uint32_t>& slices)
    {
        const auto& tensor = c.tensor;
        const auto t =
            std::find_if(m_on_bus.begin(), m_on_bus.end(), [&](const auto& of) { return of.address == tensor.base; });
        demand(t != m_on_bus.end(), "a GATHER of what the host knows nothing of");
        const std::uint64_t element_bytes = base::element_bytes(static_cast<base::element_type>(tensor.type));
        demand(tensor.order == 2 && tensor.stride[1] == 1 &&
                   static_cast<std::uint64_t>(tensor.stride[0]) * element_bytes == t->block_bytes,
               "samples of " + t->name + " do not lie as the host is told");
        const auto batch_stride = t->stride.find(m_step.batch);
        demand(batch_stride == t->stride.end() || batch_stride->second == tensor.size[1],
               "samples of " + t->name + " are not as large as they lie");
        const std::uint64_t local = c.local % m_limits.memory_bytes();
        clear(local, c.bytes() / element_bytes, element_bytes);
        chip_tensor moved;
        moved.name = t->name;
        moved.stride = t->stride;
        moved.element_bytes = element_bytes;
        moved.block = slices.front() / m_samples;
        put(local, moved);
    }

    std::uint64_t batch() const { return m_step.size(m_step.batch); }
    std::uint64_t blocks() const { return batch() / m_samples; }
    std::uint64_t blocks_of(const bus_tensor& t) const { return t.block_bytes != 0 ? blocks() : 1; }
    std::uint64_t size_in_block(const std::string& mode) const
    {
        return mode == m_step.batch ? m_samples : m_step.size(mode);
    }
    bool is_batched(const std::string& tensor) const { return m_step.has(tensor, m_step.batch); }

    const chip_tensor& on_chip(std::uint64_t byte, const std::string& who) const
    {
        const auto found = m_chip.find(byte);
        if (found == m_chip.end()) { refuse(who + " takes what nobody has put at byte " + std::to_string(byte)); }
        return found->second;
    }

    std::uint64_t span_of(const chip_tensor& t) const
    {
        std::uint64_t last = 0;
        for (const auto& [mode, stride] : t.stride) { last += (size_in_block(mode) - 1) * stride; }
        return last + 1;
    }

    // Whatever lies there is gone. The windows of 16 and 32 bits have the same bytes in whole blocks of rows alone.
    void clear(std::uint64_t byte, std::uint64_t elements, std::uint64_t element_bytes)
    {
        const std::uint64_t block = std::uint64_t{m_limits.engines} * m_limits.side * f32_bytes;
        for (auto other = m_chip.begin(); other != m_chip.end();) {
            const auto& t = other->second;
            const std::uint64_t unit = t.element_bytes == element_bytes ? 1 : block;
            const auto is_before = [unit](std::uint64_t x_end, std::uint64_t y_first) {
                return (x_end + unit - 1) / unit <= y_first / unit;
            };
            const bool is_apart = is_before(byte + elements * element_bytes, other->first) ||
                                  is_before(other->first + t.elements * t.element_bytes, byte);
            other = is_apart ? std::next(other) : m_chip.erase(other);
        }
    }

    void put(std::uint64_t byte, chip_tensor t)
    {
        if (t.name != cleared) { t.elements = span_of(t); }
        clear(byte, t.elements, t.element_bytes);
        m_chip[byte] = std::move(t);
    }

    bool is_core(const std::string& name) const
    {
        return std::find(m_step.cores.begin(), m_step.cores.end(), name) != m_step.cores.end();
    }
    bool is_core_gradient(const std::string& name) const { return begins_with(name, "d") && is_core(name.substr(1)); }

    bool is_whole(const chip_tensor& t) const
    {
        for (std::size_t b = 0; b < t.summed.size(); ++b) {
            if (t.summed[b] != b) { return false; }
        }
        return t.summed.size() == blocks();
    }

    // Modes of a group of a linear operand by their strides in a tensor.
    digits digits_of(const chip_tensor& t, const contract_operand& o, unsigned group) const
    {
        unsigned first = 0;
        for (unsigned g = 0; g < group; ++g) { first += o.modes[g]; }
        digits all;
        for (unsigned m = first + o.modes[group]; m-- > first;) { // the fastest first
            std::uint64_t left = o.mode[m].size;
            auto stride = static_cast<std::uint64_t>(o.mode[m].stride);
            while (left > 1) {
                const auto at = std::find_if(t.stride.begin(), t.stride.end(),
                                             [&](const auto& mode) { return mode.second == stride; });
                demand(at != t.stride.end(), t.name + " has no mode of stride " + std::to_string(stride));
                const std::uint64_t size = size_in_block(at->first);
                demand(left % size == 0, "part of mode " + at->first + " of " + t.name);
                all.push_back(at->first);
                left /= size;
                stride *= size;
            }
        }
        std::reverse(all.begin(), all.end());
        return all;
    }

    // Strides of a result whose group has these digits.
    void put_strides(chip_tensor& t, const contract_operand& o, unsigned group, digits modes) const
    {
        unsigned first = 0;
        for (unsigned g = 0; g < group; ++g) { first += o.modes[g]; }
        for (unsigned m = first + o.modes[group]; m-- > first;) {
            std::uint64_t left = o.mode[m].size;
            auto stride = static_cast<std::uint64_t>(o.mode[m].stride);
            while (left > 1) {
                demand(!modes.empty(), t.name + " has more indices than its operands");
                const std::uint64_t size = size_in_block(modes.back());
                demand(left % size == 0, "part of mode " + modes.back() + " of " + t.name);
                t.stride[modes.back()] = stride;
                left /= size;
                stride *= size;
                modes.pop_back();
            }
        }
        demand(modes.empty(), t.name + " lacks mode " + (modes.empty() ? "" : modes.back()));
    }

    // Modes of more than one index that the definition has in these of the three tensors.
    std::set<std::string> defined(const step_definition::contraction& c, bool in_a, bool in_b, bool in_result) const
    {
        std::set<std::string> all;
        for (const auto& [mode, size] : m_step.network.sizes) {
            if (size_in_block(mode) == 1) { continue; }
            if (m_step.has(c.a, mode) == in_a && m_step.has(c.b, mode) == in_b &&
                m_step.has(c.result, mode) == in_result) {
                all.insert(mode);
            }
        }
        return all;
    }

    static void demand_same(const digits& found, const std::set<std::string>& expected, const std::string& where)
    {
        demand(std::set<std::string>(found.begin(), found.end()) == expected && found.size() == expected.size(),
               "other modes than expected in the " + where);
    }

    void contract(const contract_command& c)
    {
        constexpr auto linear = contract_command::flag_linear_ia | contract_command::flag_linear_ib;
        const bool keeps = c.has(contract_command::flag_keep), goes_on = c.has(contract_command::flag_accumulate);
        demand((c.flags & linear) == linear && (keeps || c.has(contract_command::flag_linear_result)),
               "an operand that is not linear");
        const auto ia = on_chip(c.ia.base * bf16_bytes, "IA"), ib = on_chip(c.ib.base * bf16_bytes, "IB");
        const auto which = std::find_if(m_step.contractions.begin(), m_step.contractions.end(), [&](const auto& d) {
            return (d.a == ia.name && d.b == ib.name) || (d.a == ib.name && d.b == ia.name);
        });
        const auto name = ia.name + "." + ib.name;
        demand(which != m_step.contractions.end(), name + " is no contraction of the step");
        step_definition::contraction of = *which;
        if (of.a != ia.name) { std::swap(of.a, of.b); } // A is IA from here on
        for (const auto* t : {&ia, &ib}) {
            demand(!t->is_partial && (t->summed.empty() || is_whole(*t)), t->name + " is taken before it is summed");
            demand(is_batched(t->name) == t->block.has_value(), t->name + " is not of a block");
        }
        demand(!ia.block || !ib.block || *ia.block == *ib.block, name + " of two blocks");

        order_of_sums order;
        order.output_stationary = fetta::is_output_stationary(c.mapped());
        for (auto mask = c.mask_contracted; mask != 0; mask /= 2) { order.parts *= mask % 2 == 0 ? 1 : 2; }
        order.contracted = digits_of(ia, c.ia, 1);
        demand(order.contracted == digits_of(ib, c.ib, 1), name + " has its contracted modes in two orders");
        demand_same(order.contracted, defined(of, true, true, false), "contracted index of " + name);
        const auto batch_modes = digits_of(ia, c.ia, 0), free_a = digits_of(ia, c.ia, 2),
                   free_b = digits_of(ib, c.ib, 2);
        demand(batch_modes == digits_of(ib, c.ib, 0), name + " has its batch modes in two orders");
        demand_same(batch_modes, defined(of, true, true, true), "batch index of " + name);
        demand_same(free_a, defined(of, true, false, true), "free index of " + of.a);
        demand_same(free_b, defined(of, false, true, true), "free index of " + of.b);

        const bool sums_batch = is_batched(of.a) && is_batched(of.b) && !is_batched(of.result);
        chip_tensor result;
        result.name = of.result;
        if (is_batched(of.result)) { result.block = ia.block ? ia.block : ib.block; }
        if (sums_batch) { result.summed = {*ia.block}; }
        auto& chain = m_accumulators[c.accumulator_row];
        if (goes_on || keeps) {
            order.across = order_of_sums::blocks::in_accumulators;
            demand(sums_batch, name + " goes on from sums");
            if (!goes_on) { chain.clear(); }
            demand(chain.empty() || chain.front().first == of.result, name + " goes on from other sums");
            chain.emplace_back(of.result, *ia.block);
        }
        if (keeps) { return note(of.result, order); }
        if (goes_on) {
            result.summed.clear();
            for (const auto& [of_result, block] : chain) { result.summed.push_back(block); }
            chain.clear();
        } else if (sums_batch && blocks() > 1) {
            order.across = order_of_sums::blocks::by_vector_unit;
            result.is_partial = true;
        }
        note(of.result, order);
        put_strides(result, c.result, 0, batch_modes);
        put_strides(result, c.result, 1, free_a);
        put_strides(result, c.result, 2, free_b);
        const bool narrow = c.has(contract_command::flag_store_bf16);
        demand(narrow == (!is_core_gradient(of.result) && !result.is_partial), of.result + " has another type");
        result.element_bytes = narrow ? bf16_bytes : f32_bytes;
        put(c.result.base * result.element_bytes, result);
    }

    void note(const std::string& result, const order_of_sums& order)
    {
        const auto [known, is_new] = orders.emplace(result, order);
        demand(is_new || known->second == order, result + " is summed in two orders");
    }

    void vector(isa::vector::opcode code, const isa::vector::vector_command& c)
    {
        using isa::vector::opcode;
        if (code == opcode::mask) {
            demand(c.zero_a(), "a mask of something");
            chip_tensor zeros;
            zeros.name = cleared;
            zeros.element_bytes = f32_bytes;
            zeros.elements = c.length;
            return put(c.result.address, zeros);
        }
        if (code == opcode::add) { return add(c); }
        demand(code == opcode::pack_bf16 || code == opcode::mul_add, "an instruction that no step needs");
        std::map<std::uint64_t, chip_tensor> made; // of every tensor that begins in these words
        const std::uint64_t end = c.a.address + std::uint64_t{c.length} * f32_bytes;
        for (auto t = m_chip.lower_bound(c.a.address); t != m_chip.end() && t->first < end; ++t) {
            const std::uint64_t offset = t->first - c.a.address;
            if (code == opcode::mul_add) {
                const auto& gradient = on_chip(c.b.address + offset, "an update");
                made[c.result.address + offset] =
                    updated_master(t->second, gradient, on_chip(c.c.address, "an update"));
            } else {
                made[c.result.address + offset / 2] = rounded(t->second);
            }
        }
        demand(!made.empty(), "an instruction of nothing");
        const bool packs = code == opcode::pack_bf16;
        clear(c.result.address, c.length, packs ? bf16_bytes : f32_bytes);
        for (const auto& [at, t] : made) { put(at, t); }
    }

    void add(const isa::vector::vector_command& c)
    {
        const auto part = on_chip(c.b.address, "an ADD");
        auto sum = on_chip(c.a.address, "an ADD");
        demand(part.is_partial && c.a.address == c.result.address, "an ADD of other than a sum and its addend");
        demand(sum.name == cleared || sum.name == part.name, part.name + " is added to " + sum.name);
        demand(c.length >= part.elements, "part of " + part.name + " is added");
        sum.name = part.name;
        sum.stride = part.stride;
        sum.summed.push_back(part.summed.front());
        put(c.a.address, sum);
    }

    chip_tensor updated_master(chip_tensor master, const chip_tensor& gradient, const chip_tensor& rate) const
    {
        demand(rate.name == "rate", "an update without a rate");
        demand(is_core_gradient(gradient.name) && master.name == master_of + gradient.name.substr(1) &&
                   is_ready(gradient),
               master.name + " is updated by " + gradient.name);
        demand(gradient.stride == master.stride, gradient.name + " does not lie as its master");
        master.name = updated + master.name;
        return master;
    }

    chip_tensor rounded(chip_tensor t) const
    {
        const bool is_master = begins_with(t.name, updated + master_of);
        demand(t.element_bytes == f32_bytes && is_ready(t) && !is_core_gradient(t.name), t.name + " is rounded");
        demand(is_master || !t.summed.empty(), t.name + " is rounded");
        if (is_master) { t.name = updated + t.name.substr((updated + master_of).size()); }
        t.summed.clear();
        t.element_bytes = bf16_bytes;
        return t;
    }

    bool is_ready(const chip_tensor& t) const { return !t.is_partial && (t.summed.empty() || is_whole(t)); }

    const step_definition& m_step;
    std::uint64_t m_samples;
    const std::vector<bus_tensor>& m_on_bus;
    const fetta::device_limits& m_limits;
    std::map<std::uint64_t, chip_tensor> m_chip;                                                // by byte
    std::map<std::uint32_t, std::vector<std::pair<std::string, std::uint64_t>>> m_accumulators; // by first row
};

} // namespace

std::map<std::string, order_of_sums> read_step_program(const std::vector<std::uint8_t>& program,
                                                       const step_definition& step, std::uint64_t samples,
                                                       const std::vector<bus_tensor>& on_bus,
                                                       const fetta::device_limits& limits)
{
    step_reader reader(step, samples, on_bus, limits);
    std::uint32_t command = 0;
    try {
        run_reference_program(program, reader, command);
    } catch (const reference_failure& failed) {
        refuse("command " + std::to_string(command) + ": " + failed.text);
    } catch (const std::runtime_error& failed) {
        refuse("command " + std::to_string(command) + ": " + failed.what());
    }
    for (const auto& c : step.contractions) { demand(reader.orders.count(c.result) != 0, c.result + " is never made"); }
    return reader.orders;
}

} // namespace tensorloom::test
