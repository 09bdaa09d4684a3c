#include <tensorloom/workloads/contraction/permutation.h>
#include <algorithm>
#include <array>
#include <numeric>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/isa/vector/costs.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/workloads/contraction/block_transfers.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using fetta::device_limits;
using fetta::event;
using sizes = std::vector<std::uint64_t>;

constexpr std::uint64_t word_bytes = sizeof(float);
constexpr std::size_t most_replicated = 3; // modes of a REPL
constexpr std::uint64_t sampled_groups = 16;

std::uint64_t product(const sizes& s)
{
    return std::accumulate(s.begin(), s.end(), std::uint64_t{1}, std::multiplies<>());
}

std::vector<permuted_mode> normalised(std::vector<permuted_mode> modes)
{
    modes.erase(std::remove_if(modes.begin(), modes.end(), [](const permuted_mode& m) { return m.size == 1; }),
                modes.end());
    std::stable_sort(modes.begin(), modes.end(), [](const auto& x, const auto& y) { return x.to > y.to; });
    std::vector<permuted_mode> result;
    for (const permuted_mode& m : modes) {
        const auto size = static_cast<std::int64_t>(m.size);
        const bool continues =
            !result.empty() && result.back().from == m.from * size && result.back().to == m.to * size;
        if (continues) {
            result.back() = {result.back().size * m.size, m.from, m.to};
        } else {
            result.push_back(m);
        }
    }
    if (result.empty()) { result.push_back({1, 1, 1}); }
    return result;
}

// Modes of the source, outermost first, as places in the target's order.
std::vector<std::size_t> source_order(const std::vector<permuted_mode>& modes)
{
    std::vector<std::size_t> order(modes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return modes[x].from > modes[y].from; });
    return order;
}

std::vector<std::size_t> target_order(const std::vector<permuted_mode>& modes)
{
    std::vector<std::size_t> order(modes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

// Strides of a block that lies dense in an order, with so many elements left free behind its last modes.
sizes strides_in(const std::vector<std::size_t>& order, const sizes& block, std::size_t padded = 0,
                 std::uint64_t padding = 0)
{
    sizes stride(block.size());
    std::uint64_t next = 1;
    std::size_t done = 0;
    for (auto m = order.rbegin(); m != order.rend(); ++m) {
        stride[*m] = next;
        next *= block[*m];
        if (++done == padded) { next += padding; }
    }
    return stride;
}

std::uint64_t span_of(const sizes& block, const sizes& stride)
{
    std::uint64_t last = 0;
    for (std::size_t m = 0; m < block.size(); ++m) { last += (block[m] - 1) * stride[m]; }
    return last + 1;
}

// A part of a block along the outermost mode of an order.
struct mode_part {
    std::uint64_t first = 0, size = 1;
};
std::vector<mode_part> parts_of(std::uint64_t size, std::uint64_t count)
{
    std::vector<mode_part> parts;
    const std::uint64_t each = (size + count - 1) / count;
    for (std::uint64_t first = 0; first < size; first += each) {
        parts.push_back({first, std::min(each, size - first)});
    }
    return parts;
}

// What is done with a block on chip: where its pieces lie, and the strides of both orders.
//
//     bf16     [ packed source | words | pitch or target | packed target ]    words again as target behind a pitch
//     f32      [ source | pitch or target ]
class block_on_chip {
public:
    block_on_chip(const device_limits& g, const permutation_plan& plan, element_type type, const sizes& block)
        : m_granule(std::uint64_t{4} * g.side * g.engines), m_packed(type == element_type::bf16), m_block(block),
          m_source(source_order(plan.modes)), m_target(target_order(plan.modes)), m_pitched(plan.padded_modes != 0)
    {
        source_stride = strides_in(m_source, block);
        pitched_stride = strides_in(m_source, block, plan.padded_modes, plan.padding);
        target_stride = strides_in(m_target, block);
        loads = parts_of(block[m_source.front()], plan.loads);
        stores = parts_of(block[m_target.front()], plan.stores);
        std::uint64_t next = 0;
        const auto take = [&](std::uint64_t size) {
            const std::uint64_t at = next;
            next += round_up(size);
            return at;
        };
        const std::uint64_t elements = product(block);
        if (m_packed) { m_first_packed = take(loads.size() * packed_bytes(loads, m_source.front())); }
        words = take(elements * word_bytes);
        const std::uint64_t other = take(span_of(block, pitched_stride) * word_bytes);
        gathered = m_pitched ? other : words;
        ordered = m_pitched ? words : other;
        if (m_packed) { m_last_packed = take(stores.size() * packed_bytes(stores, m_target.front())); }
        bytes = next;
    }

    const std::vector<std::size_t>& source() const { return m_source; }
    const std::vector<std::size_t>& target() const { return m_target; }
    bool is_packed() const { return m_packed; }
    bool is_pitched() const { return m_pitched; }
    std::uint64_t elements_per(const std::vector<std::size_t>& order) const
    {
        return product(m_block) / m_block[order.front()];
    }
    std::uint64_t packed_load(std::size_t which) const
    {
        return m_first_packed + which * packed_bytes(loads, m_source.front());
    }
    std::uint64_t packed_store(std::size_t which) const
    {
        return m_last_packed + which * packed_bytes(stores, m_target.front());
    }

    sizes source_stride, pitched_stride, target_stride; // in words
    std::vector<mode_part> loads, stores;
    std::uint64_t words = 0, gathered = 0, ordered = 0; // bytes: as loaded, as the last REPL reads and writes
    std::uint64_t bytes = 0;

private:
    std::uint64_t round_up(std::uint64_t n) const { return (n + m_granule - 1) / m_granule * m_granule; }
    // The largest of the pieces, which lie so far apart.
    std::uint64_t packed_bytes(const std::vector<mode_part>& parts, std::size_t mode) const
    {
        return round_up(parts.front().size * (product(m_block) / m_block[mode]) * 2);
    }

    std::uint64_t m_granule;
    bool m_packed;
    sizes m_block;
    std::vector<std::size_t> m_source, m_target;
    bool m_pitched;
    std::uint64_t m_first_packed = 0, m_last_packed = 0;
};

// A REPL: words from neighbour to neighbour along up to three modes.
struct copied {
    std::array<std::uint64_t, 3> size{{1, 1, 1}}, from{}, to{};

    std::uint64_t words() const { return size[0] * size[1] * size[2]; }
};

// The copy of a block to its pitch: one run of words between gaps, and the runs.
copied to_pitch(const permutation_plan& plan, const sizes& block, const block_on_chip& chip, const mode_part& of)
{
    copied c;
    const auto& order = chip.source();
    std::uint64_t inner = 1;
    for (std::size_t m = 0; m < plan.padded_modes; ++m) { inner *= block[order[order.size() - 1 - m]]; }
    c.size = {1, of.size * chip.elements_per(order) / inner, inner};
    c.from = {0, inner, 1};
    c.to = {0, inner + plan.padding, 1};
    return c;
}

// The copy to the order of the target, with every mode outside of a REPL at its first digit.
copied to_target(const permutation_plan& plan, const sizes& block, const block_on_chip& chip, const mode_part& of)
{
    copied c;
    std::size_t at = most_replicated - plan.replicated.size();
    for (const std::size_t m : plan.replicated) {
        c.size[at] = m == chip.target().front() ? of.size : block[m];
        c.from[at] = chip.pitched_stride[m];
        c.to[at++] = chip.target_stride[m];
    }
    return c;
}

// Calls f(words behind the first one of the source, of the target) for each REPL of a part.
template <class F>
void for_each_copy(const permutation_plan& plan, const sizes& block, const block_on_chip& chip, const mode_part& of,
                   F f)
{
    sizes outside;
    std::vector<std::size_t> modes;
    for (std::size_t m = 0; m < block.size(); ++m) {
        if (std::find(plan.replicated.begin(), plan.replicated.end(), m) != plan.replicated.end()) { continue; }
        modes.push_back(m);
        outside.push_back(m == chip.target().front() ? of.size : block[m]);
    }
    const std::size_t first = chip.target().front();
    for (std::uint64_t i = 0, end = product(outside); i < end; ++i) {
        std::uint64_t rest = i, from = of.first * chip.pitched_stride[first], to = of.first * chip.target_stride[first];
        for (std::size_t m = modes.size(); m-- > 0; rest /= outside[m]) {
            from += rest % outside[m] * chip.pitched_stride[modes[m]];
            to += rest % outside[m] * chip.target_stride[modes[m]];
        }
        f(from, to);
    }
}

// ---- estimates ----

constexpr auto cost_of(isa::vector::opcode code)
{
    return isa::vector::default_vector_costs()[isa::vector::instruction_index(code)];
}

// Of a REPL; conflicts from a few groups of lanes.
double repl_cycles(const copied& c, const device_limits& g, unsigned lanes)
{
    const std::uint64_t banks = std::uint64_t{g.engines} * g.side, groups = (c.words() + lanes - 1) / lanes;
    const std::uint64_t sampled = std::min(groups, sampled_groups);
    std::uint64_t waited = 0;
    for (std::uint64_t s = 0; s < sampled; ++s) {
        std::vector<std::uint64_t> reads(banks), writes(banks);
        std::uint64_t most_read = 1, most_written = 1;
        const std::uint64_t first = s * groups / sampled * lanes;
        for (std::uint64_t i = first; i < std::min(c.words(), first + lanes); ++i) {
            const std::array<std::uint64_t, 3> digit{i / c.size[2] / c.size[1], i / c.size[2] % c.size[1],
                                                     i % c.size[2]};
            std::uint64_t from = 0, to = 0;
            for (unsigned m = 0; m < 3; ++m) {
                from += digit[m] * c.from[m];
                to += digit[m] * c.to[m];
            }
            most_read = std::max(most_read, ++reads[from % banks]);
            most_written = std::max(most_written, ++writes[to % banks]);
        }
        waited += most_read + most_written - 2;
    }
    return static_cast<double>(groups) * (1 + static_cast<double>(waited) / static_cast<double>(sampled)) +
           cost_of(isa::vector::opcode::repl).depth;
}

double conversion_cycles(std::uint64_t elements, unsigned lanes)
{
    return static_cast<double>((elements + lanes - 1) / lanes) + cost_of(isa::vector::opcode::pack_bf16).depth;
}

std::vector<memory_mode> modes_of(const permutation_plan& plan, const std::vector<std::size_t>& order,
                                  const sizes& block, bool source, std::optional<mode_part> of = std::nullopt)
{
    std::vector<memory_mode> modes;
    for (std::size_t m = 0; m < order.size(); ++m) {
        const auto& mode = plan.modes[order[m]];
        modes.push_back({m == 0 && of ? of->size : block[order[m]], source ? mode.from : mode.to});
    }
    return modes;
}

// Of one block, the largest, and how many there are of its size.
class way_estimate {
public:
    way_estimate(const device_limits& g, const reordering_settings& s, element_type type) : m_g(g), m_s(s), m_type(type)
    {}

    void by_transfers(permutation_plan& plan) const
    {
        sizes whole;
        for (const auto& m : plan.modes) { whole.push_back(m.size); }
        plan.way = permutation_way::transfers;
        plan.block = whole;
        for (std::size_t m = 0; product(plan.block) > m_g.elements(m_type); ++m) { // outer modes digit by digit
            const std::uint64_t inner = product(plan.block) / plan.block[m];
            plan.block[m] = std::max<std::uint64_t>(1, m_g.elements(m_type) / inner);
        }
        const auto order = target_order(plan.modes);
        plan.cycles = move(plan, order, {whole, true}) + move(plan, order, {whole, false});
    }

    // Nothing where no block fits.
    std::optional<permutation_plan> by_vector_unit(const permutation_plan& of) const
    {
        permutation_plan plan = of;
        plan.way = permutation_way::vector_unit;
        plan.block.clear();
        for (const auto& m : plan.modes) { plan.block.push_back(m.size); }
        while (!choose_copies(plan)) {
            if (!halve(plan)) { return std::nullopt; }
        }
        std::optional<permutation_plan> best;
        for (const std::uint64_t loads : {1, 2, 4}) {
            for (const std::uint64_t stores : {1, 2, 4}) {
                permutation_plan next = plan;
                next.loads = loads;
                next.stores = stores;
                const block_on_chip chip(m_g, next, m_type, next.block);
                if (chip.bytes > m_g.memory_bytes()) { continue; }
                price(next, chip);
                if (!best || next.cycles < best->cycles) { best = next; }
            }
        }
        return best;
    }

private:
    struct moved {
        const sizes& block;
        bool source;
        std::optional<mode_part> of = std::nullopt;
    };

    // The cycles of a LOAD or STORE; its bytes go to the traffic, so many times.
    double move(permutation_plan& plan, const std::vector<std::size_t>& order, const moved& what,
                std::uint64_t times = 1) const
    {
        const auto d = descriptor_of(0, m_type, modes_of(plan, order, what.block, what.source, what.of));
        const std::uint64_t bytes = d.elements() * base::element_bytes(m_type);
        const auto accesses = accesses_of(d, m_s.memory, !what.source);
        const std::uint64_t charged = m_s.memory.charged_bytes(bytes, accesses);
        (what.source ? plan.traffic.loaded : plan.traffic.stored) += times * bytes;
        (what.source ? plan.traffic.read : plan.traffic.written) += times * charged;
        return m_s.memory.cycles(bytes, accesses);
    }

    // Pitch and modes of a REPL that take the fewest cycles. False when the block does not fit.
    bool choose_copies(permutation_plan& plan) const
    {
        const std::uint64_t words = product(plan.block);
        if (words > m_g.memory_bytes() / (2 * word_bytes)) { return false; }
        const std::uint64_t banks = std::uint64_t{m_g.engines} * m_g.side;
        std::optional<double> least;
        permutation_plan best = plan;
        for (const auto& replicated : replications(plan)) {
            for (std::size_t padded = 0; padded < plan.modes.size(); ++padded) {
                for (std::uint64_t padding = 1; padding < banks; padding *= 2) {
                    permutation_plan next = plan;
                    next.replicated = replicated;
                    next.padded_modes = padded;
                    next.padding = padded == 0 ? 0 : padding;
                    const block_on_chip chip(m_g, next, m_type, next.block);
                    if (chip.bytes <= m_g.memory_bytes()) {
                        const double cycles = work_in(next, chip) + work_out(next, chip);
                        if (!least || cycles < *least) {
                            least = cycles;
                            best = next;
                        }
                    }
                    if (padded == 0) { break; }
                }
            }
        }
        plan = best;
        return least.has_value();
    }

    // The fastest three modes of the target, or the largest three.
    static std::vector<std::vector<std::size_t>> replications(const permutation_plan& plan)
    {
        auto all = target_order(plan.modes);
        if (all.size() <= most_replicated) { return {all}; }
        const std::vector<std::size_t> fastest(all.end() - most_replicated, all.end());
        std::stable_sort(all.begin(), all.end(), [&](auto x, auto y) { return plan.block[x] > plan.block[y]; });
        all.resize(most_replicated);
        std::sort(all.begin(), all.end());
        return all == fastest ? std::vector<std::vector<std::size_t>>{all}
                              : std::vector<std::vector<std::size_t>>{fastest, all};
    }

    // Halves the mode that leaves the longest runs on both sides; false when nothing is left to halve.
    static bool halve(permutation_plan& plan)
    {
        std::optional<std::size_t> best;
        std::uint64_t longest = 0;
        for (std::size_t m = 0; m < plan.block.size(); ++m) {
            if (plan.block[m] == 1) { continue; }
            sizes next = plan.block;
            next[m] = (next[m] + 1) / 2;
            const std::uint64_t run =
                std::min(run_of(plan, source_order(plan.modes), next), run_of(plan, target_order(plan.modes), next));
            if (!best || run > longest) {
                best = m;
                longest = run;
            }
        }
        if (best) { plan.block[*best] = (plan.block[*best] + 1) / 2; }
        return best.has_value();
    }

    // Elements of a run of a block, where whole modes continue each other.
    static std::uint64_t run_of(const permutation_plan& plan, const std::vector<std::size_t>& order, const sizes& block)
    {
        std::uint64_t run = 1;
        for (auto m = order.rbegin(); m != order.rend(); ++m) {
            run *= block[*m];
            if (block[*m] != plan.modes[*m].size) { break; }
        }
        return run;
    }

    double work_in(const permutation_plan& plan, const block_on_chip& chip) const
    {
        double cycles = 0;
        for (const mode_part& p : chip.loads) {
            const std::uint64_t words = p.size * chip.elements_per(chip.source());
            if (chip.is_packed()) { cycles += conversion_cycles(words, m_s.lanes); }
            if (chip.is_pitched()) { cycles += repl_cycles(to_pitch(plan, plan.block, chip, p), m_g, m_s.lanes); }
        }
        return cycles;
    }

    double work_out(const permutation_plan& plan, const block_on_chip& chip) const
    {
        double cycles = 0;
        for (const mode_part& p : chip.stores) {
            const copied c = to_target(plan, plan.block, chip, p);
            const std::uint64_t words = p.size * chip.elements_per(chip.target());
            const std::uint64_t copies = words / c.words();
            const double fetch = static_cast<double>(vector_bytes) / m_s.memory.bytes_per_cycle;
            cycles += static_cast<double>(copies) * (repl_cycles(c, m_g, m_s.lanes) + fetch);
            if (chip.is_packed()) { cycles += conversion_cycles(words, m_s.lanes); }
        }
        return cycles;
    }

    // All blocks are taken for as large as the first.
    void price(permutation_plan& plan, const block_on_chip& chip) const
    {
        std::uint64_t blocks = 1;
        for (std::size_t m = 0; m < plan.block.size(); ++m) {
            blocks *= (plan.modes[m].size + plan.block[m] - 1) / plan.block[m];
        }
        plan.traffic = {};
        double load = 0, store = 0;
        for (const mode_part& p : chip.loads) { load += move(plan, chip.source(), {plan.block, true, p}, blocks); }
        for (const mode_part& p : chip.stores) { store += move(plan, chip.target(), {plan.block, false, p}, blocks); }
        const double in = work_in(plan, chip), out = work_out(plan, chip);
        const auto beside = [&](double x, double y, std::size_t pieces) {
            return m_s.overlap ? std::max(x, y) + std::min(x, y) / static_cast<double>(pieces) : x + y;
        };
        const std::size_t commands = chip.loads.size() * (chip.is_pitched() ? 3 : 2) + 2 * chip.stores.size();
        const double fetch = static_cast<double>(commands * vector_bytes) / m_s.memory.bytes_per_cycle;
        plan.cycles = static_cast<double>(blocks) *
                      (beside(load, in, chip.loads.size()) + beside(store, out, chip.stores.size()) + fetch);
        std::uint64_t words = 1;
        for (const auto& m : plan.modes) { words *= m.size; }
        const std::uint64_t passes = 1 + (chip.is_pitched() ? 1 : 0), converted = chip.is_packed() ? words : 0;
        plan.counts = {};
        plan.counts[event::vector_op] = passes * words + 2 * converted;
        plan.counts[event::vector_word_read] = plan.counts[event::vector_word_write] =
            passes * words + converted * 3 / 2;
    }

    // Of the estimate: about what a command has.
    static constexpr std::uint64_t vector_bytes =
        isa::command_header::encoded_bytes + isa::vector::strided_command::payload_bytes;

    const device_limits& m_g;
    const reordering_settings& m_s;
    element_type m_type;
};

// ---- commands ----

isa::vector::strided_command repl_of(const copied& c, std::uint64_t from, std::uint64_t to)
{
    isa::vector::strided_command r;
    r.a.address = static_cast<std::uint32_t>(from);
    r.result.address = static_cast<std::uint32_t>(to);
    for (unsigned m = 0; m < 3; ++m) {
        r.a.stride[m] = static_cast<std::int32_t>(c.from[m]);
        r.result.stride[m] = static_cast<std::int32_t>(c.to[m]);
        r.size[m] = r.valid[m] = static_cast<std::uint32_t>(c.size[m]);
    }
    return r;
}

void write_conversion(program_writer& writer, const device_limits& g, isa::vector::opcode code, std::uint64_t from,
                      std::uint64_t to, std::uint64_t elements, const std::string& what)
{
    isa::vector::vector_command c;
    c.length = static_cast<std::uint32_t>(elements);
    c.block = g.side; // rows of the window of 16-bit elements
    c.table = g.engines;
    c.a.address = static_cast<std::uint32_t>(from);
    c.result.address = static_cast<std::uint32_t>(to);
    writer.vector(code, c, what);
}

// A block whose first element is at these addresses.
void write_block(program_writer& writer, const device_limits& g, const permutation_plan& plan, element_type type,
                 std::uint64_t from, std::uint64_t to, const sizes& block, const std::string& what)
{
    const std::uint64_t bytes = base::element_bytes(type);
    if (plan.way == permutation_way::transfers) {
        const auto order = target_order(plan.modes);
        writer.load(descriptor_of(from, type, modes_of(plan, order, block, true)), 0, "collect " + what);
        writer.store(descriptor_of(to, type, modes_of(plan, order, block, false)), 0, "store " + what);
        return;
    }
    const block_on_chip chip(g, plan, type, block);
    const auto& source = chip.source();
    const auto& target = chip.target();
    const auto at_digit = [&](std::uint64_t address, std::uint64_t digit, std::int64_t stride) {
        return address + digit * static_cast<std::uint64_t>(stride) * bytes;
    };
    for (std::size_t i = 0; i < chip.loads.size(); ++i) {
        const mode_part& p = chip.loads[i];
        const std::uint64_t words = p.size * chip.elements_per(source);
        const std::uint64_t first = chip.words + p.first * chip.elements_per(source) * word_bytes;
        writer.load(descriptor_of(at_digit(from, p.first, plan.modes[source.front()].from), type,
                                  modes_of(plan, source, block, true, p)),
                    chip.is_packed() ? chip.packed_load(i) : first, "load " + what);
        if (chip.is_packed()) {
            write_conversion(writer, g, isa::vector::opcode::unpack_bf16, chip.packed_load(i), first, words,
                             "unpack " + what);
        }
        if (!chip.is_pitched()) { continue; }
        writer.repl(repl_of(to_pitch(plan, block, chip, p), first,
                            chip.gathered + p.first * chip.pitched_stride[source.front()] * word_bytes),
                    "space " + what);
    }
    for (std::size_t i = 0; i < chip.stores.size(); ++i) {
        const mode_part& p = chip.stores[i];
        const std::uint64_t words = p.size * chip.elements_per(target);
        const std::uint64_t first = chip.ordered + p.first * chip.elements_per(target) * word_bytes;
        for_each_copy(plan, block, chip, p, [&](std::uint64_t words_from, std::uint64_t words_to) {
            writer.repl(repl_of(to_target(plan, block, chip, p), chip.gathered + words_from * word_bytes,
                                chip.ordered + words_to * word_bytes),
                        "permute " + what);
        });
        if (chip.is_packed()) {
            write_conversion(writer, g, isa::vector::opcode::pack_bf16, first, chip.packed_store(i), words,
                             "pack " + what);
        }
        writer.store(descriptor_of(at_digit(to, p.first, plan.modes[target.front()].to), type,
                                   modes_of(plan, target, block, false, p)),
                     chip.is_packed() ? chip.packed_store(i) : first, "store " + what);
    }
}

} // namespace

const permutation_plan& permutation_planner::plan(element_type type, const std::vector<permuted_mode>& modes)
{
    permutation_plan found;
    found.modes = normalised(modes);
    std::vector<std::int64_t> key{static_cast<std::int64_t>(type)};
    for (const auto& m : found.modes) { key.insert(key.end(), {static_cast<std::int64_t>(m.size), m.from, m.to}); }
    const auto [known, is_new] = m_known.try_emplace(std::move(key));
    if (!is_new) { return known->second; }
    const way_estimate estimate(m_limits, m_settings, type);
    const auto by_vector = m_settings.way == permutation_way::transfers ? std::nullopt : estimate.by_vector_unit(found);
    estimate.by_transfers(found);
    const bool only_vector = m_settings.way == permutation_way::vector_unit;
    known->second = by_vector && (only_vector || by_vector->cycles < found.cycles) ? *by_vector : found;
    return known->second;
}

void write_permutation(program_writer& writer, const device_limits& g, const permutation_plan& plan, element_type type,
                       std::uint64_t from, std::uint64_t to, const std::string& what)
{
    sizes blocks;
    for (std::size_t m = 0; m < plan.block.size(); ++m) {
        blocks.push_back((plan.modes[m].size + plan.block[m] - 1) / plan.block[m]);
    }
    for (std::uint64_t b = 0, end = product(blocks); b < end; ++b) {
        sizes block = plan.block;
        std::int64_t from_first = 0, to_first = 0;
        std::uint64_t rest = b;
        for (std::size_t m = blocks.size(); m-- > 0; rest /= blocks[m]) {
            const std::uint64_t first = rest % blocks[m] * plan.block[m];
            block[m] = std::min(block[m], plan.modes[m].size - first);
            from_first += static_cast<std::int64_t>(first) * plan.modes[m].from;
            to_first += static_cast<std::int64_t>(first) * plan.modes[m].to;
        }
        const std::uint64_t bytes = base::element_bytes(type);
        write_block(writer, g, plan, type, from + static_cast<std::uint64_t>(from_first) * bytes,
                    to + static_cast<std::uint64_t>(to_first) * bytes, block, what);
        writer.may_cut();
    }
}

} // namespace tensorloom::workloads
