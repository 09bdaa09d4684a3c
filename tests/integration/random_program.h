#pragma once
#include <cstdint>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>
#include "integration/random_source.h"

namespace tensorloom::test {

/// A program for a TriADA device with a mesh of 4 x 4 x 4 cells and elements of f64, and what must become of it.
struct random_program {
    struct bytes_at {
        std::uint64_t address;
        std::vector<unsigned char> bytes;
    };

    std::uint64_t address = 0;     ///< of the program
    std::vector<bytes_at> inputs;  ///< into memory before START: operands, the program
    std::vector<bytes_at> results; ///< what it leaves in memory, in this order

    isa::error_code error = isa::error_code::none;
    std::uint32_t error_command = 0;
    std::uint64_t error_address = 0;
    isa::bus_response error_response = isa::bus_response::none;
    std::uint32_t commands_done = 0; ///< executed, those in loops each time
    std::uint32_t token = 0;
    std::uint32_t commands = 0;      ///< in the program
    bool raises_irq_command = false; ///< an IRQ command is executed
    bool anything_goes = false;      ///< of random bytes: it must end, and leave memory alone
};

/// Where programs may put their things: memory first..last, `nowhere` and the page behind `last` do not answer.
struct program_memory {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t nowhere;
};

/// Half of the programs do products, NOPs and IRQs, some in loops; the others are malformed, fail on the bus, or are
/// random bytes.
random_program draw_program(random_source& random, const program_memory& memory);

} // namespace tensorloom::test
