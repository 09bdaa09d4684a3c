#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/arithmetic/pointwise.h>
#include <tensorloom/models/triada/isa/events.h>
#include <tensorloom/models/triada/cell_memory.h>

namespace tensorloom::triada {

/// The state that all cells and lines of a core share in a time-step: the strobe that begins it, and the command's
/// switches.
struct step_context {
    std::uint64_t id = 0;                        ///< of this time-step, unique
    cell_register source = cell_register::input; ///< of the pivots' operands
    cell_register target = cell_register::first; ///< the accumulator
    unsigned shift = 0;                          ///< right shift of a sum that becomes an operand (integers)
    unsigned y_mode = 0;                         ///< pivots drive the line along this mode
    bool esop = true;
    double zero_threshold = 0;
    bool literal_wait = false;        ///< wait_rule::literal
    std::uint64_t line_cells[3] = {}; ///< hops per send on a line along each mode
    triada::counts counts;            ///< events of this time-step
    /// A pointwise step: every active cell changes its element of `source`.
    std::optional<arithmetic::pointwise_operation> pointwise;
    std::optional<cell_register> operand; ///< register of the other tensor
};

template <class Element> class cell;

/// One straight operand line through the mesh: lateral (along mode 1), frontal (mode 2) or horizontal (mode 3).
///
/// Carries one element per time-step from its driver to every cell on the line, in the step in which it was sent. The
/// driver is an actuator's face (a coefficient with its tag) or a pivot cell (an operand).
/// Source: TriADA, section 5.1 and figures 1 and 2.
///
/// Events    coefficient_send, operand_send    an element driven onto the line
///           ..._hop                           sends x cells that the line passes
/// Not modelled: contention (the schedule admits one driver per line and step), wire delay within a step.
///
/// Example
///
///     triada::step_context strobe;
///     triada::operand_line<double> line("lateral_0_0", 0, strobe); // along mode 1
///     line.drive_coefficient(0.5, true);                           // reaches every attached cell one delta later
template <class Element> class operand_line : public sc_core::sc_module {
public:
    operand_line(sc_core::sc_module_name name, unsigned mode, step_context& strobe);

    void attach(cell<Element>& listener) { m_listeners.push_back(&listener); } ///< elaboration only

    void drive_coefficient(const Element& value,
                           bool tag); ///< at most one drive per time-step; a second is an SC_ERROR
    void drive_operand(const Element& value);

    bool driven() const { return m_step == m_strobe.id; } ///< in the present time-step
    const Element& value() const { return m_value; }
    bool tag() const { return m_tag; }
    const char* kind() const override { return "operand_line"; }

private:
    void drive(const Element& value, bool is_coefficient, bool tag);
    void deliver(); // method process, one delta after drive

    unsigned m_mode;
    step_context& m_strobe;
    std::vector<cell<Element>*> m_listeners;
    sc_core::sc_event m_driven;
    Element m_value{};
    std::uint64_t m_step = 0;
    bool m_is_coefficient = false;
    bool m_tag = false;
};

} // namespace tensorloom::triada
