#include <tensorloom/models/blocks/butterfly.h>
#include <string>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::blocks {

butterfly butterfly::of_ports(unsigned ports, level_order order)
{
    for (unsigned levels = 1; levels <= max_levels; ++levels) {
        if (ports == 1u << levels) { return {levels, order}; }
    }
    throw base::input_error("butterfly: " + std::to_string(ports) + " ports, not a power of two from 2 to " +
                            std::to_string(1u << max_levels));
}

butterfly_controls raw_controls(const butterfly& shape, const select_vectors& select, unsigned index, bool transpose)
{
    if (index >= shape.ports()) {
        throw base::input_error("butterfly: index " + std::to_string(index) + ", not below its " +
                                std::to_string(shape.ports()) + " ports");
    }
    if (transpose && !shape.has_transpose()) {
        throw base::input_error("butterfly: transposed, but its " + std::to_string(shape.ports()) +
                                " ports are not a square");
    }
    butterfly_controls controls;
    controls.transpose = transpose;
    for (unsigned q = 0; q < shape.levels; ++q) {
        const std::uint64_t inverted = (index >> q & 1) != 0 ? ~std::uint64_t{0} : 0;
        controls.diagonal[q] = (select[q] ^ inverted) & shape.all_ports();
    }
    return controls;
}

select_vectors mask_vectors(const butterfly& shape, unsigned mask)
{
    if (mask >= shape.ports()) {
        throw base::input_error("butterfly: mask " + std::to_string(mask) + ", not below its " +
                                std::to_string(shape.ports()) + " ports");
    }
    select_vectors select{};
    for (unsigned q = 0; q < shape.levels; ++q) {
        if ((mask >> q & 1) != 0) { select[q] = shape.with_bit(q); }
    }
    return select;
}

butterfly_controls xor_controls(const butterfly& shape, unsigned mask, unsigned index, bool transpose)
{
    return raw_controls(shape, mask_vectors(shape, mask), index, transpose);
}

} // namespace tensorloom::blocks
