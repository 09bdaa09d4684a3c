#pragma once
#include <cstdint>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/workloads/contraction/block_transfers.h>

namespace tensorloom::workloads {

/// Estimated cycles of a GATHER of so many slices of `bytes` each at random places of a table, whose slices are `pitch`
/// bytes apart: where the table is larger than a DRAM's open rows, most slices open one.
inline double gather_cycles(std::uint64_t slices, std::uint64_t bytes, std::uint64_t pitch, std::uint64_t table_slices,
                            const memory_estimate& memory)
{
    return memory.cycles(slices * bytes, accesses_of_slices(slices, bytes, pitch, table_slices, memory));
}

/// Estimated cycles of a LOAD or STORE of this tensor: of one run by latency and bandwidth, of several by their bursts.
inline double transfer_cycles(const isa::tensor_descriptor& tensor, const memory_estimate& memory, bool store)
{
    const isa::descriptor_runs runs(tensor);
    const std::uint64_t bytes =
        runs.runs() * runs.run_elements() * base::element_bytes(static_cast<base::element_type>(tensor.type));
    if (runs.runs() == 1) { return memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle; }
    return memory.cycles(bytes, accesses_of(tensor, memory, store));
}

} // namespace tensorloom::workloads
