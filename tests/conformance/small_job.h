#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::test {

/// A job in a memory: what must lie where, and what lies where afterwards.
struct small_job {
    std::vector<std::pair<std::uint64_t, std::vector<unsigned char>>> data;
    std::uint64_t program_at = 0;
    std::vector<unsigned char> program;
    std::uint64_t output_at = 0;
    std::vector<unsigned char> expected_output;
    std::vector<std::string> phases; ///< of the device's log, one after the other
};

/// A product of 4 x 5 x 3 doubles, some of them 0; 32 KiB and a little from `base`.
small_job triada_job(std::uint64_t base);

/// x r + x of an MMU/VCU pair of side 4, x of 10 rows: a MATMUL and an addition between LOADs and a STORE; 32 KiB and a
/// little from `base`.
small_job mmv_job(std::uint64_t base);

/// x r + x of a FETTA of 4 engines and float32 operands, x of 10 rows: a CONTRACT and an addition between LOADs and a
/// STORE; 32 KiB and a little from `base`.
small_job fetta_job(std::uint64_t base);
fetta::device_limits fetta_job_limits();

/// A forward transform of 4 x 5 x 3 to 4 x 6 x 4 doubles on a torus of 2 nodes along a side and blocks of 2 x 3 x 2; 32
/// KiB and a little from `base`.
small_job torus_job(std::uint64_t base);

/// 200 bytes to load and 40 cycles of toil; no output.
small_job toil_job(std::uint64_t base);

} // namespace tensorloom::test
