#include <tensorloom/models/rtl/triada/mesh_cells.h>
#include <optional>
#include <utility>
#include <vector>
#include <verilated_formats.h>
#include <tensorloom/models/rtl/pins.h>

namespace tensorloom::rtl {
namespace {

constexpr std::uint32_t whole_side = 4;

/// Verilated cells, wired as in mesh.v.
template <class Modules> class wired_mesh : public mesh_cells {
public:
    explicit wired_mesh(const mesh_place& sizes) : m_sizes(sizes)
    {
        for (std::uint32_t c = 0; c < sizes[0] * sizes[1] * sizes[2]; ++c) {
            m_cells.push_back(std::make_unique<cell>(&m_context, "mesh_cell"));
            m_cells.back()->eval();
        }
        m_active.resize(m_cells.size());
        m_lines.resize(m_cells.size());
    }

    void activate(const mesh_place& box) override
    {
        m_box = box;
        for (std::size_t n = 0; n < m_cells.size(); ++n) {
            const auto at = place_of(n);
            const bool active = at[0] < box[0] && at[1] < box[1] && at[2] < box[2];
            if (m_active[n] == active) { continue; }
            m_active[n] = active;
            cell& c = *m_cells[n];
            c.activate = 1;
            set(c.activate_as, active);
            tick(c);
            c.activate = 0;
        }
    }
    void write(const mesh_place& at, unsigned reg, std::uint64_t sum) override
    {
        cell& c = *m_cells[number(at)];
        c.write = 1;
        set(c.write_register, reg);
        set(c.write_sum, sum);
        tick(c);
        c.write = 0;
    }
    std::uint64_t read(const mesh_place& at, unsigned reg) override
    {
        cell& c = *m_cells[number(at)];
        set(c.read_register, reg);
        c.eval();
        return c.read_sum;
    }

    void drive(const mesh_step& step, std::uint32_t k, std::uint64_t coefficient, bool tag) override
    {
        const unsigned slice_mode = 3 - step.x_mode - step.y_mode;
        mesh_place through{0, 0, 0};
        through[step.y_mode] = k;
        for (auto& slice = through[slice_mode]; slice < m_box[slice_mode]; ++slice) {
            ++m_sent;
            for_each_on_line(step.x_mode, through, [&](std::size_t c) {
                m_lines[c].x_valid = true;
                m_lines[c].tag = tag;
                m_lines[c].coefficient = coefficient;
            });
        }
    }

    mesh_events execute(const mesh_step& step) override
    {
        mesh_events events;
        events.sent = std::exchange(m_sent, 0);
        deliver_x_lines(step, events);
        deliver_y_lines(step, events);
        multiply(step, events);
        m_shown = m_lines;
        m_lines.assign(m_lines.size(), {});
        return events;
    }

    mesh_lines lines(const mesh_place& at) override { return m_shown.empty() ? mesh_lines{} : m_shown[number(at)]; }

private:
    using cell = typename Modules::mesh_cell;

    std::size_t number(const mesh_place& at) const
    {
        return (std::size_t{at[0]} * m_sizes[1] + at[1]) * m_sizes[2] + at[2];
    }
    template <class Visit> void for_each_active(const Visit& visit)
    {
        for (std::size_t c = 0; c < m_cells.size(); ++c) {
            if (m_active[c]) { visit(c, *m_cells[c]); }
        }
    }
    template <class Visit> void for_each_on_line(unsigned mode, mesh_place at, const Visit& visit)
    {
        for (at[mode] = 0; at[mode] < m_sizes[mode]; ++at[mode]) { visit(number(at)); }
    }
    mesh_place place_of(std::size_t c) const
    {
        const auto n = static_cast<std::uint32_t>(c);
        return {n / (m_sizes[1] * m_sizes[2]), n / m_sizes[2] % m_sizes[1], n % m_sizes[2]};
    }
    static void tick(cell& c)
    {
        c.clock = 1;
        c.eval();
        c.clock = 0;
        c.eval();
    }

    void deliver_x_lines(const mesh_step& step, mesh_events& events)
    {
        for_each_active([&](std::size_t n, cell& c) {
            const auto& line = m_lines[n];
            set(c.source, step.source);
            set(c.target, step.target);
            set(c.shift, step.shift);
            set(c.esop, step.esop);
            set(c.threshold, step.threshold);
            set(c.pointwise, step.pointwise);
            set(c.operand, step.operand);
            set(c.x_valid, line.x_valid);
            set(c.x_tag, line.tag);
            set(c.x_element, line.coefficient);
            c.x_phase = 1;
            tick(c);
            c.x_phase = 0;
            events.latched += c.latched;
        });
    }

    // Pivots drive; then all cells latch what their Y line carries.
    void deliver_y_lines(const mesh_step& step, mesh_events& events)
    {
        for_each_active([&](std::size_t n, cell& c) {
            c.y_phase = 1;
            if (!c.latched || !m_lines[n].tag) { return; }
            c.eval();
            events.saturated += c.saturated;
            if (!c.y_drive) { return; }
            ++events.driven;
            for_each_on_line(step.y_mode, place_of(n), [&](std::size_t on_line) {
                m_lines[on_line].y_valid = true;
                m_lines[on_line].operand = c.y_driven;
            });
        });
        for_each_active([&](std::size_t n, cell& c) {
            set(c.y_valid, m_lines[n].y_valid);
            set(c.y_element, m_lines[n].operand);
            tick(c);
            c.y_phase = 0;
        });
    }

    void multiply(const mesh_step& step, mesh_events& events)
    {
        for_each_active([&](std::size_t n, cell& c) {
            if (step.pointwise == 0 && (!c.latched || !m_lines[n].y_valid)) { return; }
            c.mac_phase = 1;
            if (step.pointwise != 0) {
                c.eval();
                events.saturated += c.saturated;
            }
            tick(c);
            c.mac_phase = 0;
            events.multiplied += c.multiplied;
            events.overflowed += c.overflowed;
        });
    }

    VerilatedContext m_context;
    mesh_place m_sizes;
    std::vector<std::unique_ptr<cell>> m_cells; // in C order
    std::vector<bool> m_active;
    mesh_place m_box{};
    std::uint64_t m_sent = 0;        // lines driven since the last time-step
    std::vector<mesh_lines> m_lines; // by cell, of this time-step
    std::vector<mesh_lines> m_shown; // of the one before
};

/// The whole mesh in one module; a mesh of the device that is smaller is a corner of it.
template <class Modules> class whole_mesh : public mesh_cells {
public:
    whole_mesh() { settle(); }

    void activate(const mesh_place& box) override
    {
        set(m_mesh.box_0, box[0]);
        set(m_mesh.box_1, box[1]);
        set(m_mesh.box_2, box[2]);
        m_mesh.activate = 1;
        tick();
        m_mesh.activate = 0;
    }

    // Sums are collected, and written plane by plane when something else happens.
    void write(const mesh_place& at, unsigned reg, std::uint64_t sum) override
    {
        if (reg != m_written_register) { write_planes(); }
        m_written_register = reg;
        auto& plane = m_written[at[2]];
        const unsigned line = at[0] * side + at[1];
        plane.lines |= 1u << line;
        plane.sums[line] = sum;
    }
    std::uint64_t read(const mesh_place& at, unsigned reg) override
    {
        write_planes();
        set(m_mesh.read_register, reg);
        return look_at(at).read_sum;
    }

    void drive(const mesh_step&, std::uint32_t k, std::uint64_t coefficient, bool tag) override
    {
        if (!m_driving) { m_mesh.row_valid = m_mesh.row_tag = 0; }
        m_driving = true;
        put(m_mesh.row_valid, k, 1, 1);
        put(m_mesh.row_tag, k, 1, tag);
        put(m_mesh.row_elements, std::size_t{k} * element_bits, element_bits, coefficient);
    }

    mesh_events execute(const mesh_step& step) override
    {
        if (!m_driving) { m_mesh.row_valid = m_mesh.row_tag = 0; }
        m_driving = false;
        write_planes();
        configure(step);
        mesh_events events;
        m_mesh.x_phase = 1;
        settle();
        events.sent = count(m_mesh.x_driven);
        rise();
        m_mesh.x_phase = 0;
        m_mesh.y_phase = 1;
        settle();
        events.latched = count(m_mesh.latched);
        events.driven = count(m_mesh.y_driven);
        events.saturated = count(m_mesh.saturated);
        rise();
        m_mesh.y_phase = 0;
        m_mesh.mac_phase = 1;
        settle();
        events.saturated += count(m_mesh.saturated);
        rise();
        m_mesh.mac_phase = 0;
        events.multiplied = count(m_mesh.multiplied);
        events.overflowed = count(m_mesh.overflowed);
        return events;
    }

    mesh_lines lines(const mesh_place& at) override
    {
        const auto& seen = look_at(at);
        return {seen.seen_x_valid != 0, seen.seen_x_tag != 0, seen.seen_x_element, seen.seen_y_valid != 0,
                seen.seen_y_element};
    }

private:
    using mesh_module = typename Modules::mesh;
    static constexpr unsigned side = whole_side, element_bits = Modules::element_bits, sum_bits = Modules::sum_bits;

    struct written_plane {
        unsigned lines = 0; // by bit
        std::array<std::uint64_t, side * side> sums{};
        bool operator==(const written_plane& o) const { return lines == o.lines && sums == o.sums; }
    };

    static std::uint64_t count(std::uint64_t bits) { return static_cast<std::uint64_t>(__builtin_popcountll(bits)); }

    // A clock: its inputs settle while it is low.
    void settle()
    {
        m_mesh.clock = 0;
        m_mesh.eval();
    }
    void rise()
    {
        m_mesh.clock = 1;
        m_mesh.eval();
    }
    void tick()
    {
        settle();
        rise();
    }
    const mesh_module& look_at(const mesh_place& at)
    {
        set(m_mesh.read_cell, (at[0] * side + at[1]) * side + at[2]);
        settle();
        return m_mesh;
    }

    // Planes with the same contents are written in the same clock, as when a register is cleared.
    void write_planes()
    {
        for (unsigned first = 0; first < side; ++first) {
            const auto plane = m_written[first];
            if (plane.lines == 0) { continue; }
            unsigned planes = 0;
            for (unsigned k = first; k < side; ++k) {
                if (!(m_written[k] == plane)) { continue; }
                planes |= 1u << k;
                m_written[k] = {};
            }
            set(m_mesh.write_planes, planes);
            set(m_mesh.write_lines, plane.lines);
            set(m_mesh.write_register, m_written_register);
            for (unsigned line = 0; line < side * side; ++line) {
                put(m_mesh.write_sums, std::size_t{line} * sum_bits, sum_bits, plane.sums[line]);
            }
            tick();
            m_mesh.write_planes = 0;
        }
    }

    void configure(const mesh_step& step)
    {
        set(m_mesh.x_mode, step.x_mode);
        set(m_mesh.y_mode, step.y_mode);
        set(m_mesh.source, step.source);
        set(m_mesh.target, step.target);
        set(m_mesh.shift, step.shift);
        set(m_mesh.esop, step.esop);
        set(m_mesh.threshold, step.threshold);
        set(m_mesh.pointwise, step.pointwise);
        set(m_mesh.operand, step.operand);
        if (m_configured && *m_configured == step) { return; }
        m_configured = step;
        m_mesh.configure = 1;
        tick();
        m_mesh.configure = 0;
    }

    VerilatedContext m_context;
    mesh_module m_mesh{&m_context, "mesh"};
    std::optional<mesh_step> m_configured;
    std::array<written_plane, side> m_written;
    unsigned m_written_register = 0;
    bool m_driving = false; // the row of the next time-step
};

} // namespace

std::unique_ptr<mesh_cells> make_mesh_cells(base::element_type format, const mesh_place& sizes)
{
    using result = std::unique_ptr<mesh_cells>;
    return with_format<result>(format, [&](auto modules) -> result {
        using modules_type = decltype(modules);
        const bool fits = sizes[0] <= whole_side && sizes[1] <= whole_side && sizes[2] <= whole_side;
        if (fits) { return std::make_unique<whole_mesh<modules_type>>(); }
        return std::make_unique<wired_mesh<modules_type>>(sizes);
    });
}

} // namespace tensorloom::rtl
