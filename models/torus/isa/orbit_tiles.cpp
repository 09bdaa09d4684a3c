#include <tensorloom/models/torus/isa/orbit_tiles.h>

namespace tensorloom::torus {

known_sizes sizes_of(const orbit_command& c)
{
    known_sizes known;
    const bool back = c.way == direction::inverse;
    if (!c.keep_matrices()) {
        const auto tensor = transform_sizes(c.x.present() ? c.x : c.y);
        known.in_size.emplace();
        known.out_size.emplace();
        for (unsigned m = 0; m < 3; ++m) {
            (*known.in_size)[m] = c.sums(m) ? c.matrix[m].size[0] : tensor[m];
            (*known.out_size)[m] = c.sums(m) ? c.matrix[m].size[1] : tensor[m];
        }
    }
    if (c.x.present()) { (back ? known.out_size : known.in_size) = transform_sizes(c.x); }
    if (c.y.present() && !c.store_previous()) { (back ? known.in_size : known.out_size) = transform_sizes(c.y); }
    return known;
}

isa::mode_sizes transform_sizes(const isa::tensor_descriptor& d)
{
    const unsigned first = d.order == 4 ? 1 : 0;
    return {d.size[first], d.size[first + 1], d.size[first + 2]};
}

std::uint64_t transforms_of(const isa::tensor_descriptor& d) { return d.order == 4 ? d.size[0] : 1; }

isa::tensor_descriptor transform_of(const isa::tensor_descriptor& tensor, std::uint64_t index)
{
    if (tensor.order != 4) { return tensor; }
    isa::tensor_descriptor d = tensor;
    d.order = 3;
    // modulo 2^64, as strides may be negative
    d.base += index * static_cast<std::uint64_t>(tensor.stride[0]) *
              base::element_bytes(static_cast<base::element_type>(tensor.type));
    for (unsigned m = 0; m < 4; ++m) {
        d.size[m] = m < 3 ? tensor.size[m + 1] : 0;
        d.stride[m] = m < 3 ? tensor.stride[m + 1] : 0;
    }
    return d;
}

std::array<unsigned, 3> modes_of_indices(const std::array<std::uint8_t, 3>& order)
{
    return {order[1] - 1u, order[2] - 1u, order[0] - 1u};
}

block_sizes by_index(const block_sizes& by_mode, const std::array<std::uint8_t, 3>& order)
{
    const auto mode = modes_of_indices(order);
    block_sizes sizes;
    for (unsigned i = 0; i < 3; ++i) {
        sizes.in_block[i] = by_mode.in_block[mode[i]];
        sizes.out_block[i] = by_mode.out_block[mode[i]];
    }
    return sizes;
}

orbit_sizes filled(const block_sizes& blocks, std::uint32_t side)
{
    orbit_sizes all;
    for (unsigned m = 0; m < 3; ++m) {
        all.in_size[m] = side * blocks.in_block[m];
        all.out_size[m] = side * blocks.out_block[m];
    }
    return all;
}

isa::tile_plan plan_orbit(const orbit_command& c, const orbit_sizes& sizes, std::uint32_t side)
{
    const auto torus = filled(c.blocks, side);
    if (c.way == direction::forward) {
        return isa::plan_tiles(sizes.in_size, sizes.out_size, c.summed_modes(), torus.in_size, torus.out_size);
    }
    return isa::plan_tiles(sizes.out_size, sizes.in_size, c.summed_modes(), torus.out_size, torus.in_size);
}

std::uint64_t coefficients_of_node(const block_sizes& blocks, const orbit_sizes& sizes, std::uint32_t side,
                                   const std::vector<unsigned>& modes)
{
    const auto torus = filled(blocks, side);
    std::uint64_t sum = 0;
    for (const unsigned m : modes) {
        const std::uint64_t rows = (std::uint64_t{sizes.in_size[m]} + torus.in_size[m] - 1) / torus.in_size[m];
        const std::uint64_t columns = (std::uint64_t{sizes.out_size[m]} + torus.out_size[m] - 1) / torus.out_size[m];
        const isa::mode_sizes along{blocks.in_block[m], blocks.out_block[m], 1};
        // windows have no more elements along a mode than the matrix and a block less one: 33 bits each at most
        const std::uint64_t of_rows = rows * along[0], of_columns = columns * along[1];
        if (of_columns > UINT64_MAX / of_rows || of_rows * of_columns > UINT64_MAX - sum) { return UINT64_MAX; }
        sum += of_rows * of_columns;
    }
    return sum;
}

} // namespace tensorloom::torus
