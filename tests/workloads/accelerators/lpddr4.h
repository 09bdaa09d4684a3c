#pragma once
#include <tensorloom/workloads/accelerators/evaluation.h>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::test {

/// Four channels of LPDDR4-3200 beside a device of 1 GHz, in round numbers.
inline workloads::memory_estimate lpddr4()
{
    workloads::memory_estimate m;
    m.bytes_per_cycle = 23.8; // 25.6 less refreshes
    m.unrefreshed_bytes_per_cycle = 25.6;
    m.first_refresh_cycles = 3904;
    m.transfer_cycles = 47;
    m.burst_cycles = 29;
    m.read_pj_per_byte = 68.4;
    m.write_pj_per_byte = 40.9;
    m.pj_per_cycle = 176;
    m.burst_bytes = 32;
    return m;
}

/// An evaluation with this memory.
inline workloads::evaluation_settings
settings_of(workloads::evaluated_residency residency = workloads::evaluated_residency::blocked)
{
    workloads::evaluation_settings s;
    s.residency = residency;
    s.memory = lpddr4();
    return s;
}

} // namespace tensorloom::test
