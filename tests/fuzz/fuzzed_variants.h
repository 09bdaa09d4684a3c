#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include "models/fetta/random_contraction.h"
#include "models/mmv/random_device.h"
#include "platform/system/testbed_platform.h"

namespace tensorloom::test {

// The devices of the target `device`, in the order of device_input::variant.

/// Seeds of random_device(): a pair of each format that has all functional blocks.
inline std::vector<std::uint64_t> mmv_variants()
{
    constexpr std::uint64_t formats = std::size(base::systolic_formats);
    std::vector<std::uint64_t> seeds;
    for (std::uint64_t f = 0; f < formats; ++f) {
        std::uint64_t seed = f;
        while (random_device(seed).blocks != isa::vector::all_functional_blocks) { seed += formats; }
        seeds.push_back(seed);
    }
    return seeds;
}

/// Sums in float32, in bfloat16, operands in float32; small banks, as every run fills and empties them.
inline std::vector<fetta::device_limits> fetta_variants()
{
    std::vector<fetta::device_limits> all;
    for (const std::uint64_t seed : {0u, 12u, 24u}) {
        all.push_back(random_limits(seed));
        all.back().bank_bytes = 4096;
    }
    return all;
}

/// Formats of a TriADA, and where the data of its programs lies: 64 row numbers of 4 bytes, then elements.
inline constexpr base::element_type triada_variants[] = {base::element_type::f64,  base::element_type::f32,
                                                         base::element_type::c128, base::element_type::c64,
                                                         base::element_type::bf16, base::element_type::int8};
inline constexpr std::uint64_t fuzzed_data_at = testbench::memory_base + 0x8000; // as triada_bench has it

} // namespace tensorloom::test
