#include <tensorloom/models/mmv/config.h>
#include <tensorloom/models/blocks/systolic_array.h>

namespace tensorloom::mmv {
limits limits_of(const config& c) { return {c.side, c.format, c.scratchpad_bytes, c.blocks}; }

base::config_fields fields_of(config& c)
{
    const auto vector_unit = isa::vector::unit_fields(c.lanes, c.bank_broadcast);
    return shell::with_shell_fields(
        {
            base::number(c.side, {2, 1024},
                         {"side", "side", "SIDE", "Rows and columns of the array.", "array side: #"}),
            base::format(c.format, base::systolic_formats,
                         {"format", "format", "FORMAT", "Format of elements.", "unknown element format"}),
            blocks::fidelity_field(c.fidelity),
            vector_unit[0],
            vector_unit[1],
            isa::vector::costs_field(c.vector_costs),
            base::power_of_two(c.banks, 1, 4096,
                               {"banks", "banks", "COUNT",
                                "Banks of the scratchpad, a word wide each: a power of two. A bank reads a word for "
                                "each operand and writes one per cycle.",
                                "scratchpad banks: #"}),
            base::number(
                c.scratchpad_bytes, {scratchpad_unit, largest_scratchpad, scratchpad_unit},
                {"scratchpad-bytes", "scratchpad_bytes", "BYTES", "Size of the scratchpad.", "scratchpad bytes: #"}),
            base::number(c.in_words, {0, c.side},
                         {"in-words", "in_words_per_cycle", "PER_CYCLE", "Words per cycle into the array.",
                          "words per cycle into the array: #", "as its side"}),
            base::number(c.out_words, {0, c.side},
                         {"out-words", "out_words_per_cycle", "PER_CYCLE", "Words per cycle out of the array.",
                          "words per cycle out of the array: #", "as its side"}),
            base::number(c.pipeline_depth, {1, 64},
                         {"pipeline-depth", "pipeline_depth", "CYCLES",
                          "Cycles of a multiply-add in the array: sums pass as many registers per row of elements.",
                          "cycles of a multiply-add in the array: #"}),
            base::number(
                c.call_latency, {0, 1u << 20},
                {"call-latency", "call_latency", "CYCLES",
                 "Cycles that each array call takes in addition to its schedule: device time only, not the model's l.",
                 "call latency: #"}),
            base::flag(c.streaming,
                       {"streaming", "streaming", "",
                        "Elements of the array have two weights: tiles of a PRODUCT follow one another without gaps."}),
            base::number(c.call_interval, {0, 1u << 16},
                         {"call-interval", "call_interval", "CYCLES",
                          "Cycles between the starts of two calls of a tile of a PRODUCT, at least.",
                          "call interval: #"}),
            base::some_of(
                c.blocks,
                {std::begin(isa::vector::functional_block_names), std::end(isa::vector::functional_block_names)},
                {"blocks", "blocks", "NAME,NAME,..|none", "Functional blocks that the vector unit has."}),
            base::number(c.word_bits, {0, 128},
                         {"word-bits", "word_bits", "BITS", "Bits of a word in the circuit sizes of the model.",
                          "word bits of the model: #", "as the format"}),
            base::number(c.scalar_ops, {1, 1024},
                         {"scalar-ops", "scalar_ops_per_cycle", "PER_CYCLE", "Operations per cycle of the scalar unit.",
                          "scalar operations per cycle: #"}),
            base::flag(c.overlap,
                       {"overlap", "overlap", "", "Units work at the same time: an extension to the papers' machine."}),
        },
        c);
}

std::optional<std::string> validate(const config& given)
{
    config c = given;
    if (auto wrong = base::validate(fields_of(c))) { return wrong; }
    const std::uint64_t words = c.scratchpad_bytes / limits_of(c).word_bytes();
    if (c.banks > words) {
        return "scratchpad banks: " + std::to_string(c.banks) + ", expected at most the " + std::to_string(words) +
               " words of the scratchpad";
    }
    if (c.fidelity == blocks::fidelity::rtl) {
        blocks::systolic_array_config array{c.side, c.format};
        array.pipeline_depth = c.pipeline_depth;
        if (auto wrong = blocks::rtl_error(array)) { return wrong; }
    }
    if (auto wrong = isa::vector::validate(c.vector_costs)) { return wrong; }
    return bus::validate(dma_settings(c));
}

} // namespace tensorloom::mmv
