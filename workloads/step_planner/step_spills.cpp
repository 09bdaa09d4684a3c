#include <tensorloom/workloads/step_planner/step_spills.h>
#include <algorithm>
#include <numeric>
#include <tensorloom/workloads/step_planner/step_places.h>

namespace tensorloom::workloads {
namespace {

struct access {
    std::size_t operation = 0;
    bool is_write = false;
};

void rename(step_operation& operation, std::size_t from, std::size_t to)
{
    const auto change = [&](tensor_part& part) {
        if (part.tensor == from) { part.tensor = to; }
    };
    for_each_part(operation, change, change);
}

// A loop over batches or blocks, or the whole program.
struct level {
    operation_range range;
    bool is_program = false;
};

class spiller {
public:
    spiller(operation_list step, const step_device& device, std::uint64_t bytes)
        : m_device(device), m_bytes(bytes), m_step(std::move(step)), m_home(m_step.tensors.size())
    {}

    std::optional<operation_list> run()
    {
        for (;;) {
            const auto wanted = lifetimes_of(m_step);
            const bool is_too_large = std::any_of(wanted.begin(), wanted.end(), [&](const wanted_place& of) {
                return of.first <= of.last && of.bytes > m_bytes;
            });
            if (is_too_large) { return std::nullopt; }
            if (places_in(wanted, m_bytes, m_device.limits)) { return std::move(m_step); }
            look(wanted);
            if (!relieve()) { return std::nullopt; }
        }
    }

private:
    // ---- accesses, loops and times of the step ----

    void look(const std::vector<wanted_place>& wanted)
    {
        const std::size_t operations = m_step.operations.size();
        m_wanted = wanted;
        m_loops = loops_of(m_step);
        m_accesses.assign(m_step.tensors.size(), {});
        m_start.assign(operations + 1, 0);
        for (std::size_t o = 0; o < operations; ++o) {
            const auto add = [&](const tensor_part& part, bool is_write) {
                auto& all = m_accesses[part.tensor];
                if (!all.empty() && all.back().operation == o) {
                    all.back().is_write = all.back().is_write || is_write;
                } else {
                    all.push_back({o, is_write});
                }
            };
            for_each_part(
                m_step.operations[o], [&](const tensor_part& part) { add(part, false); },
                [&](const tensor_part& part) { add(part, true); });
            double times = 1;
            for (const auto& loop : m_loops) {
                if (loop.kind != loop_kind::batches && loop.range.has(o)) { times *= static_cast<double>(loop.count); }
            }
            m_start[o + 1] = m_start[o] + times * cycles_of(m_step, m_step.operations[o], m_device);
        }
    }

    // The whole program, then the loops over batches and blocks that have an operation, the outer ones first.
    std::vector<level> levels_at(std::size_t operation) const
    {
        std::vector<level> all{{{0, m_step.operations.size() - 1}, true}};
        for (auto loop = m_loops.rbegin(); loop != m_loops.rend(); ++loop) {
            if (loop->kind != loop_kind::inner && loop->range.has(operation)) { all.push_back({loop->range, false}); }
        }
        return all;
    }

    // An operation of a level as a range: itself, or the outermost loop within the level around it.
    operation_range item_of(const level& in, std::size_t operation) const
    {
        operation_range item{operation, operation};
        for (const auto& loop : m_loops) {
            const bool is_within = in.range.has(loop.range.first) && in.range.has(loop.range.last) &&
                                   (in.is_program || loop.range.first != in.range.first);
            if (is_within && loop.range.has(operation)) { item = loop.range; } // the outermost one comes last
        }
        return item;
    }

    struct use {
        operation_range at;
        bool is_write = false;
    };
    // The uses of a tensor in a level, in order.
    std::vector<use> uses_in(const level& in, std::size_t tensor) const
    {
        std::vector<use> all;
        for (const auto& a : m_accesses[tensor]) {
            if (!in.range.has(a.operation)) { continue; }
            const auto item = item_of(in, a.operation);
            if (!all.empty() && all.back().at.first == item.first) {
                all.back().is_write = all.back().is_write || a.is_write;
            } else {
                all.push_back({item, a.is_write});
            }
        }
        return all;
    }

    // ---- which tensor leaves ----

    struct departure {
        std::size_t tensor = 0;
        bool is_home = false; // it is loaded and stored in each iteration of the level, else in a gap
        level in;
        use before, after; // the gap
        double score = 0;
    };

    bool relieve()
    {
        const auto occupied = occupation_of(m_wanted, m_step.operations.size(), m_device.limits);
        const auto bytes = static_cast<std::int64_t>(m_bytes);
        // The fullest operation. If its tensors fit by their sum, the free places are too small: others are tried, too.
        std::vector<std::size_t> order(occupied.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return occupied[x] > occupied[y]; });
        for (const std::size_t o : order) {
            if (const auto best = best_departure(o)) {
                best->is_home ? home(*best) : leave(*best);
                return true;
            }
            if (occupied[o] > bytes) { return false; }
            if (occupied[o] < bytes / 2) { break; }
        }
        return false;
    }

    std::optional<departure> best_departure(std::size_t operation) const
    {
        std::optional<departure> best;
        for (std::size_t t = 0; t < m_wanted.size(); ++t) {
            if (operation < m_wanted[t].first || m_wanted[t].last < operation) { continue; }
            if (m_step.tensors[t].stays) { continue; }
            const auto found = departure_of(t, operation);
            if (found && (!best || found->score > best->score)) { best = found; }
        }
        return best;
    }

    std::optional<departure> departure_of(std::size_t tensor, std::size_t operation) const
    {
        const auto& accesses = m_accesses[tensor];
        const auto levels = levels_at(operation);
        // A tensor that is carried across loops is loaded and stored in each iteration of the outermost one.
        for (std::size_t l = 1; l < levels.size(); ++l) {
            const auto& range = levels[l].range;
            const auto inside = [&](const access& a) { return range.has(a.operation); };
            const bool any = std::any_of(accesses.begin(), accesses.end(), inside);
            if (!any) { break; }
            if (std::all_of(accesses.begin(), accesses.end(), inside)) { continue; }
            const auto uses = uses_in(levels[l], tensor);
            const auto item = item_of(levels[l], operation);
            for (const auto& u : uses) {
                // If it is carried across an inner loop, too, and is idle there, it can leave there next.
                if (u.at.first == item.first && u.at.first == u.at.last) { return std::nullopt; }
                if (u.at.first == item.first && !is_idle(levels, l + 1, tensor, operation)) { return std::nullopt; }
            }
            departure d{tensor, true, levels[l], uses.front(), uses.back(), 0};
            const bool writes = std::any_of(uses.begin(), uses.end(), [](const use& u) { return u.is_write; });
            const double busy = m_start[uses.back().at.last + 1] - m_start[uses.front().at.first];
            const double all = m_start[range.last + 1] - m_start[range.first];
            d.score = score_of(tensor, std::max(all - busy, all / 4), writes ? 2 : 1);
            return d;
        }
        // Others leave in a gap of the innermost level with uses on both sides.
        for (std::size_t l = levels.size(); l-- > 0;) {
            const auto uses = uses_in(levels[l], tensor);
            if (uses.empty()) { continue; }
            departure d{tensor, false, levels[l], {}, {}, 0};
            bool is_used_before = false, is_used_after = false;
            for (const auto& u : uses) {
                if (u.at.has(operation)) { return std::nullopt; }
                if (u.at.last < operation) {
                    d.before = u;
                    is_used_before = true;
                } else if (!is_used_after) {
                    d.after = u;
                    is_used_after = true;
                }
            }
            if (!is_used_before || !is_used_after) { return std::nullopt; }
            if (is_of_transfers(d.before.at.last + 1, d.after.at.first)) { return std::nullopt; }
            const double gap = m_start[d.after.at.first] - m_start[d.before.at.last + 1];
            d.score = score_of(tensor, gap, reload_of(d) ? 1 : 2);
            return d;
        }
        return std::nullopt;
    }

    // Only loads and stores for the operations around them: a tensor that leaves here has to come back at once.
    bool is_of_transfers(std::size_t first, std::size_t end) const
    {
        return std::all_of(m_step.operations.begin() + static_cast<std::ptrdiff_t>(first),
                           m_step.operations.begin() + static_cast<std::ptrdiff_t>(end),
                           [](const auto& operation) { return unit_of(operation) == step_unit::transfers; });
    }

    // Whether a tensor that is also carried across the inner loop is not used at the operation.
    bool is_idle(const std::vector<level>& levels, std::size_t inner, std::size_t tensor, std::size_t operation) const
    {
        if (inner >= levels.size()) { return false; }
        for (const auto& u : uses_in(levels[inner], tensor)) {
            if (u.at.has(operation)) { return false; }
        }
        return true;
    }

    double score_of(std::size_t tensor, double cycles, int moves) const
    {
        const auto bytes = static_cast<double>(m_wanted[tensor].bytes);
        return bytes * cycles / (moves * (m_device.memory.transfer_cycles + bytes / m_device.memory.bytes_per_cycle));
    }

    // ---- leaving ----

    bool is_whole(const transfer_operation& t) const
    {
        return t.kind != transfer_kind::gather && t.modes.size() == 1 && t.local.offset == 0 && t.local.step == 0 &&
               t.modes[0].size == m_step.tensors[t.local.tensor].elements && t.modes[0].stride == 1 &&
               t.place_step == std::array<std::int64_t, 2>{};
    }

    // The operation that loads a tensor as it is at the start of a gap, if memory on the bus has it.
    std::optional<step_operation> reload_of(const departure& d) const
    {
        std::optional<std::size_t> written, saved;
        for (const auto& a : m_accesses[d.tensor]) {
            if (a.operation > d.before.at.last) { break; }
            const auto* t = std::get_if<transfer_operation>(&m_step.operations[a.operation].work);
            const bool saves = t != nullptr && t->kind == transfer_kind::store && is_whole(*t);
            if (a.is_write) {
                written = a.operation;
                saved.reset();
            } else if (saves) {
                saved = a.operation;
            }
        }
        if (saved) {
            auto again = m_step.operations[*saved];
            std::get<transfer_operation>(again.work).kind = transfer_kind::load;
            return again;
        }
        if (!written) { return std::nullopt; }
        const auto& by = m_step.operations[*written];
        const auto item = item_of(d.in, *written);
        if (item.first != item.last) { return std::nullopt; }
        const auto* t = std::get_if<transfer_operation>(&by.work);
        if (t == nullptr) { return std::nullopt; }
        const bool is_gathered = t->kind == transfer_kind::gather && t->place.is_of_samples() &&
                                 t->elements() == m_step.tensors[d.tensor].elements;
        return is_gathered || (t->kind == transfer_kind::load && is_whole(*t)) ? std::optional(by) : std::nullopt;
    }

    std::size_t copy_of(std::size_t tensor)
    {
        m_step.tensors.push_back(m_step.tensors[tensor]);
        m_home.push_back(m_home[tensor]);
        return m_step.tensors.size() - 1;
    }

    // The place of a tensor in memory on the bus.
    struct bus_home {
        bus_place place;
        std::uint64_t offset = 0;

        bool is_of(const transfer_operation& t) const
        {
            return t.place.array == place.array && t.place.number == place.number && t.offset == offset;
        }
    };

    step_operation transfer(transfer_kind kind, std::size_t tensor, const bus_home& home, step_phase phase) const
    {
        const auto& of = m_step.tensors[tensor];
        return {phase, (kind == transfer_kind::load ? "load " : "store ") + of.name,
                transfer_operation{kind, home.place, home.offset, {{of.elements, 1}}, {tensor}, {}, {}}};
    }

    bus_home home_of(std::size_t tensor)
    {
        if (!m_home[tensor]) {
            const auto& of = m_step.tensors[tensor];
            m_home[tensor] = bus_home{bus_place(bus_array::spill, m_step.spills.size()), 0};
            m_step.spills.push_back({of.name, of.elements, of.type});
        }
        return *m_home[tensor];
    }

    void insert(std::size_t at, step_operation operation)
    {
        m_step.operations.insert(m_step.operations.begin() + static_cast<std::ptrdiff_t>(at), std::move(operation));
    }

    void rename_from(std::size_t first, std::size_t last, std::size_t from, std::size_t to)
    {
        for (std::size_t o = first; o <= last; ++o) { rename(m_step.operations[o], from, to); }
    }

    void leave(const departure& d)
    {
        auto reload = reload_of(d);
        const auto store_phase = m_step.operations[d.before.at.last].phase;
        const auto phase = m_step.operations[d.after.at.first].phase;
        bool stores = false;
        if (!reload) {
            reload = transfer(transfer_kind::load, d.tensor, home_of(d.tensor), phase);
            stores = true;
        }
        const auto again = copy_of(d.tensor);
        reload->phase = phase;
        rename(*reload, d.tensor, again);
        rename_from(d.after.at.first, d.in.range.last, d.tensor, again);
        insert(d.after.at.first, *reload);
        if (stores) {
            insert(d.before.at.last + 1, transfer(transfer_kind::store, d.tensor, home_of(d.tensor), store_phase));
        }
    }

    void home(const departure& d)
    {
        const auto& accesses = m_accesses[d.tensor];
        const auto& range = d.in.range;
        // Before the loop memory has it if it was loaded from there and nothing else has written it.
        std::optional<std::size_t> written, loaded;
        bool inside_writes = false;
        std::optional<std::size_t> last_before, first_after, last_write;
        for (const auto& a : accesses) {
            if (a.operation < range.first) {
                last_before = a.operation;
                if (a.is_write) {
                    const auto* t = std::get_if<transfer_operation>(&m_step.operations[a.operation].work);
                    loaded.reset();
                    if (!written && t != nullptr && t->kind == transfer_kind::load && is_whole(*t)) {
                        loaded = a.operation;
                    }
                    written = a.operation;
                }
            } else if (a.operation > range.last) {
                first_after = first_after.value_or(a.operation);
            } else if (a.is_write) {
                inside_writes = true;
                last_write = item_of(d.in, a.operation).last;
            }
        }
        if (loaded && !m_home[d.tensor]) {
            const auto& load = std::get<transfer_operation>(m_step.operations[*loaded].work);
            m_home[d.tensor] = bus_home{load.place, load.offset};
        }
        const auto place = home_of(d.tensor);
        const auto within = copy_of(d.tensor);
        const auto phase_at = [&](std::size_t o) { return m_step.operations[o].phase; };
        // From the last operation to the first, so that indices of earlier operations stay valid.
        if (first_after) {
            const auto after = copy_of(d.tensor);
            rename_from(range.last + 1, m_step.operations.size() - 1, d.tensor, after);
            const auto* t = std::get_if<transfer_operation>(&m_step.operations[*first_after].work);
            const bool only_saves = t != nullptr && t->kind == transfer_kind::store && is_whole(*t) &&
                                    place.is_of(*t) && accesses.back().operation == *first_after;
            if (only_saves) {
                m_step.operations.erase(m_step.operations.begin() + static_cast<std::ptrdiff_t>(*first_after));
            } else {
                std::size_t at = *first_after;
                const auto levels = levels_at(range.first);
                for (const auto& l : levels) {
                    if (l.range.first == range.first && !l.is_program) { break; }
                    at = item_of(l, *first_after).first;
                }
                insert(at, transfer(transfer_kind::load, after, place, phase_at(at)));
            }
        }
        if (inside_writes) {
            insert(*last_write + 1, transfer(transfer_kind::store, within, place, phase_at(*last_write)));
        }
        rename_from(range.first, range.last + (inside_writes ? 1 : 0), d.tensor, within);
        insert(d.before.at.first, transfer(transfer_kind::load, within, place, phase_at(d.before.at.first)));
        if (written && !loaded) {
            const auto levels = levels_at(range.first);
            // In the level that contains the loop, after the last use before the loop.
            level around = levels.front();
            for (const auto& l : levels) {
                if (l.range.first < range.first || l.is_program) { around = l; }
            }
            insert(item_of(around, *last_before).last + 1,
                   transfer(transfer_kind::store, d.tensor, place, phase_at(*last_before)));
        }
    }

    const step_device& m_device;
    std::uint64_t m_bytes;
    operation_list m_step;
    std::vector<std::optional<bus_home>> m_home; // by tensor: where it is in memory on the bus
    std::vector<wanted_place> m_wanted;
    std::vector<step_loop> m_loops;
    std::vector<std::vector<access>> m_accesses; // by tensor, in order
    std::vector<double> m_start;                 // by operation: cycles of those before
};

} // namespace

std::optional<operation_list> fitted(operation_list step, const step_device& device, std::uint64_t bytes)
{
    return spiller(std::move(step), device, bytes).run();
}

} // namespace tensorloom::workloads
