#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace tensorloom::test {

/// A job in a memory: what must lie where, and what lies where afterwards.
struct small_job {
    std::vector<std::pair<std::uint64_t, std::vector<unsigned char>>> data;
    std::uint64_t program_at = 0;
    std::vector<unsigned char> program;
    std::uint64_t output_at = 0;
    std::vector<unsigned char> expected_output;
};

/// A product of 4 x 5 x 3 doubles, some of them 0; 32 KiB and a little from `base`.
small_job triada_job(std::uint64_t base);

/// 200 bytes to load and 40 cycles of toil; no output.
small_job toil_job(std::uint64_t base);

} // namespace tensorloom::test
