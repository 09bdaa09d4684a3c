#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/triada/cell.h>
#include <tensorloom/models/triada/operand_line.h>
#include <tensorloom/models/triada/tensor_core.h>

namespace tensorloom::triada {

/// A module that holds a row of others. Large meshes are nested in ranks, because SystemC takes quadratic time in the
/// number of children of one parent when it tears down.
template <class Child> class module_rank : public sc_core::sc_module {
public:
    /// Makes children `prefix`_0, `prefix`_1, ... with make(name, index), which returns a pointer to a new Child.
    template <class Make>
    module_rank(sc_core::sc_module_name name, const char* prefix, std::size_t children, const Make& make)
        : sc_core::sc_module(name)
    {
        m_children.reserve(children);
        for (std::size_t i = 0; i < children; ++i) {
            m_children.push_back(
                std::unique_ptr<Child>(make((std::string(prefix) + "_" + std::to_string(i)).c_str(), i)));
        }
    }

    Child& operator[](std::size_t i) { return *m_children[i]; }
    const Child& operator[](std::size_t i) const { return *m_children[i]; }

private:
    std::vector<std::unique_ptr<Child>> m_children;
};

/// The tensor core with a module for every cell and every operand line; for waveforms, and as the witness of the fast
/// one.
///
/// A cell has no process: its lines call it. A line has one method process. Time-step, by deltas: 0 the face drives X
/// lines; 1 they deliver, pivots drive Y lines; 2 those deliver, cells multiply and add.
/// Modules are named slab_I.row_J.cell_K for the cell at (I, J, K), lateral.row_J.line_K, frontal.row_I.line_K and
/// horizontal.row_I.line_J.
template <class Element> class detailed_tensor_core : public tensor_core {
public:
    detailed_tensor_core(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop,
                         step_observer& observer);

    // cell_memory_if
    void activate(const shape3& box) override;
    void clear(cell_register reg, const shape3& shape) override;
    void write(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) override;
    void write_sums(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t sums) override;
    std::uint64_t read(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                       std::uint64_t elements, unsigned shift) const override;
    void read_sums(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                   std::uint64_t sums, unsigned shift) const override;

private:
    using accumulator = arithmetic::accumulator_of<Element>;
    using cell_row = module_rank<cell<Element>>;
    using line_row = module_rank<operand_line<Element>>;

    void execute(const vector_burst& burst, arch::triada::counts* counts) override;
    void show(std::size_t index, cell_waveform& waveform, const vector_burst& burst,
              const tagged_vector& vector) override;

    void drive_face(const vector_burst& burst, const tagged_vector& vector);
    operand_line<Element>& line_at(unsigned mode, const shape3& at);
    const cell<Element>& cell_at(const shape3& at) const { return (*m_slabs[at[0]])[at[1]][at[2]]; }
    cell<Element>& cell_at(const shape3& at) { return (*m_slabs[at[0]])[at[1]][at[2]]; }
    /// Calls visit(cell) for all cells of a corner.
    template <class Visit> void for_each_cell(const shape3& shape, const Visit& visit);

    step_strobe m_strobe;
    std::vector<std::unique_ptr<module_rank<line_row>>> m_lines; // lateral, frontal, horizontal
    std::vector<std::unique_ptr<module_rank<cell_row>>> m_slabs;
    shape3 m_shapes[cell_registers] = {}; // in which registers are written
};

} // namespace tensorloom::triada
