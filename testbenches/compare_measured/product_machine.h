#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include <tensorloom/models/mmv/config.h>
#include <tensorloom/workloads/mmv/mapped_product.h>
#include "compare_measured/measured_machine.h"

namespace tensorloom::testbench {

/// A product that was measured: a mapping of it on an array.
struct measured_product {
    std::uint64_t measured = 0; ///< cycles
    bool fitted = false;
    std::string name;
    workloads::mapped_sizes sizes;
    workloads::mapped_memories memories;
    workloads::product_mapping mapping;
};

/// A machine that was measured with products, as an MMU/VCU pair: what is its own. Format int8 or f16.
struct product_machine {
    machine_facts (*facts)();
    /// Without scratchpad, which holds what a case says that the machine has.
    mmv::config (*device)();
    platform_options (*platform)();
    /// Throws base::input_error without the place for a malformed row.
    measured_product (*product_of)(const measured_row& row);
    /// Causes of the cycles that were measured; none: all but fetching programs, because the processor of the machine
    /// sends commands beside the memory.
    std::vector<const char*> causes = {};
};

/// An array with overlap, streaming and lanes for a row of sums; int8 with the block that packs sums.
mmv::config streaming_array(unsigned side, base::element_type format);

std::unique_ptr<measured_machine> make_product_machine(const product_machine& machine);

/// Sizes of a product, each at most 2^20, as these columns say. Throws base::input_error likewise, for more than 2^36
/// multiply-adds, and for a matrix of more than 2^27 elements.
workloads::mapped_sizes product_sizes(const measured_row& row, std::size_t rows, std::size_t depth,
                                      std::size_t columns);
/// "16x256x1024".
std::string product_name(const workloads::mapped_sizes& sizes);

} // namespace tensorloom::testbench
