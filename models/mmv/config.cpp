#include <tensorloom/models/mmv/config.h>
#include <tensorloom/models/arch/values/integers.h>

namespace tensorloom::mmv {
namespace {

struct bounded {
    const char* name;
    std::uint64_t found, least, most;
};

} // namespace

arch::mmv::limits limits_of(const config& c) { return {c.side, c.format, c.scratchpad_bytes, c.blocks}; }

std::optional<std::string> complaint(const config& c)
{
    const bounded numbers[] = {
        {"array side", c.side, 2, 1024},
        {"words per cycle into the array", c.in_words, 0, c.side},
        {"words per cycle out of the array", c.out_words, 0, c.side},
        {"call latency", c.call_latency, 0, 1u << 20},
        {"vector lanes", c.lanes, 1, 65536},
        {"word bits of the model", c.word_bits, 0, 128},
        {"scalar operations per cycle", c.scalar_ops, 1, 1024},
        {"scratchpad bytes", c.scratchpad_bytes, scratchpad_unit, (std::uint64_t{1} << 32) - scratchpad_unit},
        {"scratchpad banks", c.banks, 1, 4096},
    };
    for (const auto& n : numbers) {
        if (n.found < n.least || n.found > n.most) {
            return std::string(n.name) + ": " + std::to_string(n.found) + ", expected " + std::to_string(n.least) +
                   " to " + std::to_string(n.most);
        }
    }
    if (!arch::element_types(arch::systolic_formats).contains(static_cast<std::uint8_t>(c.format))) {
        return std::string("unknown element format");
    }
    if (c.scratchpad_bytes % scratchpad_unit != 0) {
        return "scratchpad bytes: " + std::to_string(c.scratchpad_bytes) + ", expected a multiple of " +
               std::to_string(scratchpad_unit);
    }
    if (!arch::is_power_of_two(c.banks)) {
        return "scratchpad banks: " + std::to_string(c.banks) + ", expected a power of two";
    }
    const std::uint64_t words = c.scratchpad_bytes / limits_of(c).word_bytes();
    if (c.banks > words) {
        return "scratchpad banks: " + std::to_string(c.banks) + ", expected at most the " + std::to_string(words) +
               " words of the scratchpad";
    }
    if (auto wrong = arch::vector::complaint(c.vector_costs)) { return wrong; }
    return bus::complaint(dma_settings(c));
}

} // namespace tensorloom::mmv
