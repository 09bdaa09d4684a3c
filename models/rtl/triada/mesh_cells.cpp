#include <tensorloom/models/rtl/triada/mesh_cells.h>
#include <vector>
#include <verilated_formats.h>
#include <tensorloom/models/rtl/pins.h>

namespace tensorloom::rtl {
namespace {

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

    void activate(const mesh_place& at, bool active) override
    {
        cell& c = cell_at(at);
        m_active[number(at)] = active;
        c.activate = 1;
        set(c.activate_as, active);
        tick(c);
        c.activate = 0;
    }
    void write(const mesh_place& at, unsigned reg, std::uint64_t sum) override
    {
        cell& c = cell_at(at);
        c.write = 1;
        set(c.write_register, reg);
        set(c.write_sum, sum);
        tick(c);
        c.write = 0;
    }
    std::uint64_t read(const mesh_place& at, unsigned reg) const override
    {
        cell& c = *m_cells[number(at)];
        set(c.read_register, reg);
        c.eval();
        return c.read_sum;
    }

    void drive(const mesh_step& step, const mesh_place& through, std::uint64_t coefficient, bool tag) override
    {
        for_each_on_line(step.x_mode, through, [&](std::size_t c) {
            m_lines[c].x_valid = true;
            m_lines[c].tag = tag;
            m_lines[c].coefficient = coefficient;
        });
    }

    mesh_events execute(const mesh_step& step) override
    {
        mesh_events events;
        deliver_x_lines(step, events);
        deliver_y_lines(step, events);
        multiply(step, events);
        m_shown = m_lines;
        m_lines.assign(m_lines.size(), {});
        return events;
    }

    mesh_lines lines(const mesh_place& at) const override
    {
        return m_shown.empty() ? mesh_lines{} : m_shown[number(at)];
    }

private:
    using cell = typename Modules::mesh_cell;

    std::size_t number(const mesh_place& at) const
    {
        return (std::size_t{at[0]} * m_sizes[1] + at[1]) * m_sizes[2] + at[2];
    }
    cell& cell_at(const mesh_place& at) { return *m_cells[number(at)]; }
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
    std::vector<unsigned char> m_active;
    std::vector<mesh_lines> m_lines; // by cell, of this time-step
    std::vector<mesh_lines> m_shown; // of the one before
};

} // namespace

std::unique_ptr<mesh_cells> make_mesh_cells(base::element_type format, const mesh_place& sizes)
{
    using result = std::unique_ptr<mesh_cells>;
    return with_format<result>(
        format, [&](auto modules) -> result { return std::make_unique<wired_mesh<decltype(modules)>>(sizes); });
}

} // namespace tensorloom::rtl
