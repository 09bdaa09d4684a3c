#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>
#include <tensorloom/models/triada/isa/events.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/triada/config.h>
#include "models/triada/gemt_case.h"
#include "models/triada/random_case.h"

namespace tensorloom::test {

using triada::cell_register;
using bytes = std::vector<unsigned char>;

template <class V> bytes bytes_of(const std::vector<V>& values)
{
    bytes b(values.size() * sizeof(V));
    if (!b.empty()) { std::memcpy(b.data(), values.data(), b.size()); }
    return b;
}

/// A register that is cleared and written piece by piece; `sums`: in the accumulator's format.
struct core_load {
    cell_register reg;
    shape3 shape;
    bool sums;
    bytes data;
    struct piece {
        std::uint64_t first;
        std::uint64_t elements;
    };
    std::vector<piece> pieces; // in any order; what is in none stays +0
};

/// A corner that is read.
struct core_read {
    cell_register reg;
    shape3 shape;
    std::uint64_t first;
    std::uint64_t elements;
    bool sums;
    unsigned shift;
};

struct core_row {
    std::uint32_t tag;
    bytes coefficients;
};

/// One pass: what an actuator would stream, in bursts of these lengths.
struct core_pass {
    std::vector<core_load> loads; // before it
    shape3 box;
    unsigned stage, mode, x_mode;
    cell_register source, target;
    bool esop;
    double threshold;
    unsigned shift;
    std::uint32_t columns;
    std::vector<core_row> rows;
    std::vector<std::size_t> bursts;
    std::vector<core_load> meanwhile; // of a register that it does not use
    std::vector<core_read> reads;     // after it
};

/// What a core leaves behind.
struct core_record {
    struct executed_step {
        unsigned stage;
        std::uint32_t step, tag;
        std::uint64_t start_ps;
        triada::counts counts;
        bool operator==(const executed_step& o) const
        {
            return stage == o.stage && step == o.step && tag == o.tag && start_ps == o.start_ps && counts == o.counts;
        }
    };
    std::vector<executed_step> steps;
    std::vector<bytes> reads;
    std::vector<std::uint64_t> saturated;
    std::uint64_t end_ps = 0;
};

/// Makes random sequences of passes whose registers are defined at every read.
template <class Element> class core_case_maker {
public:
    using accumulator = arithmetic::accumulator_of<Element>;
    static constexpr bool integer = std::is_same_v<Element, std::int8_t>;

    core_case_maker(std::uint64_t seed, const shape3& mesh) : m_maker(seed), m_mesh(mesh) {}

    std::vector<core_pass> make(unsigned passes)
    {
        std::vector<core_pass> made;
        for (unsigned p = 0; p < passes; ++p) { made.push_back(pass(p)); }
        return made;
    }

private:
    struct register_state {
        bool defined = false;
        shape3 held{};
    };

    shape3 corner_up_to(const shape3& most)
    {
        shape3 s;
        for (unsigned m = 0; m < 3; ++m) { s[m] = 1 + m_maker.below(most[m]); }
        return s;
    }

    case_maker::specials kind()
    {
        static constexpr case_maker::specials kinds[] = {case_maker::specials::none, case_maker::specials::zeros,
                                                         case_maker::specials::wild};
        return kinds[m_maker.below(3)];
    }

    /// Of integers some are so close to the ends of the range that a few multiply-adds leave it.
    std::vector<accumulator> sums(std::size_t n)
    {
        auto made = m_maker.numbers<accumulator>(n, kind());
        if constexpr (integer) {
            for (auto& sum : made) {
                if (!m_maker.chance(0.3)) { continue; }
                const auto from_end = static_cast<std::int32_t>(m_maker.below(20000));
                sum = m_maker.chance(0.5) ? std::numeric_limits<std::int32_t>::max() - from_end
                                          : std::numeric_limits<std::int32_t>::min() + from_end;
            }
        }
        return made;
    }

    core_load load(cell_register reg)
    {
        core_load l{reg, corner_up_to(m_mesh), m_maker.chance(0.4), {}, {}};
        const std::size_t volume = std::size_t{l.shape[0]} * l.shape[1] * l.shape[2];
        l.data = l.sums ? bytes_of(sums(volume)) : bytes_of(m_maker.numbers<Element>(volume, kind()));
        const bool all = m_maker.chance(0.8);
        for (std::uint64_t first = 0; first < volume;) {
            const auto left = static_cast<std::uint32_t>(volume - first);
            const std::uint64_t elements = m_maker.chance(0.5) ? left : 1 + m_maker.below(left);
            if (all || m_maker.chance(0.5)) { l.pieces.push_back({first, elements}); }
            first += elements;
        }
        if (m_maker.chance(0.3)) { std::reverse(l.pieces.begin(), l.pieces.end()); }
        m_state[static_cast<unsigned>(reg)] = {true, l.shape};
        return l;
    }

    core_pass pass(unsigned number)
    {
        core_pass p{};
        const unsigned source = m_maker.below(4);
        const unsigned target = (source + 1 + m_maker.below(3)) % 4;
        if (m_last_source != source) { m_state[m_last_source].defined = false; }
        m_last_source = source;
        for (const unsigned r : {source, target}) {
            if (!m_state[r].defined || m_maker.chance(0.3)) { p.loads.push_back(load(static_cast<cell_register>(r))); }
        }
        p.source = static_cast<cell_register>(source);
        p.target = static_cast<cell_register>(target);
        p.stage = number % 3;
        p.mode = m_maker.below(3);
        p.x_mode = (p.mode + 1 + m_maker.below(2)) % 3;
        p.esop = m_maker.chance(0.6);
        p.threshold = p.esop && m_maker.chance(0.25) ? (integer ? 40 : 0.25) : 0;
        p.shift = integer ? m_maker.below(m_maker.chance(0.2) ? 32 : 10) : 0;
        const bool inside = m_maker.chance(0.6); // the target holds nothing outside of the box
        for (unsigned m = 0; m < 3; ++m) {
            std::uint32_t& of_target = m_state[target].held[m];
            std::uint32_t held = m_state[source].held[m];
            if (inside) { held = std::max(held, of_target); }
            p.box[m] = held + (m_maker.chance(0.5) ? m_maker.below(m_mesh[m] - held + 1) : 0);
            of_target = std::max(of_target, p.box[m]);
        }
        p.columns = 1 + m_maker.below(p.box[p.mode]);
        rows(p);

        const unsigned other = m_maker.below(4);
        if (other != source && other != target && m_maker.chance(0.5)) {
            p.meanwhile.push_back(load(static_cast<cell_register>(other)));
        }
        for (unsigned r = 0; r < 4; ++r) {
            if (m_state[r].defined) { p.reads.push_back(read(static_cast<cell_register>(r))); }
        }
        return p;
    }

    void rows(core_pass& p)
    {
        auto tags = m_maker.permutation(p.box[p.mode]);
        tags.resize(1 + m_maker.below(p.box[p.mode]));
        const auto data_kind = kind();
        for (const auto tag : tags) {
            p.rows.push_back({tag, bytes_of(m_maker.numbers<Element>(p.columns, data_kind))});
        }
        for (std::size_t left = p.rows.size(); left > 0; left -= p.bursts.back()) {
            p.bursts.push_back(m_maker.chance(0.6) ? left : 1 + m_maker.below(static_cast<std::uint32_t>(left)));
        }
    }

    core_read read(cell_register reg)
    {
        core_read r{reg, {}, 0, 0, m_maker.chance(0.5), integer ? m_maker.below(12) : 0};
        r.shape = m_maker.chance(0.5) ? m_state[static_cast<unsigned>(reg)].held : corner_up_to(m_mesh);
        const std::uint32_t volume = r.shape[0] * r.shape[1] * r.shape[2];
        r.first = m_maker.chance(0.5) ? 0 : m_maker.below(volume);
        r.elements =
            m_maker.chance(0.5) ? volume - r.first : 1 + m_maker.below(volume - static_cast<std::uint32_t>(r.first));
        return r;
    }

    case_maker m_maker;
    shape3 m_mesh;
    std::array<register_state, 4> m_state;
    unsigned m_last_source = 0;
};

/// The core in the words of the tests: every cell by itself, numbers rounded with the machine's own arithmetic.
template <class Element> class core_oracle {
public:
    using accumulator = arithmetic::accumulator_of<Element>;

    core_oracle(const shape3& mesh, bool active_extent, std::uint64_t step_ps)
        : m_mesh(mesh), m_active_extent(active_extent), m_step_ps(step_ps)
    {
        for (auto& r : m_registers) { r.assign(std::size_t{mesh[0]} * mesh[1] * mesh[2], accumulator{}); }
    }

    core_record run(const std::vector<core_pass>& passes)
    {
        for (const auto& p : passes) {
            for (const auto& l : p.loads) { load(l); }
            for (std::uint32_t step = 0; step < p.rows.size(); ++step) {
                do_step(p, step);
                m_now += m_step_ps;
                m_trajectory.push_back(m_registers);
                if (step > 0) { continue; }
                for (const auto& l : p.meanwhile) { load(l); }
            }
            for (const auto& r : p.reads) { read(r); }
        }
        m_record.end_ps = m_now;
        return m_record;
    }

    /// What a cell's register held after a step, of all passes.
    const accumulator& after(std::size_t step, const shape3& cell, unsigned reg) const
    {
        return m_trajectory[step][reg][index(cell)];
    }

private:
    std::size_t index(const shape3& at) const { return (std::size_t{at[0]} * m_mesh[1] + at[1]) * m_mesh[2] + at[2]; }

    template <class Visit> static void for_all(const shape3& shape, const Visit& visit)
    {
        for (std::uint32_t i = 0; i < shape[0]; ++i) {
            for (std::uint32_t j = 0; j < shape[1]; ++j) {
                for (std::uint32_t k = 0; k < shape[2]; ++k) { visit(shape3{i, j, k}); }
            }
        }
    }

    // ---- numbers ----

    template <class S> static bool saturates(const S&, unsigned) { return false; }
    static bool saturates(std::int32_t sum, unsigned shift)
    {
        return oracle_shifted(sum, shift) < -128 || oracle_shifted(sum, shift) > 127;
    }

    template <class T, class S> static S multiply_add(const S& sum, const T& x, const T& c, bool*)
    {
        return oracle_fma(x, c, sum);
    }
    static std::int32_t multiply_add(std::int32_t sum, std::int8_t x, std::int8_t c, bool* overflowed)
    {
        const long long exact = static_cast<long long>(sum) + static_cast<long long>(x) * c;
        *overflowed = exact > 2147483647LL || exact < -2147483648LL;
        const long long modulus = 1LL << 32;
        const long long residue = ((exact % modulus) + modulus) % modulus;
        return static_cast<std::int32_t>(residue >= modulus / 2 ? residue - modulus : residue);
    }

    // ---- the port ----

    void load(const core_load& l)
    {
        auto& reg = m_registers[static_cast<unsigned>(l.reg)];
        std::fill(reg.begin(), reg.end(), accumulator{});
        const auto is_written = [&](std::size_t e) {
            return std::any_of(l.pieces.begin(), l.pieces.end(),
                               [e](const auto& p) { return e >= p.first && e < p.first + p.elements; });
        };
        std::size_t e = 0;
        for_all(l.shape, [&](const shape3& at) {
            if (is_written(e) && l.sums) {
                std::memcpy(&reg[index(at)], l.data.data() + e * sizeof(accumulator), sizeof(accumulator));
            } else if (is_written(e)) {
                Element x;
                std::memcpy(&x, l.data.data() + e * sizeof x, sizeof x);
                reg[index(at)] = static_cast<accumulator>(x);
            }
            ++e;
        });
    }

    void read(const core_read& r)
    {
        bytes all;
        std::uint64_t saturated = 0;
        std::uint64_t e = 0;
        for_all(r.shape, [&](const shape3& at) {
            if (e < r.first || e++ >= r.first + r.elements) {
                e += e < r.first ? 1 : 0;
                return;
            }
            const accumulator sum = m_registers[static_cast<unsigned>(r.reg)][index(at)];
            const auto append = [&](const auto& value) {
                const std::size_t end = all.size();
                all.resize(end + sizeof value);
                std::memcpy(all.data() + end, &value, sizeof value);
            };
            if (r.sums) { return append(oracle_sum(sum, r.shift)); }
            append(oracle_operand<Element>(sum, r.shift));
            saturated += saturates(sum, r.shift) ? 1 : 0;
        });
        m_record.reads.push_back(std::move(all));
        m_record.saturated.push_back(saturated);
    }

    // ---- a time-step ----

    void do_step(const core_pass& p, std::uint32_t step)
    {
        const auto& row = p.rows[step];
        const unsigned slice_mode = 3 - p.mode - p.x_mode;
        std::vector<Element> c(p.box[p.mode], Element{});
        std::memcpy(static_cast<void*>(c.data()), row.coefficients.data(), row.coefficients.size());
        const auto cells_of = [&](unsigned mode) {
            return std::uint64_t{m_active_extent ? p.box[mode] : m_mesh[mode]};
        };
        triada::counts n;
        std::vector<bool> arrives(c.size());
        for (std::uint32_t k = 0; k < c.size(); ++k) {
            arrives[k] = !p.esop || !oracle_is_zero(c[k], 0) || k == row.tag;
            if (!arrives[k]) { continue; }
            ++n[triada::event::coefficient_read];
            for (std::uint32_t slice = 0; slice < p.box[slice_mode]; ++slice) {
                ++n[triada::event::coefficient_send];
                n[triada::coefficient_hop(p.x_mode)] += cells_of(p.x_mode);
                n[triada::event::register_write] += p.box[p.x_mode];
            }
        }
        const auto& source = m_registers[static_cast<unsigned>(p.source)];
        auto& target = m_registers[static_cast<unsigned>(p.target)];
        for_all(p.box, [&](const shape3& at) {
            shape3 pivot = at;
            pivot[p.mode] = row.tag;
            const accumulator& sum = source[index(pivot)];
            const auto x = oracle_operand<Element>(sum, p.shift);
            const bool driven = !p.esop || !oracle_is_zero(x, p.threshold);
            if (at == pivot) {
                n[triada::event::operand_saturated] += saturates(sum, p.shift) ? 1 : 0;
                n[triada::event::operand_send] += driven ? 1 : 0;
                n[triada::event::register_read] += driven ? 1 : 0;
                n[triada::operand_hop(p.mode)] += driven ? cells_of(p.mode) : 0;
            }
            const std::uint32_t k = at[p.mode];
            if (!driven || (p.esop && oracle_is_zero(c[k], 0))) {
                ++n[triada::event::mac_skipped];
                return;
            }
            bool overflows = false;
            target[index(at)] = multiply_add(target[index(at)], x, c[k], &overflows);
            n[triada::event::mac_overflowed] += overflows ? 1 : 0;
            ++n[triada::event::mac];
            n[triada::event::register_read] += 2; // coefficient and sum
            ++n[triada::event::register_write];
        });
        n[triada::event::step] = 1;
        m_record.steps.push_back({p.stage, step, row.tag, m_now, n});
    }

    shape3 m_mesh;
    bool m_active_extent;
    std::uint64_t m_step_ps;
    std::uint64_t m_now = 0;
    std::array<std::vector<accumulator>, 4> m_registers;
    std::vector<std::array<std::vector<accumulator>, 4>> m_trajectory;
    core_record m_record;
};

} // namespace tensorloom::test
