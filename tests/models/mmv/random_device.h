#pragma once
#include <random>
#include <tensorloom/models/mmv/config.h>

namespace tensorloom::test {

/// A small device with settings that change times.
inline mmv::config random_device(std::uint64_t seed)
{
    std::mt19937_64 engine(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(engine() % n); };
    mmv::config c;
    c.side = 2 + below(5);
    c.format = base::systolic_formats[seed % std::size(base::systolic_formats)];
    c.in_words = below(c.side + 1);
    c.out_words = below(c.side + 1);
    c.call_latency = below(2) * below(9);
    c.lanes = 1 + below(9);
    c.banks = 1u << below(5);
    c.scalar_ops = 1 + below(4);
    c.word_bits = below(3) == 0 ? 1 + below(40) : 0;
    c.scratchpad_bytes = 1024 * (5 + below(4));
    c.burst_bytes = 64u << below(5);
    c.blocks = below(4) == 0 ? mmv::functional_blocks : isa::vector::all_functional_blocks;
    for (auto& cost : c.vector_costs) { cost = {below(6), 1 + below(3)}; }
    c.pipeline_depth = below(3) == 0 ? 2 + below(4) : 1;
    return c;
}

} // namespace tensorloom::test
