#include <tensorloom/models/triada/tensor_core.h>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/blocks/module_rank.h>
#include <tensorloom/models/blocks/tensor_planes.h>
#include <tensorloom/models/triada/cell.h>
#include <tensorloom/models/triada/cellwise_tensor_core.h>
#include <tensorloom/models/triada/operand_line.h>

namespace tensorloom::triada {

/// The tensor core with a module per cell and per operand line, for waveforms and as the reference of the fast core.
///
/// A cell has no process: its lines call it. A line has one method process. Deltas of a time-step: 0, the face drives X
/// lines; 1, they deliver, and pivots drive Y lines; 2, those deliver, and cells multiply and add.
/// Modules are named slab_I.row_J.cell_K for the cell at (I, J, K), lateral.row_J.line_K, frontal.row_I.line_K and
/// horizontal.row_I.line_J.
template <class Element>
class detailed_tensor_core : public cellwise_tensor_core<Element, detailed_tensor_core<Element>> {
public:
    using accumulator = arithmetic::accumulator_of<Element>;

    detailed_tensor_core(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                         const bus::stop_request& stop, step_observer& observer);

    // cell_memory_if
    void activate(const shape3& box) override;

    // cellwise_tensor_core
    void write_cell(const shape3& at, cell_register reg, const accumulator& sum) { cell_at(at).write(reg, sum); }
    const accumulator& read_cell(const shape3& at, cell_register reg) const { return cell_at(at).read(reg); }
    const char* kind() const override { return "detailed_tensor_core"; }

private:
    using base_type = cellwise_tensor_core<Element, detailed_tensor_core<Element>>;
    using base_type::box;
    using base_type::set_box;
    using base_type::settings;
    using cell_row = blocks::module_rank<cell<Element>>;
    using line_row = blocks::module_rank<operand_line<Element>>;

    void execute(const vector_burst& burst, counts* counts) override;
    void show(std::size_t index, cell_waveform& waveform, const vector_burst& burst,
              const tagged_vector& vector) override;

    operand_line<Element>& line_at(unsigned mode, const shape3& at);
    const cell<Element>& cell_at(const shape3& at) const { return (*m_slabs[at[0]])[at[1]][at[2]]; }
    cell<Element>& cell_at(const shape3& at) { return (*m_slabs[at[0]])[at[1]][at[2]]; }
    /// Calls visit(cell) for all cells of a corner.
    template <class Visit> void for_each_cell(const shape3& shape, const Visit& visit)
    {
        this->for_each_place(shape, [&](const shape3& at) { visit(cell_at(at)); });
    }

    step_context m_strobe;
    std::vector<std::unique_ptr<blocks::module_rank<line_row>>> m_lines; // lateral, frontal, horizontal
    std::vector<std::unique_ptr<blocks::module_rank<cell_row>>> m_slabs;
};

namespace {

// The two modes that number the lines along `mode`, the slower first.
constexpr unsigned slower_mode(unsigned mode) { return mode == 0 ? 1 : 0; }
constexpr unsigned faster_mode(unsigned mode) { return mode == 2 ? 1 : 2; }

} // namespace

template <class Element>
detailed_tensor_core<Element>::detailed_tensor_core(sc_core::sc_module_name name, const config& config,
                                                    const bus::clock_source& clock, const bus::stop_request& stop,
                                                    step_observer& observer)
    : base_type(name, config, clock, stop, observer)
{
    const auto& mesh = config.mesh;
    static constexpr const char* set_names[] = {"lateral", "frontal", "horizontal"};
    for (unsigned mode = 0; mode < 3; ++mode) {
        const auto make_line = [&](const char* n, std::size_t) { return new operand_line<Element>(n, mode, m_strobe); };
        const auto make_row = [&](const char* n, std::size_t) {
            return new line_row(n, "line", mesh[faster_mode(mode)], make_line);
        };
        m_lines.push_back(
            std::make_unique<blocks::module_rank<line_row>>(set_names[mode], "row", mesh[slower_mode(mode)], make_row));
    }
    const auto make_cell = [&](const char* n, std::size_t) {
        return new cell<Element>(n, m_strobe, config.registers());
    };
    const auto make_row = [&](const char* n, std::size_t) { return new cell_row(n, "cell", mesh[2], make_cell); };
    for (std::uint32_t i = 0; i < mesh[0]; ++i) {
        m_slabs.push_back(std::make_unique<blocks::module_rank<cell_row>>(("slab_" + std::to_string(i)).c_str(), "row",
                                                                          mesh[1], make_row));
        for (std::uint32_t j = 0; j < mesh[1]; ++j) {
            for (std::uint32_t k = 0; k < mesh[2]; ++k) {
                for (unsigned mode = 0; mode < 3; ++mode) {
                    (*m_slabs[i])[j][k].connect(mode, line_at(mode, {i, j, k}));
                }
            }
        }
    }
    m_strobe.literal_wait = config.wait_rule == wait_rule::literal;
}

template <class Element> operand_line<Element>& detailed_tensor_core<Element>::line_at(unsigned mode, const shape3& at)
{
    return (*m_lines[mode])[at[slower_mode(mode)]][at[faster_mode(mode)]];
}

template <class Element> void detailed_tensor_core<Element>::activate(const shape3& new_box)
{
    for_each_cell(box(), [](cell<Element>& c) { c.activate(false); });
    for_each_cell(new_box, [](cell<Element>& c) { c.activate(true); });
    set_box(new_box);
}

template <class Element> void detailed_tensor_core<Element>::execute(const vector_burst& burst, counts* counted)
{
    for (std::size_t i = 0; i < burst.vectors.size(); ++i) {
        ++m_strobe.id;
        m_strobe.source = burst.source;
        m_strobe.target = burst.target;
        m_strobe.shift = burst.shift;
        m_strobe.y_mode = burst.mode;
        m_strobe.esop = burst.esop;
        m_strobe.zero_threshold = burst.zero_threshold;
        m_strobe.pointwise = burst.pointwise;
        m_strobe.operand = burst.operand;
        for (unsigned mode = 0; mode < 3; ++mode) { m_strobe.line_cells[mode] = this->line_cells(mode); }
        m_strobe.counts = {};
        this->drive_face(burst, burst.vectors[i], [&](const shape3& at, const Element& element, bool tag) {
            line_at(burst.x_mode, at).drive_coefficient(element, tag);
        });
        this->wait_for_lines();
        if (burst.pointwise) {
            for_each_cell(box(), [](cell<Element>& c) { c.change_element(); });
        }
        counted[i] = m_strobe.counts;
    }
}

template <class Element>
void detailed_tensor_core<Element>::show(std::size_t, cell_waveform& waveform, const vector_burst& burst,
                                         const tagged_vector&)
{
    const cell<Element>& watched = cell_at(waveform.at);
    const auto& x = watched.line(burst.x_mode);
    const auto& y = watched.line(burst.mode);
    waveform.x_valid = x.driven();
    waveform.tag = x.driven() && x.tag();
    waveform.coefficient = x.driven() ? arithmetic::shown(x.value()) : arithmetic::traced_element{};
    waveform.y_valid = y.driven();
    waveform.operand = y.driven() ? arithmetic::shown(y.value()) : arithmetic::traced_element{};
    for (unsigned r = 0; r < settings().registers(); ++r) {
        waveform.element[r] = arithmetic::shown(watched.read(static_cast<cell_register>(r)));
    }
}

std::unique_ptr<tensor_core> make_detailed_tensor_core(sc_core::sc_module_name name, const config& config,
                                                       const bus::clock_source& clock, const bus::stop_request& stop,
                                                       step_observer& observer)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16,
                              std::int8_t>(config.format, [&](auto element) -> std::unique_ptr<tensor_core> {
        return std::make_unique<detailed_tensor_core<decltype(element)>>(name, config, clock, stop, observer);
    });
}

} // namespace tensorloom::triada
