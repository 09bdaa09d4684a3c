#include <tensorloom/models/torus/config.h>
#include <tensorloom/models/torus/isa/driver.h>

namespace tensorloom::torus {

base::config_fields fields_of(config& c)
{
    return shell::with_shell_fields(
        {
            base::number(
                c.side, {1, 64},
                {"side", "grid", "COUNT", "Nodes along each side of the torus.", "grid of # nodes along a side"}),
            base::sizes(c.block, {1, 1024},
                        {"block", "block", "B1xB2xB3",
                         "Largest block of a node; a problem larger than grid times block is split into tiles.",
                         "block of # elements along mode"}),
            base::format(c.format, formats,
                         {"format", "format", "FORMAT", "Element format.", "unknown element format"}),
            base::choice(c.fidelity, {{"fast", 0}, {"detailed", 1}},
                         {"fidelity", "fidelity", "fast|detailed",
                          "Same results, counts and times; detailed has a module per node."}),
            base::choice(
                c.overlap, {{"none", 0}, {"operand", 1}, {"sliced", 2}, {"shared", 3}},
                {"overlap", "overlap", "none|operand|sliced|shared",
                 "Blocks that roll while nodes compute: none, those that a step does not change, slices of sums "
                 "too; or sums are written into memory that neighbours share."}),
            base::number(c.slices, {0, 1024},
                         {"slices", "slices", "COUNT", "Slices of a block with overlap sliced.", "# slices",
                          "as many as keep the multipliers busy"}),
            base::number(c.sync_cycles, {0, 1'000'000},
                         {"sync-cycles", "sync_cycles", "CYCLES",
                          "Cycles in which neighbours synchronise after a step, with overlap shared.",
                          "synchronisation of # cycles"}),
            base::number(c.macs_per_cycle, {1, 65536},
                         {"macs-per-cycle", "macs_per_cycle", "PER_CYCLE",
                          "Multiply-adds that a node begins per cycle.", "# multiply-adds per cycle"}),
            base::number(c.mac_latency, {1, 64},
                         {"mac-latency", "mac_latency", "CYCLES",
                          "Cycles of a multiply-add: from one addition to a sum to the next one.",
                          "multiply-add of # cycles", "", "fma-latency"}),
            base::number(c.words_per_cycle, {1, 65536},
                         {"words-per-cycle", "words_per_cycle", "PER_CYCLE",
                          "Elements per cycle of each link, each way.", "link of # elements per cycle"}),
            base::fraction(c.cycles_per_pitch, 0, 1000,
                           {"cycles-per-pitch", "cycles_per_pitch", "PER_PITCH",
                            "Cycles that a word takes along the side of a node; all links are as slow as the longest.",
                            "# cycles per pitch"}),
            base::flag(c.folded, {"folded", "folded", "", "Rings are folded: links of two pitches at most."}),
            base::number(c.load_elements, {1, 1u << 20},
                         {"load-elements", "load_elements_per_cycle", "PER_CYCLE",
                          "Elements per cycle through the memory port of the torus.",
                          "memory port of # elements per cycle"}),
            shell::dma_ports_field(c.dma_ports),
            base::number(c.coefficient_elements, {1, 1u << 30},
                         {"coefficient-elements", "coefficient_elements", "COUNT",
                          "Coefficients of all matrices that each node can hold.", "coefficient memory of # elements"}),
            base::number(c.threads, {1, 256},
                         {"threads", "threads", "COUNT",
                          "Threads of the simulation; they change nothing but its speed.", "# threads"}),
        },
        c);
}

std::optional<std::string> validate(const config& given)
{
    config c = given;
    if (auto wrong = base::validate(fields_of(c))) { return wrong; }
    if (c.fidelity == fidelity::rtl) { return "the torus has no rtl, expected the fidelity fast or detailed"; }
    return bus::validate(dma_settings(c));
}

timing_parameters timing_of(const config& c)
{
    return {c.macs_per_cycle,
            c.mac_latency,
            c.words_per_cycle,
            hop_cycles(c.side, c.folded, c.cycles_per_pitch),
            c.overlap,
            c.slices,
            line_cycles(c.side, c.cycles_per_pitch),
            c.sync_cycles};
}

} // namespace tensorloom::torus
