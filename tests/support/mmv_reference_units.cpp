#include "support/mmv_reference_units.h"
#include <complex>
#include "support/mmv_reference_array.h"
#include "support/mmv_reference_scalar.h"
#include "support/mmv_reference_vector.h"

namespace tensorloom::test {

std::unique_ptr<reference_units> make_reference_units(const mmv::limits& limits, unsigned word_bits,
                                                      reference_scratchpad& scratchpad, mmv::counts& counts)
{
    switch (limits.format) {
    case base::element_type::f32:
        return std::make_unique<units_in_format<float>>(limits, word_bits, scratchpad, counts);
    case base::element_type::f64:
        return std::make_unique<units_in_format<double>>(limits, word_bits, scratchpad, counts);
    case base::element_type::bf16:
        return std::make_unique<units_in_format<arithmetic::bfloat16>>(limits, word_bits, scratchpad, counts);
    case base::element_type::f16:
        return std::make_unique<units_in_format<arithmetic::float16>>(limits, word_bits, scratchpad, counts);
    case base::element_type::c128:
        return std::make_unique<units_in_format<std::complex<double>>>(limits, word_bits, scratchpad, counts);
    case base::element_type::int8:
        return std::make_unique<units_in_format<std::int8_t>>(limits, word_bits, scratchpad, counts);
    case base::element_type::int32:
        return std::make_unique<units_in_format<std::int32_t>>(limits, word_bits, scratchpad, counts);
    default: return std::make_unique<units_in_format<std::int64_t>>(limits, word_bits, scratchpad, counts);
    }
}

} // namespace tensorloom::test
