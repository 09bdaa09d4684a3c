#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include "support/mmv_reference.h"

namespace tensorloom::test {

/// The reference interpreter as a machine for tests of algorithms: it has room, and refuses every command that a device
/// would refuse when it loads the program.
class checked_machine : public mmv_reference {
public:
    explicit checked_machine(std::uint32_t side, base::element_type format = base::element_type::int64,
                             std::uint64_t scratchpad_bytes = 16u << 20);

    workloads::program_outcome<mmv::counts> run(const std::vector<std::uint8_t>& program) override;

    /// Words that MOVE instructions of all programs have copied.
    std::uint64_t moved() const { return m_moved; }

private:
    std::uint64_t m_moved = 0;
};

/// What a run was charged.
inline workloads::tensor_unit_cost cost_of(const workloads::tensor_unit_result& r)
{
    using mmv::event;
    return {r.counts[event::matmul_call], r.counts[event::matmul_row],
            r.counts[event::cpu_op] + r.counts[event::vector_element]};
}

} // namespace tensorloom::test
