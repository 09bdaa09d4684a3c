#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/mmv/instruction_set.h>
#include <tensorloom/models/arch/vector/strided_command.h>
#include <tensorloom/models/memory/scratchpad.h>

namespace tensorloom::mmv {

/// What the instructions of a scalar unit compute, whatever time they take. What is said of instructions in
/// scalar_unit.h holds here.
class scalar_processor {
public:
    virtual ~scalar_processor() = default;

    struct work {
        std::uint64_t reads = 0;  ///< words
        std::uint64_t writes = 0; ///< words
        std::uint64_t overflowed = 0;
    };
    virtual work execute(arch::mmv::opcode code, const arch::vector::strided_command& command) = 0;
};

/// The processor for f64, c128, int32 or int64.
std::unique_ptr<scalar_processor> make_scalar_processor(arch::element_type word, memory::scratchpad_if& pad);

} // namespace tensorloom::mmv
