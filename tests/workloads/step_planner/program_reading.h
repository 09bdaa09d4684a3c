#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include "workloads/step_planner/step_definition.h"

namespace tensorloom::test {

/// The batch's list, by which a GATHER finds samples.
inline const std::string list_of_samples = "list of samples";

/// What the host is told about a tensor in memory on the bus.
struct bus_tensor {
    std::string name; ///< of the definition; "master of G1"; list_of_samples
    std::uint64_t address = 0;
    /// From one block to the next, of what a GATHER takes from sample to sample; 0: there are no blocks of it.
    std::uint64_t block_bytes = 0;
    std::map<std::string, std::uint64_t> stride; ///< by mode of more than one index, in elements, within a block
};

/// How the sums of a contraction are made.
struct order_of_sums {
    bool output_stationary = false;
    std::size_t parts = 1;               ///< of the contracted index, which the reduction network adds up
    std::vector<std::string> contracted; ///< modes of the flat contracted index, last fastest
    enum class blocks : std::uint8_t { alone, in_accumulators, by_vector_unit } across = blocks::alone;

    friend bool operator==(const order_of_sums& x, const order_of_sums& y)
    {
        return x.output_stationary == y.output_stationary && x.parts == y.parts && x.contracted == y.contracted &&
               x.across == y.across;
    }
};

/// Reads a program as it stands in memory, command by command and iteration by iteration, and finds out what it does to
/// the tensors of a step: which CONTRACT is which contraction of the definition, of which block of the batch, follows
/// from where its operands have come from alone. Orders of modes are read from sizes and strides.
///
/// Throws std::runtime_error where the program does not do what the definition says: operands of different blocks, flat
/// indices whose modes are in different orders in the two operands, modes that are missing, blocks that are summed in
/// another order than ascending, a tensor that is stored where another one belongs, an update of a core by another
/// core's gradient.
///
/// `samples`: of a block. Returns the order of the sums by the name of the result.
std::map<std::string, order_of_sums> read_step_program(const std::vector<std::uint8_t>& program,
                                                       const step_definition& step, std::uint64_t samples,
                                                       const std::vector<bus_tensor>& on_bus,
                                                       const fetta::device_limits& limits);

} // namespace tensorloom::test
