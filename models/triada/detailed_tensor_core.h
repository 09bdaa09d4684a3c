#pragma once
#include <memory>
#include <vector>
#include <tensorloom/models/triada/cell.h>
#include <tensorloom/models/triada/module_rank.h>
#include <tensorloom/models/triada/operand_line.h>
#include <tensorloom/models/triada/tensor_core.h>

namespace tensorloom::triada {

/// The tensor core with a module for every cell and every operand line; for waveforms, and as the witness of the fast one.
///
/// A cell has no process: its lines call it. A line has one method process. Time-step, by deltas: 0 the face drives X lines; 1 they
/// deliver, pivots drive Y lines; 2 those deliver, cells multiply and add.
/// Modules are named slab_I.row_J.cell_K for the cell at (I, J, K), lateral.row_J.line_K, frontal.row_I.line_K and horizontal.row_I.line_J.
template <class T> class detailed_tensor_core : public tensor_core {
public:
    detailed_tensor_core(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop,
                         step_observer& observer);

    // cell_memory_if
    void activate(const shape3& shape) override;
    void write(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) override;
    void read(cell_register reg, std::uint64_t first, unsigned char* bytes, std::uint64_t elements) const override;

private:
    using cell_row = module_rank<cell<T>>;
    using line_row = module_rank<operand_line<T>>;

    void execute(const vector_burst& burst, std::vector<arch::triada_counts>& counts) override;
    void show(cell_waveform& waveform, const vector_burst& burst, const tagged_vector& vector) const override;

    void drive_face(const vector_burst& burst, const tagged_vector& vector);
    operand_line<T>& line_at(unsigned mode, const shape3& at);

    step_strobe m_strobe;
    std::vector<std::unique_ptr<module_rank<line_row>>> m_lines; // lateral, frontal, horizontal
    std::vector<std::unique_ptr<module_rank<cell_row>>> m_slabs;
    std::vector<cell<T>*> m_box_cells; // the active cells in C order
};

} // namespace tensorloom::triada
