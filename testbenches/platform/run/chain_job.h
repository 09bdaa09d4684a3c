#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/workloads/chain.h>
#include <tensorloom/workloads/chain_reference.h>
#include "platform/run/transform_job.h"

namespace tensorloom::testbench {

// Chains of transforms and operations on elements on any device that keeps a tensor between commands.

/// The steps of a job: its chain, or its transform alone.
std::vector<workloads::chain_step> steps_of(const transform_job& job);

/// Addresses of the data of a step; 0 where it has none. Equal data of a chain has one address.
struct chain_step_layout {
    std::array<std::uint64_t, 3> matrices{};
    std::uint64_t operand = 0;
};

/// The data of a chain as a device loads it, with equal matrices and equal operands once. T: as chain_data.
template <class T> class chain_memory {
public:
    chain_memory() = default;
    /// `rows`: of the matrices, by step and mode.
    chain_memory(const std::vector<workloads::shape3>& rows, workloads::chain_data<T> loaded);

    std::size_t steps() const { return m_loaded.matrices.size(); }
    const workloads::chain_data<T>& loaded() const { return m_loaded; }

    std::vector<chain_step_layout> place(memory_layout& memory) const;
    /// Writes all by debug transport.
    void preload(bus::host_thread& cpu, const std::vector<chain_step_layout>& at) const;

private:
    workloads::chain_data<T> m_loaded;
    std::vector<std::array<std::size_t, 3>> m_matrix_numbers; // the first step with the same one
    std::vector<std::size_t> m_operand_numbers;
};

/// Computes and loads the data of a job's chain. Throws base::input_error, also for a file with NaN or infinities (in
/// the format), unless the job allows them.
template <class T> workloads::chain_data<T> chain_data_of(const transform_job& job);

/// What a device does in transforms with operands that are zero, or small.
struct zero_handling {
    bool skips_zeros = false;
    double threshold = 0;
};

/// Compares results of a job's chain with their references; returns the worst. Shows progress unless `quiet`.
template <class T>
workloads::check_result check_chain(const transform_problem<T>& problem, const transform_job& job,
                                    const workloads::chain_data<T>& data, const zero_handling& zeros,
                                    const typename transform_problem<T>::results& found, bool quiet);

/// The matrices and the operand that a device keeps from one command to the next, while a program is written.
class kept_data {
public:
    /// Whether the matrices from these addresses are there already, by mode; 0: the mode is not summed. Otherwise the
    /// command loads them all.
    bool has_matrices(const std::array<std::uint64_t, 3>& addresses);

    /// The operand of a command, from this address: kept if it is there already, otherwise loaded, and held for later
    /// commands if it `stays`.
    void take_operand(isa::pointwise_command& command, std::uint64_t address, bool stays);

private:
    std::array<std::uint64_t, 3> m_matrices{};
    std::uint64_t m_operand = 0;
};

/// The command of an operation on elements of a device with this format, without addresses and flags of tensors.
isa::pointwise_command pointwise_command_of(const workloads::chain_step& step, base::element_type format);

/// Throws base::input_error, which names the steps and their places, when several operands are to stay: a device keeps
/// one.
void check_resident_operands(const std::vector<workloads::chain_step>& chain);

} // namespace tensorloom::testbench
