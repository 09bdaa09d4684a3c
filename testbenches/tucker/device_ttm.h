#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/triada/isa/gemt_estimate.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/tucker/ttm_engine.h>
#include "platform/triada/gemt_job.h"
#include "platform/process/process_resources.h"

namespace tensorloom::testbench {

/// Settings of chains on a device.
struct chain_settings : gemt_settings {
    std::array<unsigned, 3> order{3, 1, 2}; ///< summation order of the modes; those without a matrix are skipped
    std::array<std::uint32_t, 3> mesh{};
    std::optional<triada::gemt_rates> rates; ///< to choose how many blocks of a result share a loaded one; none: one
};

/// Addresses of the data of chains.
struct chain_layout {
    std::uint64_t program = 0;
    std::array<std::uint64_t, 3> matrices{};
    std::uint64_t x = 0;       ///< the decomposed tensor
    std::uint64_t operand = 0; ///< any other operand
    std::uint64_t result = 0;
    std::uint64_t workspace = 0;
    std::uint64_t workspace_elements = 0; ///< 0: none is needed
};

/// Places the largest data of the chains of a decomposition: of a tensor of this shape to at most these ranks, its
/// compression and its expansion. T: double, float.
template <class T>
chain_layout lay_out_chains(const chain_settings& settings, const workloads::shape3& shape,
                            const workloads::shape3& ranks, memory_layout& memory);

/// A chain that the device has run.
struct chain_record {
    workloads::shape3 from{};
    workloads::shape3 to{};
    std::array<bool, 3> summed{}; ///< modes 1, 2, 3
    std::uint64_t cycles = 0;     ///< START to DONE
};

/// Tensor-times-matrix chains on a TriADA device, from the host's thread: one GEMT command for each.
///
/// x is in memory from the start (preload). The host writes any other operand and the matrices of each chain over the
/// bus, and reads the result; this takes simulated time of the host, not of the device. Elements are rounded to T on
/// the way.
template <class T> class device_ttm : public workloads::ttm_engine {
public:
    /// `device`: address of its registers. x must outlive this; it is recognised by its address.
    device_ttm(bus::host_thread& cpu, std::uint64_t device, const chain_settings& settings, const chain_layout& at,
               const workloads::tensor<double>& x);

    /// Throws isa::device_failure.
    workloads::tensor<double> multiply(const workloads::tensor<double>& x, const workloads::ttm_chain& chain) override;

    const std::vector<chain_record>& chains() const { return m_chains; }
    /// Resources of the simulation so far, without the host's computation.
    const process_usage& usage() const { return m_usage; }

private:
    std::uint64_t upload(const workloads::tensor<double>& values, std::uint64_t address);
    void run(const triada::gemt_command& command);

    bus::host_thread& m_cpu;
    std::uint64_t m_device;
    chain_settings m_settings;
    chain_layout m_at;
    const workloads::tensor<double>& m_x;
    std::vector<chain_record> m_chains;
    process_usage m_usage;
};

} // namespace tensorloom::testbench
