#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/tensor_core.h>
#include <cstdint>
#include <tensorloom/models/triada/isa/driver.h>

namespace tensorloom::triada {

base::config_fields fields_of(config& c)
{
    return shell::with_shell_fields(
        {
            base::sizes(c.mesh, {1, 1024},
                        {"mesh", "mesh", "P1xP2xP3", "Cells of the mesh; a larger problem is split into tiles.",
                         "mesh size # along mode"}),
            base::format(c.format, formats,
                         {"format", "format", "FORMAT", "Element format.", "unknown element format"}),
            blocks::fidelity_field(c.fidelity),
            base::number(c.matrix_elements, {1, 1u << 30},
                         {"matrix-elements", "matrix_elements", "COUNT", "Coefficients that each actuator can hold.",
                          "streaming memory of # coefficients"}),
            base::number(c.step_cycles, {1, 1'000'000},
                         {"step-cycles", "step_cycles", "CYCLES", "Clock cycles of a time-step.", "step of # cycles"}),
            base::number(c.look_ahead, {0, 1u << 20},
                         {"look-ahead", "look_ahead_rows", "ROWS",
                          "ESOP: rows among which the next one that is not all zero is found in no time.",
                          "look-ahead of # rows", "all rows"}),
            base::number(c.cell_registers, {1, 8},
                         {"cell-registers", "cell_registers", "COUNT",
                          "Partial sums that a cell holds, besides its operand and the next one.",
                          "# partial sums in a cell"}),
            base::number(c.load_elements, {1, 1u << 20},
                         {"load-elements", "load_elements_per_cycle", "PER_CYCLE",
                          "Elements per cycle through the core's memory port.", "memory port of # elements per cycle"}),
            base::on_off(
                c.port_aligner,
                {"port-aligner", "port_aligner", "on|off",
                 "The core's memory port moves any consecutive elements; off: those of one row along mode 3."}),
            shell::dma_ports_field(c.dma_ports),
            base::choice(c.line_extent, {{"mesh", 0}, {"active", 1}},
                         {"line-extent", "line_extent", "mesh|active",
                          "Wire length charged per send: the whole line, or its part in the active box."}),
            base::choice(c.wait_rule, {{"strobe", 0}, {"literal", 1}},
                         {"wait-rule", "wait_rule", "strobe|literal", "When a cell stops waiting for its operand."}),
            base::number(c.threads, {1, 256},
                         {"threads", "threads", "COUNT",
                          "Threads of the simulation; they change nothing but its speed.", "# threads"}),
            base::number(
                c.stream_burst, {0, UINT32_MAX},
                {"stream-burst", "stream_burst", "VECTORS", "Most vectors of a stream transfer; 0: no limit."}),
        },
        c);
}

std::optional<std::string> validate(const config& given)
{
    config c = given;
    if (auto wrong = base::validate(fields_of(c))) { return wrong; }
    if (auto wrong = bus::validate(dma_settings(c))) { return wrong; }
    if (c.fidelity == fidelity::rtl) {
        if (auto wrong = rtl_error(c)) { return wrong; }
    }
    if (c.wait_rule == wait_rule::literal && c.fidelity != fidelity::detailed) {
        return std::string("the literal wait rule exists in detailed fidelity only");
    }
    return std::nullopt;
}

} // namespace tensorloom::triada
