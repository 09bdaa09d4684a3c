#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/triada/isa/events.h>
#include "models/triada/chain_case.h"

namespace tensorloom::test {

/// What one time-step, or all transfers of one kind, of a command count.
struct mesh_row {
    std::string phase; ///< stage_1 to stage_3, pointwise; load, unload, matrices
    std::uint32_t id = 0;
    std::uint32_t detail = 0;
    triada::counts counts;
};

/// What a command leaves behind: one row per time-step, and one for each kind of transfer.
template <class T> struct mesh_outcome {
    std::vector<mesh_row> steps;
    triada::counts loaded, unloaded, matrices;
    std::vector<T> y, previous;
    std::vector<sum_of<T>> sums, previous_sums;
    bool refused = false; ///< too few registers: nothing has happened, and what was in the cells is lost
};

/// TriADA's mesh as docs/triada.md describes it, cell by cell and line by line, in plain C++: the oracle of chains.
///
/// In a time-step elements pass the lines one by one, each cell latches its own, each pivot drives its own operand, and
/// each cell that has both multiplies and adds. Events are counted where they happen; no count is a product of others.
template <class T> class cell_mesh {
public:
    using sum = sum_of<T>;

    /// `whole_lines`: a send passes all cells of the mesh that lie on its line, not only those of the active box.
    /// `look_ahead`: rows that the control sees at once; 0: all.
    cell_mesh(const shape3& mesh, unsigned registers, bool whole_lines, std::uint32_t look_ahead = 0)
        : m_mesh(mesh), m_whole_lines(whole_lines), m_look_ahead(look_ahead),
          m_cells(std::size_t{mesh[0]} * mesh[1] * mesh[2], cell{std::vector<sum>(registers), {}, false, false})
    {}

    mesh_outcome<T> run(const chain_step<T>& step)
    {
        m_now = {};
        if (step.previous) {
            unload(*m_tensor, step.previous->shape, step.previous->sums_wanted, m_now.previous, m_now.previous_sums);
        }
        if (step.pointwise && step.pointwise->takes_operand() && !step.pointwise->keeps_operand()) {
            m_operand.reset(); // for another
        }
        if (step.from == tensor_place::memory) { take_from_memory(step); }
        if (step.from == tensor_place::next) { m_tensor = std::exchange(m_next, std::nullopt); }
        const bool enough = m_tensor && (step.pointwise ? work_pointwise(*step.pointwise) : multiply(step));
        if (!enough) {
            lose_everything();
            m_now = {};
            m_now.refused = true;
            return std::move(m_now);
        }
        if (!step.hold) {
            unload(*m_tensor, step.result_shape(), step.sums_wanted(), m_now.y, m_now.sums);
            m_tensor.reset();
        } else {
            clear_around(m_tensor->in, step.result_shape());
        }
        return std::move(m_now);
    }

    /// The sums of the tensor that stayed, of all cells in C order; empty without one. In which register a device keeps
    /// it is its own business.
    std::vector<sum> held() const
    {
        std::vector<sum> sums;
        if (!m_tensor) { return sums; }
        for (const auto& c : m_cells) { sums.push_back(c.registers[m_tensor->in]); }
        return sums;
    }

    /// Reset, abort, a command that failed.
    void lose_everything()
    {
        m_tensor.reset();
        m_next.reset();
        m_operand.reset();
    }

private:
    using event = triada::event;
    static constexpr bool is_complex = arithmetic::number_format<T>::parts == 2;
    struct cell {
        std::vector<sum> registers;
        T latch;
        bool has_coefficient, is_pivot;
    };
    struct held_tensor {
        unsigned in;
        unsigned shift; // of its sums, when they become elements
    };

    cell& at(std::uint32_t i, std::uint32_t j, std::uint32_t k)
    {
        return m_cells[(std::size_t{i} * m_mesh[1] + j) * m_mesh[2] + k];
    }
    cell& at(const shape3& c) { return at(c[0], c[1], c[2]); }
    // The cells of a corner in C order.
    template <class Visit> void for_each(const shape3& corner, const Visit& visit)
    {
        for (std::uint32_t i = 0; i < corner[0]; ++i) {
            for (std::uint32_t j = 0; j < corner[1]; ++j) {
                for (std::uint32_t k = 0; k < corner[2]; ++k) { visit(at(i, j, k)); }
            }
        }
    }
    void clear(unsigned reg)
    {
        for (auto& c : m_cells) { c.registers[reg] = sum{}; }
    }

    // A tensor that stays has +0 around it, also where a stage left sums of zero times infinity.
    void clear_around(unsigned reg, const shape3& corner)
    {
        for (std::uint32_t i = 0; i < m_mesh[0]; ++i) {
            for (std::uint32_t j = 0; j < m_mesh[1]; ++j) {
                for (std::uint32_t k = 0; k < m_mesh[2]; ++k) {
                    const bool inside = i < corner[0] && j < corner[1] && k < corner[2];
                    if (!inside) { at(i, j, k).registers[reg] = sum{}; }
                }
            }
        }
    }

    template <class V> void load(unsigned reg, const shape3& corner, const std::vector<V>& values)
    {
        clear(reg);
        auto next = values.begin();
        for_each(corner, [&](cell& c) {
            c.registers[reg] = static_cast<sum>(*next++);
            ++m_now.loaded[event::element_load];
            ++m_now.loaded[event::register_write];
        });
    }

    void take_from_memory(const chain_step<T>& step)
    {
        m_next.reset();
        unsigned reg = 0;
        while (m_operand == reg || (step.previous && m_tensor->in == reg)) { ++reg; }
        if (reg == registers()) {
            m_tensor.reset(); // none for X
            return;
        }
        m_tensor = held_tensor{reg, 0};
        load(reg, step.shape(), step.pointwise ? step.pointwise->x : step.product.x);
    }

    void unload(const held_tensor& tensor, const shape3& corner, bool sums_wanted, std::vector<T>& elements,
                std::vector<sum>& sums)
    {
        for_each(corner, [&](cell& c) {
            ++m_now.unloaded[event::element_unload];
            ++m_now.unloaded[event::register_read];
            const sum& s = c.registers[tensor.in];
            if (sums_wanted) {
                sums.push_back(oracle_sum(s, tensor.shift));
            } else {
                elements.push_back(operand(s, tensor.shift, m_now.unloaded));
            }
        });
    }

    unsigned registers() const { return static_cast<unsigned>(m_cells.front().registers.size()); }
    bool is_kept(unsigned reg) const { return m_operand == reg || (m_next && m_next->in == reg); }

    // The registers that the stages of a product write, in their order; fewer than stages when a cell has too few.
    std::vector<unsigned> targets(unsigned source, std::size_t stages) const
    {
        std::vector<unsigned> free;
        for (unsigned r = (source + 1) % registers(); r != source; r = (r + 1) % registers()) {
            if (!is_kept(r)) { free.push_back(r); }
        }
        if (free.size() > 3) { free.resize(3); }
        if (free.size() < 3 && stages > 1) { free.push_back(source); } // which the first stage has read
        if (free.size() < stages) { return {}; }
        std::vector<unsigned> written(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(stages - 1));
        written.push_back(free.back());
        return written;
    }

    // False: a cell has too few registers.
    bool multiply(const chain_step<T>& step)
    {
        const auto& g = step.product;
        shape3 box = g.shape;
        for (unsigned m = 0; m < 3; ++m) { box[m] = std::max(box[m], g.result_shape()[m]); }
        unsigned stages = 0, done = 0;
        for (unsigned s = 0; s < 3; ++s) {
            if (!g.runs(s)) { continue; }
            ++stages;
            m_now.matrices[event::coefficient_write] += g.matrices[g.order[s] - 1].size();
        }
        if (step.next) { m_next.reset(); }
        const auto written = targets(m_tensor->in, stages);
        if (written.empty()) { return false; }
        if (!g.initial.empty()) {
            if (written.back() == m_tensor->in) { return false; } // X and the initial Y are loaded before stage 1
            load(written.back(), g.result_shape(), g.initial);
        }
        const auto [next_after, next_in] = place_of_next(written);
        std::vector<std::size_t> zero_rows; // in one run, by their place in m_now.steps
        for (unsigned s = 0; s < 3; ++s) {
            if (!g.runs(s)) { continue; }
            const unsigned target = written[done++];
            if (done < stages || g.initial.empty()) { clear(target); }
            stream(g, s, box, *m_tensor, target, zero_rows);
            if (step.next && done == next_after) {
                m_next = held_tensor{next_in, 0};
                load(next_in, step.next->shape, step.next->x);
            }
            *m_tensor = {target, g.shifts[s]};
        }
        charge(zero_rows, false);
        return true;
    }

    // Rows of zeros in one run cost a time-step for each full view of them, in the last row of the view; if no other
    // row follows, the control is at its end when it has seen the last row.
    void charge(std::vector<std::size_t>& run, bool row_follows)
    {
        for (std::size_t seen = m_look_ahead; m_look_ahead != 0 && seen <= run.size(); seen += m_look_ahead) {
            if (seen == run.size() && !row_follows) { break; }
            auto& counts = m_now.steps[run[seen - 1]].counts;
            --counts[event::step_skipped];
            ++counts[event::step];
        }
        run.clear();
    }

    // The number of stages after which the next tensor is loaded, and its register: the first that the others do not
    // need, X's rather than another.
    std::pair<unsigned, unsigned> place_of_next(const std::vector<unsigned>& written) const
    {
        for (unsigned after = 1;; ++after) {
            for (unsigned choice = 0; choice <= registers(); ++choice) {
                const unsigned reg = choice == 0 ? m_tensor->in : choice - 1;
                const auto first = written.begin() + (after - 1);
                const bool needed = m_operand == reg || std::find(first, written.end(), reg) != written.end();
                if (!needed) { return {after, reg}; }
            }
        }
    }

    // A stage: the actuator's rows, one time-step each.
    void stream(const gemt_case<T>& g, unsigned stage, const shape3& box, const held_tensor& source, unsigned target,
                std::vector<std::size_t>& zero_rows)
    {
        const unsigned mode = g.order[stage] - 1;
        const std::uint32_t rows = g.shape[mode], columns = g.result_shape()[mode];
        for (std::uint32_t t = 0; t < rows; ++t) {
            const std::uint32_t row = g.row_orders[mode].empty() ? t : g.row_orders[mode][t];
            std::vector<T> vector(box[mode], T{});
            bool all_zero = true;
            for (std::uint32_t k = 0; k < columns; ++k) {
                vector[k] = g.matrices[mode][std::size_t{row} * columns + k];
                all_zero = all_zero && oracle_is_zero(vector[k], 0);
            }
            mesh_row now{"stage_" + std::to_string(stage + 1), t, row, {}};
            if (g.esop && all_zero) {
                zero_rows.push_back(m_now.steps.size());
                ++now.counts[event::step_skipped];
                for_each(box, [&](cell&) { ++now.counts[event::mac_skipped]; });
            } else {
                charge(zero_rows, true);
                time_step(g, stage, box, vector, row, source, target, now.counts);
            }
            m_now.steps.push_back(std::move(now));
        }
    }

    void time_step(const gemt_case<T>& g, unsigned stage, const shape3& box, const std::vector<T>& vector,
                   std::uint32_t tag, const held_tensor& source, unsigned target, triada::counts& counts)
    {
        // Slices of stages 1 and 2 lie across the last mode of the order, those of stage 3 across the first.
        const unsigned mode = g.order[stage] - 1;
        const unsigned sliced = g.order[stage < 2 ? 2 : 0] - 1;
        const unsigned x_mode = 3 - mode - sliced;
        ++counts[event::step];
        for (auto& c : m_cells) { c.has_coefficient = c.is_pivot = false; } // the strobe

        for (std::uint32_t k = 0; k < box[mode]; ++k) {
            const bool zero = oracle_is_zero(vector[k], 0);
            if (g.esop && zero && k != tag) { continue; }
            ++counts[event::coefficient_read];
            for (std::uint32_t slice = 0; slice < box[sliced]; ++slice) {
                ++counts[event::coefficient_send];
                pass_line(x_mode, box, triada::coefficient_hop(x_mode), counts);
                for (std::uint32_t x = 0; x < box[x_mode]; ++x) {
                    auto& c = at(position(mode, k, sliced, slice, x_mode, x));
                    c.is_pivot = k == tag;
                    c.has_coefficient = !(g.esop && zero);
                    c.latch = vector[k];
                    ++counts[event::register_write];
                }
            }
        }
        std::uint64_t macs = 0;
        for (std::uint32_t slice = 0; slice < box[sliced]; ++slice) {
            for (std::uint32_t x = 0; x < box[x_mode]; ++x) {
                const auto& pivot = at(position(mode, tag, sliced, slice, x_mode, x));
                triada::counts saturated;
                const T sent = operand(pivot.registers[source.in], source.shift, saturated);
                if (g.esop && oracle_is_zero(sent, g.threshold)) { continue; }
                counts += saturated;
                ++counts[event::operand_send];
                ++counts[event::register_read];
                pass_line(mode, box, triada::operand_hop(mode), counts);
                for (std::uint32_t k = 0; k < box[mode]; ++k) {
                    auto& c = at(position(mode, k, sliced, slice, x_mode, x));
                    if (!c.has_coefficient) { continue; }
                    add_product(c.registers[target], sent, c.latch, counts);
                    counts[event::register_read] += 2;
                    ++counts[event::register_write];
                    ++macs;
                }
            }
        }
        counts[event::mac] = macs;
        for_each(box, [&](cell&) { ++counts[event::mac_skipped]; });
        counts[event::mac_skipped] -= macs;
    }

    static shape3 position(unsigned m0, std::uint32_t at0, unsigned m1, std::uint32_t at1, unsigned m2,
                           std::uint32_t at2)
    {
        shape3 p{};
        p[m0] = at0;
        p[m1] = at1;
        p[m2] = at2;
        return p;
    }

    // An element passes the cells of its line.
    void pass_line(unsigned along, const shape3& box, event hop, triada::counts& counts) const
    {
        const std::uint32_t cells = m_whole_lines ? m_mesh[along] : box[along];
        for (std::uint32_t i = 0; i < cells; ++i) { ++counts[hop]; }
    }

    static T operand(const sum& s, unsigned shift, triada::counts& counts)
    {
        if constexpr (std::is_same_v<T, std::int8_t>) {
            const double shifted = oracle_shifted(s, shift);
            if (shifted < -128 || shifted > 127) { ++counts[event::operand_saturated]; }
        }
        return oracle_operand<T>(s, shift);
    }

    static void add_product(sum& s, const T& x, const T& c, triada::counts& counts)
    {
        if constexpr (std::is_same_v<T, std::int8_t>) {
            if (arithmetic::mac_overflows<T>(s, x, c)) { ++counts[event::mac_overflowed]; }
            s = arithmetic::mac(s, x, c);
        } else {
            s = oracle_fma(x, c, s);
        }
    }

    // One time-step, in which each cell works for itself.
    bool work_pointwise(const pointwise_case<T>& p)
    {
        std::optional<unsigned> b = m_operand;
        if (p.takes_operand() && !p.keeps_operand()) {
            b = 0;
            while (*b == m_tensor->in || is_kept(*b)) { ++*b; }
            if (*b == registers()) { return false; }
            load(*b, p.shape, p.operand);
        }
        if (p.takes_operand()) { m_operand = p.hold_operand ? b : std::nullopt; }
        mesh_row now{"pointwise", 0, 0, {}};
        auto& counts = now.counts;
        ++counts[event::step];
        const T value = pointwise_value<T>(p.value);
        if (p.work != pointwise_work::multiply && p.work != pointwise_work::relu) {
            for (std::uint32_t j = 0; j < p.shape[1]; ++j) {
                for (std::uint32_t k = 0; k < p.shape[2]; ++k) {
                    ++counts[event::coefficient_send];
                    pass_line(0, p.shape, event::lateral_coefficient_hop, counts);
                    for (std::uint32_t i = 0; i < p.shape[0]; ++i) {
                        at(i, j, k).latch = value;
                        ++counts[event::register_write];
                    }
                }
            }
        }
        for_each(p.shape, [&](cell& c) {
            sum& stored = c.registers[m_tensor->in];
            const T x = operand(stored, m_tensor->shift, counts);
            ++counts[event::register_read];
            const T with = p.takes_operand() ? operand(c.registers[*b], 0, counts) : T{};
            stored = changed(p, x, with, c.latch, counts);
            ++counts[event::register_write];
        });
        m_tensor->shift = p.shift;
        m_now.steps.push_back(std::move(now));
        return true;
    }

    static double real_part(const T& value)
    {
        if constexpr (is_complex) {
            return value.real();
        } else if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
            return static_cast<float>(value);
        } else {
            return value;
        }
    }

    // What one cell makes of its element, its operand's and the value in its latch.
    sum changed(const pointwise_case<T>& p, const T& x, const T& b, const T& value, triada::counts& counts)
    {
        const sum wide = static_cast<sum>(x);
        const auto multiplied = [&](sum to, const T& one, const T& other, bool zero) {
            ++counts[p.esop && zero ? event::mac_skipped : event::mac];
            return p.esop && zero ? to : oracle_fma(one, other, to);
        };
        const bool no_x = oracle_is_zero(x, 0), no_b = oracle_is_zero(b, 0), no_value = oracle_is_zero(value, 0);
        switch (p.work) {
        case pointwise_work::multiply:
            ++counts[event::register_read]; // b
            return multiplied(sum{}, x, b, no_x || no_b);
        case pointwise_work::add:
            counts[event::register_read] += 2; // b and the latch
            return multiplied(wide, b, value, no_b || no_value);
        case pointwise_work::scale:
            ++counts[event::register_read]; // the latch
            return multiplied(sum{}, x, value, no_x || no_value);
        case pointwise_work::threshold:
            ++counts[event::register_read]; // the latch
            ++counts[event::compare];
            return oracle_is_zero(x, real_part(value)) ? sum{} : wide;
        case pointwise_work::relu:
            ++counts[event::compare];
            if constexpr (is_complex) {
                return wide; // refused
            } else {
                return static_cast<double>(wide) <= 0 ? sum{} : wide;
            }
        }
        return wide;
    }

    shape3 m_mesh;
    bool m_whole_lines;
    std::uint32_t m_look_ahead;
    std::vector<cell> m_cells;
    std::optional<held_tensor> m_tensor, m_next;
    std::optional<unsigned> m_operand;
    mesh_outcome<T> m_now;
};

} // namespace tensorloom::test
