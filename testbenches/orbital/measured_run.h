#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/gemt_check.h>
#include <tensorloom/workloads/tensor.h>
#include "orbital/triada_comparison.h"
#include "platform/torus/torus_options.h"
#include "platform/run/die.h"
#include "platform/run/program_costs.h"

namespace tensorloom::testbench {

/// Speed of signals.
struct wire_settings {
    std::optional<double> mm_per_cycle;  ///< along any wire; none: as in the options of the devices
    std::optional<unsigned> triada_step; ///< cycles of a time-step of TriADA; none: two lines and a multiply-add
    unsigned mac_latency = 1;            ///< cycles of a multiply-add of TriADA
};

/// Results and costs of a device for a problem.
struct measured_run {
    std::string device; ///< "torus" or "triada"
    workloads::shape3 shape{}, result_shape{};
    std::optional<torus_fit> fit; ///< of a torus
    program_costs costs;
    die on;                            ///< device and memory
    std::vector<std::uint64_t> counts; ///< of the device's events
    std::uint64_t memory_bytes = 0;    ///< size of the memory on the bus
    std::uint64_t workspace_bytes = 0; ///< of that, for intermediate tensors
    std::vector<std::uint64_t> passes; ///< over a torus, of each stage of a transform

    std::uint64_t multipliers = 0;    ///< of all nodes or cells
    std::uint64_t memory_words = 0;   ///< of all nodes or cells
    std::uint64_t steps = 0;          ///< compute-and-roll steps, or time-steps
    std::uint64_t macs = 0;           ///< of the problem
    std::uint64_t macs_done = 0;      ///< including padding
    std::uint64_t working_cycles = 0; ///< cycles in which nodes or cells worked or waited for data of others
    by_direction words{};             ///< onto links along Q, R, S, or onto lines along modes 1, 2, 3
    by_direction word_pitches{};      ///< words x pitches of wire: a line of N cells has N - 1
    double pitch_um = 0;              ///< side of a node or a cell
    double longest_wire_um = 0;       ///< planar
    std::uint64_t longest_pitches = 0;
    std::uint64_t wire_cycles = 0; ///< cycles of a word along it
    double wire_pj = 0;            ///< of links or lines, by these word-pitches
    bool wire_estimate = false;

    /// With several sets of transforms of one tensor: of each its name, cycles and check.
    struct set_result {
        std::string transforms;
        std::uint64_t cycles = 0; ///< without fetching the program
        std::optional<workloads::check_result> check;
    };
    /// What a step of a chain did, over the batch.
    struct step_result {
        std::string step;
        std::uint64_t cycles = 0; ///< without fetching the program
        std::uint64_t steps = 0, macs = 0;
    };
    std::vector<step_result> chain;               ///< empty without a chain
    std::vector<set_result> sets;                 ///< empty with one set
    std::optional<workloads::check_result> check; ///< the worst of batch and sets; none: not done
    std::optional<double> identity;               ///< of a checked --chain: the largest modulus of result - operand

    double utilisation() const;         ///< multiply-adds of the problem / possible ones, end to end
    double utilisation_working() const; ///< likewise, over the cycles in which they worked
};

} // namespace tensorloom::testbench
