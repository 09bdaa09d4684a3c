#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/events.h>
#include "support/fetta_reference_memory.h"

namespace tensorloom::test {

/// Accumulators of the reference: by port and row, `side` sums each. The row of a sum that leaves is 0 again.
class fetta_reference_accumulators {
public:
    explicit fetta_reference_accumulators(const fetta::device_limits& g)
        : m_limits(g), m_sums(std::size_t{g.engines} * g.accumulator_rows() * g.side)
    {}
    float& at(std::uint64_t port, std::uint64_t row, std::uint64_t lane);
    void clear() { m_sums.assign(m_sums.size(), 0.0f); }

private:
    fetta::device_limits m_limits;
    std::vector<float> m_sums;
};

/// What CONTRACTs of the reference took.
struct fetta_reference_cycles {
    std::uint64_t compute = 0, fill = 0, reload = 0, psum = 0, conflict = 0;
    std::uint64_t total() const { return compute + fill + reload + psum + conflict; }
    fetta_reference_cycles& operator+=(const fetta_reference_cycles& other)
    {
        compute += other.compute, fill += other.fill, reload += other.reload;
        psum += other.psum, conflict += other.conflict;
        return *this;
    }
};

/// Runs a CONTRACT with its bases of the iteration, straight from contract_command.h and schedule.h: engine by engine,
/// element by element, and every access in its cycle. Adds to `counts`. Throws reference_failure.
fetta_reference_cycles run_reference_contraction(const fetta::contract_command& command,
                                                 const fetta::device_limits& limits, fetta_reference_memory& memory,
                                                 fetta_reference_accumulators& accumulators, fetta::counts& counts);

} // namespace tensorloom::test
