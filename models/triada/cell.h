#pragma once
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/models/triada/operand_line.h>

namespace tensorloom::triada {

/// One cell of the mesh: storage, a multiply-add unit and one line of each set. It is data-driven: it reacts to what
/// its lines carry and knows neither its position nor the problem size.
///
/// Source: TriADA, sections 5.1 (figure 2d) and 6 (figure 5).
///
/// In a time-step an active cell (valid bit, set by loading)
///   - latches a received coefficient; with tag = 1 the cell is a pivot and drives its stored operand, the sum in the
///     source register rounded to an element, onto its Y line (ESOP: unless the operand counts as zero);
///   - on a received operand, and with a coefficient of the same time-step (ESOP: a non-zero one), does one
///     multiply-add into its accumulator, the target register.
///
/// The strobe that begins a time-step ends the wait of the previous one. Under the paper's literal rule a cell would
/// wait until its next coefficient and could multiply a new operand by an old coefficient (wait_rule::literal, for the
/// test that demonstrates it).
///
/// In a pointwise step it changes its own element in place instead (arithmetic/pointwise.h).
///
/// Events    register_write       coefficient latched, accumulator updated
///           register_read        operand driven; coefficient and accumulator of a multiply-add, whose operand comes
///                                from the line
///           mac                  multiply-add done
///           mac_overflowed       multiply-add whose sum wrapped
///           operand_saturated    pivot sum that saturated when it was rounded
///
/// Example
///
///     triada::step_context strobe;
///     triada::cell<double> cell("cell", strobe);
///     triada::operand_line<double> line("lateral_0_0", 0, strobe);
///     cell.connect(0, line);
///     cell.write(triada::cell_register::input, 1.0);
template <class Element> class cell : public sc_core::sc_module {
public:
    using accumulator = arithmetic::accumulator_of<Element>;

    cell(sc_core::sc_module_name name, step_context& strobe, unsigned registers = 4)
        : sc_core::sc_module(name), m_strobe(strobe), m_sums(registers)
    {}

    /// Elaboration: the line along `mode` (0, 1, 2) that this cell sits on.
    void connect(unsigned mode, operand_line<Element>& line)
    {
        m_lines[mode] = &line;
        line.attach(*this);
    }
    const operand_line<Element>& line(unsigned mode) const { return *m_lines[mode]; }

    // the memory port
    void activate(bool active);
    void write(cell_register reg, const accumulator& sum) { m_sums[static_cast<unsigned>(reg)] = sum; }
    const accumulator& read(cell_register reg) const { return m_sums[static_cast<unsigned>(reg)]; }

    // the buses
    void receive_coefficient(const Element& coefficient, bool tag);
    void receive_operand(const Element& operand);

    /// A pointwise step, by the strobe: the cell changes its element of the source register, with its element of
    /// another register, or with the coefficient that it has just latched.
    void change_element();
    const char* kind() const override { return "cell"; }

private:
    step_context& m_strobe;
    operand_line<Element>* m_lines[3] = {};
    std::vector<accumulator> m_sums; // by register
    Element m_coefficient{};
    std::uint64_t m_coefficient_step = 0;
    bool m_active = false;
    bool m_waits = false; // for an operand to multiply by m_coefficient
};

} // namespace tensorloom::triada
