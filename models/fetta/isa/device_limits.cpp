#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::fetta {
namespace {

constexpr std::uint32_t most_bank_bytes = 1u << 26; // 64 banks of it are 4 GiB: local addresses have 32 bits

constexpr std::uint32_t most_buffer_cycles = 16, most_mac_latency = 64;

constexpr base::element_type wide_only[] = {base::element_type::f32};

std::string power_from(const char* name, std::uint64_t least)
{
    return std::string(name) + " is #, expected a power of two" +
           base::range_text<std::uint64_t>(least, most_bank_bytes);
}

} // namespace

base::config_fields fields_of(device_limits& g)
{
    const base::element_types psums =
        g.operand == base::element_type::bf16 ? base::element_types(formats) : base::element_types(wide_only);
    return {
        base::format(g.operand, formats,
                     {"operand", "operand", "bf16|f32", "Format of the operands; f32 for checks.",
                      "operand is #, expected bf16 or f32"}),
        base::format(g.psum, psums,
                     {"psum", "psum", "f32|bf16", "Format of every partial sum; bf16 with bf16 operands.",
                      "psum is #, expected f32, or bf16 with operands of bf16"}),
        base::choice(
            g.engines, {{"4", 4}, {"16", 16}, {"64", 64}},
            {"engines", "engines", "COUNT", "Contraction engines, ports and banks: 4, 16 or 64.", "engines is #"},
            "4, 16 or 64"),
        base::power_of_two(g.side, 2, 16,
                           {"side", "side", "SIDE", "Rows and columns of an engine: 2, 4, 8 or 16.",
                            "side is #, expected 2, 4, 8 or 16"}),
        base::power_of_two(g.bank_bytes, 4096, most_bank_bytes,
                           {"bank-bytes", "bank_bytes", "BYTES",
                            "Size of a bank of the unified memory, a power of two.", power_from("bank_bytes", 4096)}),
        base::power_of_two(g.accumulator_bank_bytes, 1024, most_bank_bytes,
                           {"accumulator-bank-bytes", "accumulator_bank_bytes", "BYTES",
                            "Size of a bank of the accumulation unit, a power of two.",
                            power_from("accumulator_bank_bytes", 1024)}),
        base::number(g.buffer_cycles, {0, most_buffer_cycles},
                     {"buffer-cycles", "buffer_cycles", "CYCLES",
                      "Latency of a gather or scatter buffer, per contraction that needs it.", "buffer_cycles is #"}),
        base::number(g.mac_latency, {1, most_mac_latency},
                     {"mac-latency", "mac_latency", "CYCLES", "Cycles of a multiply-add.", "mac_latency is #"}),
    };
}

std::optional<std::string> validate(const device_limits& g)
{
    device_limits checked = g;
    return base::validate(fields_of(checked));
}

} // namespace tensorloom::fetta
