#pragma once
#include <optional>
#include <string>
#include <systemc>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/blocks/systolic_schedule.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::blocks {

/// A systolic array.
struct systolic_array_config {
    unsigned side = 16;                                  ///< rows and columns, 1 to 1024
    arch::element_type format = arch::element_type::f64; ///< f64, c128, int8 (sums are int32), int32, int64
    unsigned in_words = 0;                               ///< words per cycle into the array, 1 to side; 0: side
    unsigned out_words = 0;                              ///< words per cycle out of the array, 1 to side; 0: side
    fidelity model = fidelity::fast;
    sc_core::sc_time clock_period{1, sc_core::SC_NS}; ///< above 0
};

systolic_schedule schedule_of(const systolic_array_config& config);

/// The first thing wrong with a configuration.
std::optional<std::string> complaint(const systolic_array_config& config);

} // namespace tensorloom::blocks
