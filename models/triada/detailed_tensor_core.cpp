#include <tensorloom/models/triada/detailed_tensor_core.h>
#include <complex>
#include <cstring>
#include <string>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::triada {
namespace {

// The two modes that number the lines along `mode`, the slower first.
constexpr unsigned slower_mode(unsigned mode) { return mode == 0 ? 1 : 0; }
constexpr unsigned faster_mode(unsigned mode) { return mode == 2 ? 1 : 2; }

} // namespace

template <class T>
detailed_tensor_core<T>::detailed_tensor_core(sc_core::sc_module_name name, const config& config,
                                              const bus::stop_request& stop, step_observer& observer)
    : tensor_core(name, config, stop, observer)
{
    const auto& mesh = config.mesh;
    static constexpr const char* set_names[] = {"lateral", "frontal", "horizontal"};
    for (unsigned mode = 0; mode < 3; ++mode) {
        const auto make_line = [&](const char* n, std::size_t) { return new operand_line<T>(n, mode, m_strobe); };
        const auto make_row = [&](const char* n, std::size_t) {
            return new line_row(n, "line", mesh[faster_mode(mode)], make_line);
        };
        m_lines.push_back(
            std::make_unique<module_rank<line_row>>(set_names[mode], "row", mesh[slower_mode(mode)], make_row));
    }
    const auto make_cell = [&](const char* n, std::size_t) { return new cell<T>(n, m_strobe); };
    const auto make_row = [&](const char* n, std::size_t) { return new cell_row(n, "cell", mesh[2], make_cell); };
    for (std::uint32_t i = 0; i < mesh[0]; ++i) {
        m_slabs.push_back(
            std::make_unique<module_rank<cell_row>>(("slab_" + std::to_string(i)).c_str(), "row", mesh[1], make_row));
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

template <class T> operand_line<T>& detailed_tensor_core<T>::line_at(unsigned mode, const shape3& at)
{
    return (*m_lines[mode])[at[slower_mode(mode)]][at[faster_mode(mode)]];
}

template <class T> void detailed_tensor_core<T>::activate(const shape3& shape)
{
    for (auto* idle : m_box_cells) { idle->activate(false); }
    m_box_cells.clear();
    m_box_cells.reserve(std::size_t{shape[0]} * shape[1] * shape[2]);
    for (std::uint32_t i = 0; i < shape[0]; ++i) {
        for (std::uint32_t j = 0; j < shape[1]; ++j) {
            for (std::uint32_t k = 0; k < shape[2]; ++k) {
                m_box_cells.push_back(&(*m_slabs[i])[j][k]);
                m_box_cells.back()->activate(true);
            }
        }
    }
    set_box(shape);
}

template <class T>
void detailed_tensor_core<T>::write(cell_register reg, std::uint64_t first, const unsigned char* bytes,
                                    std::uint64_t elements)
{
    for (std::uint64_t e = 0; e < elements; ++e, bytes += sizeof(T)) {
        T value;
        std::memcpy(&value, bytes, sizeof value);
        m_box_cells[first + e]->write(static_cast<unsigned>(reg), value);
    }
}

template <class T>
void detailed_tensor_core<T>::read(cell_register reg, std::uint64_t first, unsigned char* bytes,
                                   std::uint64_t elements) const
{
    for (std::uint64_t e = 0; e < elements; ++e, bytes += sizeof(T)) {
        std::memcpy(bytes, &m_box_cells[first + e]->read(static_cast<unsigned>(reg)), sizeof(T));
    }
}

template <class T>
void detailed_tensor_core<T>::execute(const vector_burst& burst, std::vector<arch::triada_counts>& counts)
{
    for (std::size_t i = 0; i < burst.vectors.size(); ++i) {
        ++m_strobe.id;
        m_strobe.stage = burst.stage;
        m_strobe.y_mode = burst.mode;
        m_strobe.esop = burst.esop;
        m_strobe.zero_threshold = burst.zero_threshold;
        for (unsigned mode = 0; mode < 3; ++mode) { m_strobe.line_cells[mode] = line_cells(mode); }
        m_strobe.counts = {};
        drive_face(burst, burst.vectors[i]);
        sc_core::wait(sc_core::SC_ZERO_TIME); // X lines have delivered
        sc_core::wait(sc_core::SC_ZERO_TIME); // Y lines have
        sc_core::wait(sc_core::SC_ZERO_TIME);
        counts[i] = m_strobe.counts;
    }
}

// Drives the vector onto the face: element k onto the X line at index k of the summed mode, of every slice.
template <class T> void detailed_tensor_core<T>::drive_face(const vector_burst& burst, const tagged_vector& vector)
{
    const unsigned slice_mode = 3 - burst.mode - burst.x_mode;
    shape3 at{0, 0, 0};
    for (std::uint32_t k = 0; k < burst.length; ++k) {
        T element;
        std::memcpy(&element, vector.elements + k * sizeof(T), sizeof element);
        const bool tag = k == vector.tag;
        if (burst.esop && !tag && arithmetic::is_zero(element)) { continue; }
        at[burst.mode] = k;
        for (std::uint32_t slice = 0; slice < box()[slice_mode]; ++slice) {
            at[slice_mode] = slice;
            line_at(burst.x_mode, at).drive_coefficient(element, tag);
        }
    }
}

template <class T>
void detailed_tensor_core<T>::show(cell_waveform& waveform, const vector_burst& burst, const tagged_vector&) const
{
    const auto& at = waveform.at;
    const cell<T>& watched = (*m_slabs[at[0]])[at[1]][at[2]];
    const auto& x = watched.line(burst.x_mode);
    const auto& y = watched.line(burst.mode);
    waveform.x_valid = x.driven();
    waveform.tag = x.driven() && x.tag();
    waveform.coefficient = x.driven() ? shown(x.value()) : waveform_element{};
    waveform.y_valid = y.driven();
    waveform.operand = y.driven() ? shown(y.value()) : waveform_element{};
    for (unsigned r = 0; r < cell_registers; ++r) { waveform.element[r] = shown(watched.read(r)); }
}

template class detailed_tensor_core<double>;
template class detailed_tensor_core<float>;
template class detailed_tensor_core<std::complex<double>>;
template class detailed_tensor_core<std::complex<float>>;

} // namespace tensorloom::triada
