#include <tensorloom/workloads/segmented/block_reversal.h>
#include <stdexcept>
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::workloads {

segmented_result<std::int64_t> reverse_on_vector_unit(mmv_session& session, const block_reversal& shape,
                                                      const std::vector<std::int64_t>& x)
{
    mmv_ram ram(session, {});
    const mmv_array from = ram.loaded(x), z = ram.words(shape.elements());
    const std::array<std::uint64_t, 3> size{shape.groups, shape.blocks, shape.block};
    // From the last block of a group backwards.
    ram.repl(z, from.from((shape.blocks - 1) * shape.block), size,
             {shape.blocks * shape.block, std::uint64_t{0} - shape.block, 1}, size);
    return ram.finish<std::int64_t>(z);
}

segmented_result<std::int64_t> reverse_on_matrix_unit(mmv_session& session, const block_reversal& shape,
                                                      const std::vector<std::int64_t>& x)
{
    mmv_ram ram(session, {});
    const std::uint64_t s = ram.side();
    if (2 * shape.block != s || shape.blocks % 2 != 0) {
        throw std::logic_error("blocks of half a row, an even number of them, are what calls exchange");
    }
    std::vector<std::int64_t> halves(s * s);
    for (std::uint64_t i = 0; i < s; ++i) { halves[i * s + (i + s / 2) % s] = 1; }
    const mmv_array exchange = ram.builder().elements(s * s);
    ram.builder().load(exchange, halves);
    const mmv_array z = ram.loaded(x);
    const std::uint64_t group = shape.blocks * shape.block;
    for (std::uint64_t pairs = 0; pairs < shape.blocks / 2; ++pairs) {
        ram.matmul(z, z, exchange);
        if (shape.blocks == 2) { break; }
        for (std::uint64_t first = shape.block; first < shape.elements(); first += group) {
            const mmv_array inner = slice(z, first, group - 2 * shape.block);
            ram.matmul(inner, inner, exchange);
        }
    }
    return ram.finish<std::int64_t>(z);
}

std::uint64_t calls_of_reversal(const block_reversal& shape)
{
    return shape.blocks == 2 ? 1 : shape.blocks / 2 * (1 + shape.groups);
}

std::uint64_t least_calls_of_reversal(const block_reversal& shape, std::uint64_t side)
{
    return ceil_div((shape.blocks - 1) * shape.block, side - 1);
}

} // namespace tensorloom::workloads
