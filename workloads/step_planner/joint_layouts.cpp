#include <tensorloom/workloads/step_planner/joint_layouts.h>
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

using fetta::operand_role;

constexpr double slowest_of_best = 1.12; // of the closed form: what is slower is not looked at
constexpr std::size_t most_candidates = 48;
constexpr double slowest_banked = 4; // the same where the networks alone bring the operands
constexpr std::size_t most_banked = 256;
constexpr std::size_t most_permuted = 3; // modes of a group whose every order is tried
constexpr std::size_t orders_with_gaps = 6;
constexpr double worth_gaps = 2;   // orders that cost more than so many times the best get none
constexpr double rounding = 1e-12; // of sums of cycles
constexpr unsigned most_passes = 4;
constexpr double infinite = std::numeric_limits<double>::infinity();

using mode_orders = std::vector<std::vector<unsigned>>;
using engine_bits = std::array<command_index, command_indices>;

// A mapping and a split, with all ways to assign the bits of the engine's number.
struct candidate {
    contract_choice choice; // its bits are the first
    flat_extents extents;
    std::vector<engine_bits> bits; // at most 4! = 24: orders of the indices that are split
    stream_samples samples;        // whichever bits are whose
    /// By operand_role and bits, once they are asked for.
    std::array<std::vector<banked_forms>, 3> forms{};
};

struct found_choice {
    double cycles = infinite;
    contract_choice choice;
};

class layout_search {
public:
    explicit layout_search(const layout_request& r) : m_request(r), m_graph(r.graph)
    {
        for (std::size_t c = 0; c < m_graph.contractions.size(); ++c) { add_candidates(c); }
        m_layouts.resize(m_graph.tensors.size());
        m_chosen.resize(m_graph.tensors.size());
    }

    joint_layouts run()
    {
        std::vector<std::size_t> order(m_graph.tensors.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [this](auto x, auto y) { return m_graph.elements(x) > m_graph.elements(y); });
        bool better = true;
        for (unsigned pass = 0; pass < most_passes && better; ++pass) {
            better = false;
            for (const std::size_t t : order) {
                if (lying(t) == t) { better = choose(t) || better; }
            }
        }
        joint_layouts result;
        for (std::size_t t = 0; t < m_layouts.size(); ++t) {
            result.layout.push_back(m_layouts[lying(t)][*m_chosen[lying(t)]]);
        }
        for (std::size_t c = 0; c < m_graph.contractions.size(); ++c) {
            auto best = best_choice(c, infinite);
            if (to_networks()) { take_banked_forms(c, best.choice); }
            result.cycles += best.cycles * m_request.contractions[c].times;
            result.choice.push_back(std::move(best.choice));
        }
        return result;
    }

private:
    // The tensor that says how this one lies.
    std::size_t lying(std::size_t tensor) const { return m_request.tensors[tensor].lies_as.value_or(tensor); }

    bool uses(std::size_t contraction, std::size_t tensor) const
    {
        const auto& c = m_graph.contractions[contraction];
        return lying(c.a) == tensor || lying(c.b) == tensor || lying(c.result) == tensor;
    }

    // What was found so far will do. Counted, not timed: a plan is the same on every machine.
    bool is_long_enough() const { return m_work > m_request.most_work; }

    bool to_networks() const { return m_request.paths != operand_paths::gathered; }

    // Nothing: of more modes than a linear operand has, which only an operand that is not gathered may be.
    std::optional<fetta::contract_operand> operand_in(const operand_modes& modes, const mode_layout& layout) const
    {
        try {
            return linear_operand_of(m_graph, modes, layout);
        } catch (const base::input_error&) {
            if (m_request.paths == operand_paths::unbuffered) { return std::nullopt; }
            throw;
        }
    }

    banked_forms forms_of(const contract_choice& choice, const flat_extents& extents, operand_role role) const
    {
        return {command_of(extents, choice, false), role, m_request.limits, m_request.transpose_layer};
    }

    void take_banked_forms(std::size_t contraction, contract_choice& choice)
    {
        if (m_graph.contractions[contraction].sliced) { return; } // slices begin anywhere
        const auto extents = extents_of(m_graph, choice.groups);
        for (const auto role : fetta::operand_roles) {
            const std::size_t tensor = tensor_at(contraction, tensor_of(choice.mapping, role));
            const auto groups = operand_groups(choice.mapping, role);
            const operand_modes modes{&choice.groups[at(groups[0])], &choice.groups[at(groups[1])],
                                      &choice.groups[at(groups[2])]};
            if (const auto operand = operand_in(modes, layout_of(tensor))) {
                choice.banked[at(role)] = forms_of(choice, extents, role).of(*operand);
            }
        }
    }

    // What the choice of a layout is weighed with beyond the closed form: cycles of one stream for all orders of its
    // three groups, the last of which is fastest.
    struct stream_table {
        // Conflicts, known exactly or from below as far as they were asked for.
        struct entry {
            double cycles = 0;
            bool exact = false;
        };
        std::vector<entry> conflicts;
        double least = 0;        // of all conflicts, as far as they are known
        bool is_changed = false; // since `least` was computed
        double permuting = 0;    // beside the conflicts of what the networks do not bring
        /// By bits: whether the networks bring it, by order; empty where they bring none.
        std::vector<std::vector<bool>> banked;
        /// By bits: the bits with which the networks bring it in all orders in which they bring it with these.
        std::vector<std::uint32_t> as_good;

        double least_cycles(std::size_t bits)
        {
            if (is_banked(bits)) { return 0; }
            if (is_changed) {
                least = std::min_element(conflicts.begin(), conflicts.end(), [](const entry& x, const entry& y) {
                            return x.cycles < y.cycles;
                        })->cycles;
                is_changed = false;
            }
            return least + permuting;
        }

        bool is_banked(std::size_t bits) const { return !banked.empty() && !banked[bits].empty(); }
        bool is_open() const { return !conflicts.empty(); }
    };

    // The tables of one tensor of a contraction in one layout, by candidate.
    using stream_tables = std::vector<stream_table>;

    // A table in use: what it takes to compute more of it.
    struct open_table {
        operand_role role;
        std::size_t tensor;
        stream_table* table;
        std::array<contraction_index, 3> groups;
        std::array<const mode_orders*, 3> orders;
        std::array<std::size_t, contraction_indices> stride; // of entries, along each index
        const std::vector<bool>* banked;                     // by order; none: in no order
        std::optional<stream_conflicts> conflicts;

        std::size_t place(const std::array<std::size_t, contraction_indices>& i) const
        {
            return i[0] * stride[0] + i[1] * stride[1] + i[2] * stride[2] + i[3] * stride[3];
        }
        bool is_banked(std::size_t place) const { return banked != nullptr && (*banked)[place]; }
        // As far as they are known.
        double cycles(const std::array<std::size_t, contraction_indices>& i) const
        {
            const std::size_t p = place(i);
            return is_banked(p) ? 0 : table->conflicts[p].cycles + table->permuting;
        }
        bool is_exact(const std::array<std::size_t, contraction_indices>& i) const
        {
            const std::size_t p = place(i);
            return table->conflicts[p].exact || is_banked(p);
        }
        operand_modes modes(std::size_t first, std::size_t second, std::size_t third) const
        {
            return {&(*orders[0])[first], &(*orders[1])[second], &(*orders[2])[third]};
        }
    };

    // By bits: what tells whether the networks bring an operand or result of a candidate.
    const std::vector<banked_forms>& forms_of(candidate& c, operand_role role) const
    {
        auto& forms = c.forms[at(role)];
        for (auto choice = c.choice; forms.size() < c.bits.size();) {
            choice.bits = c.bits[forms.size()];
            forms.push_back(forms_of(choice, c.extents, role));
        }
        return forms;
    }

    // Of one group of a table, by its orders; nothing where the networks bring none, whatever the bits and other
    // groups.
    std::vector<std::optional<banked_forms::row_strides>> rows_of(const banked_forms& forms, const open_table& t,
                                                                  unsigned group)
    {
        const std::vector<unsigned> none;
        std::vector<std::optional<banked_forms::row_strides>> rows;
        for (const auto& order : *t.orders[group]) {
            m_work += std::uint64_t{m_request.limits.engines} * m_request.limits.side;
            operand_modes modes{&none, &none, &none};
            modes[group] = &order;
            const auto operand = operand_in(modes, layout_of(t.tensor));
            rows.push_back(operand ? forms.rows_of(*operand) : std::nullopt);
        }
        return rows;
    }

    // Finds in which orders the networks bring the operand of a table.
    void find_banked(candidate& c, const open_table& t)
    {
        stream_table& table = *t.table;
        const double lanes = m_request.limits.engines * m_request.limits.side;
        table.permuting = static_cast<double>(passes_to_permute * m_graph.elements(t.tensor)) / lanes;
        const auto& forms = forms_of(c, t.role);
        const std::array rows{rows_of(forms.front(), t, 0), rows_of(forms.front(), t, 1), rows_of(forms.front(), t, 2)};
        for (std::size_t place = 0; place < table.conflicts.size(); ++place) {
            const std::size_t third = place % rows[2].size(), second = place / rows[2].size() % rows[1].size();
            const std::size_t first = place / rows[2].size() / rows[1].size();
            if (!rows[0][first] || !rows[1][second] || !rows[2][third]) { continue; }
            const auto operand = operand_in(t.modes(first, second, third), layout_of(t.tensor));
            if (!operand) { continue; }
            const auto of_all = *rows[0][first] + *rows[1][second] + *rows[2][third];
            table.banked.resize(c.bits.size());
            for (std::size_t b = 0; b < c.bits.size(); ++b) {
                if (!forms[b].of(*operand, of_all)) { continue; }
                table.banked[b].resize(table.conflicts.size());
                table.banked[b][place] = true;
            }
        }
        if (table.banked.empty()) { return; }
        table.as_good.assign(c.bits.size(), 0);
        for (std::size_t b = 0; b < c.bits.size(); ++b) {
            for (std::size_t other = 0; other < c.bits.size(); ++other) {
                if (is_as_good(table.banked[other], table.banked[b])) { table.as_good[b] |= 1u << other; }
            }
        }
    }

    static bool is_as_good(const std::vector<bool>& x, const std::vector<bool>& than)
    {
        for (std::size_t place = 0; place < than.size(); ++place) {
            if (than[place] && (x.empty() || !x[place])) { return false; }
        }
        return true;
    }

    // Makes the conflicts of an entry exact below the limit, else at least that.
    void compute(const candidate& c, open_table& t, const std::array<std::size_t, contraction_indices>& i, double limit)
    {
        auto& known = t.table->conflicts[t.place(i)];
        t.table->is_changed = true;
        if (!t.conflicts) { t.conflicts.emplace(c.samples, m_graph, t.role, t.orders, layout_of(t.tensor)); }
        const std::uint64_t before = t.conflicts->work();
        known.cycles = t.conflicts->cycles({i[at(t.groups[0])], i[at(t.groups[1])], i[at(t.groups[2])]}, limit);
        known.exact = known.cycles < limit;
        m_work += t.conflicts->work() - before;
    }

    const mode_layout& layout_of(std::size_t tensor) const { return m_layouts[tensor][*m_chosen[tensor]]; }

    // The accumulators that it takes are its own.
    bool fits_accumulators(std::size_t contraction, const fetta::contract_command& c) const
    {
        const auto& of = m_request.contractions[contraction];
        if (of.is_kept) {
            auto kept = c;
            kept.flags |= fetta::contract_command::flag_keep;
            return fetta::rows_of_sums(kept, m_request.limits) <= of.accumulator_rows;
        }
        if (is_output_stationary(c.mapped())) { return m_request.limits.side <= of.accumulator_rows; }
        return fetta::loops_of(c, m_request.limits).pieces[0] <= of.accumulator_rows;
    }

    void add_candidates(std::size_t contraction)
    {
        const auto groups = groups_of(m_graph, contraction);
        const auto extents = extents_of(m_graph, groups);
        auto all = mapping_candidates(extents, m_request.limits, {}, {});
        std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.cycles < y.cycles; });
        std::vector<candidate> kept;
        std::size_t ways = 0; // to map, split and assign bits
        for (const auto& m : all) {
            const auto command = contract_of(extents, m.mapping, m.split, false);
            if (!fits_accumulators(contraction, command)) { continue; }
            const double slowest = to_networks() ? slowest_banked : slowest_of_best;
            const bool slow =
                !kept.empty() && static_cast<double>(m.cycles) > slowest * static_cast<double>(kept[0].choice.cycles);
            if (slow || ways >= (to_networks() ? most_banked : most_candidates)) { break; }
            contract_choice choice;
            choice.mapping = m.mapping;
            choice.split = m.split;
            choice.groups = groups;
            choice.cycles = m.cycles;
            auto bits = bits_of(m.split);
            choice.bits = bits.front();
            ways += bits.size();
            stream_samples samples(choice, extents, m_request.limits);
            kept.push_back({std::move(choice), extents, std::move(bits), std::move(samples)});
        }
        if (kept.empty()) {
            throw base::input_error("network: the sums of " +
                                    m_graph.tensors[m_graph.contractions[contraction].result].name +
                                    " need more accumulators than there are, expected at most " +
                                    std::to_string(m_request.limits.accumulator_rows()) + " rows");
        }
        m_candidates.push_back(std::move(kept));
        std::array<mode_orders, contraction_indices> orders;
        for (unsigned x = 0; x < contraction_indices; ++x) {
            auto modes = groups[x];
            std::sort(modes.begin(), modes.end());
            do {
                orders[x].push_back(modes);
            } while (modes.size() <= most_permuted && std::next_permutation(modes.begin(), modes.end()));
        }
        m_orders.push_back(std::move(orders));
    }

    // Whose bits of the engine's number may be which: all orders of the indices that are split.
    std::vector<engine_bits> bits_of(const engine_split& split) const
    {
        if (!to_networks()) { return {bits_of_contract}; }
        const std::uint32_t parts[] = {split.batch, split.contracted, split.ia_free, split.ib_free};
        std::vector<command_index> cut, whole;
        for (unsigned x = 0; x < command_indices; ++x) {
            (parts[x] > 1 ? cut : whole).push_back(static_cast<command_index>(x));
        }
        std::vector<engine_bits> all;
        do {
            engine_bits bits{};
            std::copy(whole.begin(), whole.end(), std::copy(cut.begin(), cut.end(), bits.begin()));
            all.push_back(bits);
        } while (std::next_permutation(cut.begin(), cut.end()));
        return all;
    }

    std::size_t tensor_at(std::size_t contraction, contraction_tensor t) const
    {
        const auto& c = m_graph.contractions[contraction];
        return lying(t == contraction_tensor::a ? c.a : t == contraction_tensor::b ? c.b : c.result);
    }

    static bool is_long(const mode_orders& orders) { return orders[0].size() > most_permuted; }

    // All orders of its groups that are looked at: of many modes those that its tensors have.
    std::array<mode_orders, contraction_indices> orders_of(std::size_t contraction) const
    {
        auto orders = m_orders[contraction];
        for (unsigned x = 0; x < contraction_indices; ++x) {
            if (!is_long(orders[x])) { continue; }
            const auto modes = orders[x][0];
            for (const auto t : {contraction_tensor::a, contraction_tensor::b, contraction_tensor::c}) {
                const std::size_t tensor = tensor_at(contraction, t);
                if (!m_chosen[tensor]) { continue; }
                std::vector<unsigned> order;
                for (const unsigned m : layout_of(tensor).order) {
                    if (std::find(modes.begin(), modes.end(), m) != modes.end()) { order.push_back(m); }
                }
                const bool known = std::find(orders[x].begin(), orders[x].end(), order) != orders[x].end();
                if (order.size() == modes.size() && !known) { orders[x].push_back(order); }
            }
        }
        return orders;
    }

    // The tables of a tensor of a contraction as it lies now; none if it has no layout yet.
    stream_tables* tables_of(std::size_t contraction, contraction_tensor t,
                             const std::array<mode_orders, contraction_indices>& orders)
    {
        const auto& layout = m_chosen[tensor_at(contraction, t)];
        if (!layout) { return nullptr; }
        std::vector<std::size_t> key{contraction, at(t), *layout};
        for (unsigned x = 0; x < contraction_indices; ++x) {
            if (!has_index(t, static_cast<contraction_index>(x)) || !is_long(orders[x])) { continue; }
            for (const auto& order : orders[x]) { key.insert(key.end(), order.begin(), order.end()); }
        }
        auto& tables = m_tables[std::move(key)];
        tables.resize(m_candidates[contraction].size());
        return &tables;
    }

    open_table opened(std::size_t contraction, std::size_t which, operand_role role, stream_tables& tables,
                      const std::array<mode_orders, contraction_indices>& orders)
    {
        candidate& c = m_candidates[contraction][which];
        const auto groups = operand_groups(c.choice.mapping, role);
        std::array<std::size_t, contraction_indices> stride{};
        std::size_t entries = 1;
        for (auto x = groups.rbegin(); x != groups.rend(); ++x) {
            stride[at(*x)] = entries;
            entries *= orders[at(*x)].size();
        }
        stream_table& table = tables[which];
        open_table t{role,
                     tensor_at(contraction, tensor_of(c.choice.mapping, role)),
                     &table,
                     groups,
                     {&orders[at(groups[0])], &orders[at(groups[1])], &orders[at(groups[2])]},
                     stride,
                     nullptr,
                     std::nullopt};
        if (!table.is_open()) {
            table.conflicts.resize(entries);
            if (to_networks()) { find_banked(c, t); }
        }
        return t;
    }

    // The best way to do a contraction whose tensors lie as chosen, if it takes fewer cycles than these.
    found_choice best_choice(std::size_t contraction, double than)
    {
        const auto& known = m_orders[contraction];
        std::array<mode_orders, contraction_indices> found;
        const bool any_long = std::any_of(known.begin(), known.end(), is_long);
        if (any_long) { found = orders_of(contraction); }
        const auto& orders = any_long ? found : known;
        std::array<stream_tables*, contraction_tensors> of_tensor{};
        for (const auto t : {contraction_tensor::a, contraction_tensor::b, contraction_tensor::c}) {
            of_tensor[at(t)] = tables_of(contraction, t, orders);
        }
        found_choice best;
        best.cycles = than;
        std::vector<open_table> tables;
        for (std::size_t which = 0; which < m_candidates[contraction].size(); ++which) {
            candidate& c = m_candidates[contraction][which];
            const auto closed = static_cast<double>(c.choice.cycles);
            if (closed >= best.cycles) { break; }
            tables.clear();
            for (const auto role : fetta::operand_roles) {
                auto* const of = of_tensor[at(tensor_of(c.choice.mapping, role))];
                if (of != nullptr) { tables.push_back(opened(contraction, which, role, *of, orders)); }
            }
            for (std::size_t b = 0; b < c.bits.size(); ++b) {
                if (is_no_better(tables, b)) { continue; }
                auto least = closed;
                for (auto& t : tables) { least += t.table->least_cycles(b); }
                if (least >= best.cycles) { continue; }
                for (auto& t : tables) { t.banked = t.table->is_banked(b) ? &t.table->banked[b] : nullptr; }
                combine(c, b, tables, orders, best);
            }
        }
        return best;
    }

    // Whether some bits before these are as good for every stream, whatever its order.
    static bool is_no_better(const std::vector<open_table>& tables, std::size_t bits)
    {
        std::uint32_t before = (1u << bits) - 1;
        for (const auto& t : tables) {
            if (!t.table->as_good.empty()) { before &= t.table->as_good[bits]; }
        }
        return before != 0;
    }

    // The closed form and what is known of the streams.
    static double known_cycles(const candidate& c, const std::vector<open_table>& tables,
                               const std::array<std::size_t, contraction_indices>& i)
    {
        auto cycles = static_cast<double>(c.choice.cycles);
        for (const auto& t : tables) { cycles += t.cycles(i); }
        return cycles;
    }

    // Computes what is unknown of the streams only as far as the answer needs. If it is true, all entries are exact.
    bool costs_less(const candidate& c, std::vector<open_table>& tables,
                    const std::array<std::size_t, contraction_indices>& i, double than)
    {
        for (auto& t : tables) {
            const double least = known_cycles(c, tables, i);
            if (least >= than) { return false; }
            if (!t.is_exact(i)) { compute(c, t, i, than - (least - t.table->conflicts[t.place(i)].cycles)); }
        }
        return std::all_of(tables.begin(), tables.end(), [&](const auto& t) { return t.is_exact(i); });
    }

    // Least cycles of a table by its first orders: of the first index, of the first two, of the first three.
    class least_by_prefix {
    public:
        using orders_of_index = std::array<std::size_t, contraction_indices>;

        void take(const open_table& t, const orders_of_index& count)
        {
            for (unsigned x = 0; x < contraction_indices; ++x) { m_count[x] = t.stride[x] == 0 ? 1 : count[x]; }
            std::size_t size = 1;
            for (unsigned x = 0; x + 1 < contraction_indices; ++x) {
                size *= m_count[x];
                m_least[x].assign(size, infinite);
            }
            orders_of_index i{};
            for (i[0] = 0; i[0] < m_count[0]; ++i[0]) {
                for (i[1] = 0; i[1] < m_count[1]; ++i[1]) {
                    for (i[2] = 0; i[2] < m_count[2]; ++i[2]) {
                        double& least = m_least[2][place(i, 2)];
                        for (i[3] = 0; i[3] < m_count[3]; ++i[3]) { least = std::min(least, t.cycles(i)); }
                        for (const unsigned x : {0u, 1u}) {
                            m_least[x][place(i, x)] = std::min(m_least[x][place(i, x)], least);
                        }
                    }
                }
            }
        }

        double of(const orders_of_index& i, unsigned last) const { return m_least[last][place(i, last)]; }

    private:
        std::size_t place(const orders_of_index& i, unsigned last) const
        {
            std::size_t at = 0;
            for (unsigned x = 0; x <= last; ++x) { at = at * m_count[x] + (m_count[x] == 1 ? 0 : i[x]); }
            return at;
        }

        orders_of_index m_count{};
        std::array<std::vector<double>, contraction_indices - 1> m_least;
    };

    // Entries only grow while they are computed, so what they were at first are lower bounds.
    void combine(const candidate& c, std::size_t bits, std::vector<open_table>& tables,
                 const std::array<mode_orders, contraction_indices>& orders, found_choice& best)
    {
        const std::array<std::size_t, contraction_indices> count{orders[0].size(), orders[1].size(), orders[2].size(),
                                                                 orders[3].size()};
        for (std::size_t t = 0; t < tables.size(); ++t) { m_least[t].take(tables[t], count); }
        std::array<std::size_t, contraction_indices> i{};
        const auto may_be_best = [&](unsigned last) {
            auto cycles = static_cast<double>(c.choice.cycles);
            for (std::size_t t = 0; t < tables.size(); ++t) { cycles += m_least[t].of(i, last); }
            return cycles < best.cycles;
        };
        for (i[0] = 0; i[0] < count[0]; ++i[0]) {
            if (!may_be_best(0)) { continue; }
            for (i[1] = 0; i[1] < count[1]; ++i[1]) {
                if (!may_be_best(1)) { continue; }
                for (i[2] = 0; i[2] < count[2]; ++i[2]) {
                    if (!may_be_best(2)) { continue; }
                    for (i[3] = 0; i[3] < count[3]; ++i[3]) {
                        if (!costs_less(c, tables, i, best.cycles)) { continue; }
                        const double cycles = known_cycles(c, tables, i);
                        if (cycles >= best.cycles) { continue; }
                        best = {cycles, c.choice};
                        best.choice.bits = c.bits[bits];
                        for (unsigned x = 0; x < contraction_indices; ++x) { best.choice.groups[x] = orders[x][i[x]]; }
                    }
                }
            }
        }
    }

    // What a tensor's layout costs in all its uses, if less than this.
    double cost_of(std::size_t tensor, std::size_t layout, double than)
    {
        const auto before = m_chosen[tensor];
        m_chosen[tensor] = layout;
        const mode_layout& l = m_layouts[tensor][layout];
        const auto& wanted = m_request.tensors[tensor];
        double cost = static_cast<double>(l.span - m_graph.elements(tensor)) * wanted.cycles_per_gap;
        if (layout > 0 && !wanted.given.empty()) { cost += wanted.cycles_unless_first; }
        for (std::size_t c = 0; c < m_graph.contractions.size() && cost < than; ++c) {
            if (!uses(c, tensor)) { continue; }
            const double times = m_request.contractions[c].times;
            cost += best_choice(c, (than - cost) / times).cycles * times;
        }
        m_chosen[tensor] = before;
        return cost;
    }

    // Of its uses, whatever its layout.
    double least_possible(std::size_t tensor) const
    {
        double sum = 0;
        for (std::size_t c = 0; c < m_graph.contractions.size(); ++c) {
            if (!uses(c, tensor)) { continue; }
            sum += static_cast<double>(m_candidates[c][0].choice.cycles) * m_request.contractions[c].times;
        }
        return sum;
    }

    // A layout for the tensor, as good as any for how the others lie now; false when the one that it has stays.
    bool choose(std::size_t tensor)
    {
        auto& layouts = m_layouts[tensor];
        const auto& given = m_request.tensors[tensor].given;
        if (given.size() == 1 && m_chosen[tensor]) { return false; }
        if (layouts.empty()) {
            layouts = given.empty() ? layout_orders(m_graph, tensor, m_request.tensors[tensor].batch_outermost) : given;
            m_orders_of_tensor.emplace(tensor, layouts.size());
        }
        const std::size_t orders = m_orders_of_tensor[tensor];
        double least = m_chosen[tensor] ? cost_of(tensor, *m_chosen[tensor], infinite) : infinite;
        const double bound = least_possible(tensor);
        if (least <= bound) { return false; }
        const double before = least;
        auto best = m_chosen[tensor];
        std::vector<std::pair<double, std::size_t>> ranked;
        const auto try_layout = [&](std::size_t l, double than) {
            const double cost = cost_of(tensor, l, than);
            if (cost < least) {
                least = cost;
                best = l;
            }
            return cost;
        };
        const std::size_t with_gaps = given.empty() ? orders_with_gaps : 0;
        for (std::size_t l = 0; l < orders && least > bound && !(l > 0 && is_long_enough()); ++l) {
            // What ranks behind those that get gaps need not be known; it costs at least as much but for rounding.
            const double worst = with_gaps > 0 && ranked.size() == with_gaps ? ranked.back().first : infinite;
            const bool may_rank = with_gaps > 0 && worst > worth_gaps * least;
            const std::pair<double, std::size_t> found{
                try_layout(l, std::min(worth_gaps * least, worst * (1 + rounding))), l};
            if (!may_rank && (with_gaps == 0 || found.first >= worst * (1 - rounding))) { continue; }
            ranked.insert(std::upper_bound(ranked.begin(), ranked.end(), found), found);
            if (ranked.size() > with_gaps) { ranked.pop_back(); }
        }
        for (std::size_t r = 0; r < ranked.size() && least > bound && !is_long_enough(); ++r) {
            for (auto& padded :
                 padded_layouts(m_graph, layouts[ranked[r].second], m_request.limits.side, m_request.limits.engines)) {
                auto known = std::find(layouts.begin(), layouts.end(), padded);
                if (known == layouts.end()) {
                    layouts.push_back(std::move(padded));
                    known = layouts.end() - 1;
                }
                try_layout(static_cast<std::size_t>(known - layouts.begin()), least);
            }
        }
        m_chosen[tensor] = best;
        return least < before;
    }

    const layout_request& m_request;
    const contraction_graph& m_graph;
    std::vector<std::vector<candidate>> m_candidates;
    std::vector<std::array<mode_orders, contraction_indices>> m_orders;
    std::vector<std::vector<mode_layout>> m_layouts; // by tensor: all that were looked at
    std::vector<std::optional<std::size_t>> m_chosen;
    std::map<std::size_t, std::size_t> m_orders_of_tensor;      // so many of its layouts are orders without gaps
    std::map<std::vector<std::size_t>, stream_tables> m_tables; // by contraction, tensor, layout and long orders
    std::array<least_by_prefix, 3> m_least;                     // of the tables in use
    std::uint64_t m_work = 0;                                   // of all tables
};

} // namespace

joint_layouts choose_layouts(const layout_request& request) { return layout_search(request).run(); }

} // namespace tensorloom::workloads
