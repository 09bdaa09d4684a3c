#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <algorithm>

namespace tensorloom::isa {
namespace {

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

std::uint64_t blocks(std::uint32_t size, std::uint32_t tile) { return (std::uint64_t{size} + tile - 1) / tile; }

bool fits(const mode_sizes& sizes, const mode_sizes& tile)
{
    return sizes[0] <= tile[0] && sizes[1] <= tile[1] && sizes[2] <= tile[2];
}

} // namespace

std::uint64_t volume_of(const mode_sizes& sizes)
{
    return saturating_product(saturating_product(sizes[0], sizes[1]), sizes[2]);
}

mode_sizes tile_pass::box() const
{
    mode_sizes larger{};
    for (unsigned m = 0; m < 3; ++m) { larger[m] = std::max(operand.size[m], result.size[m]); }
    return larger;
}

std::uint64_t tiled_stage::results() const
{
    std::uint64_t n = 1;
    for (unsigned m = 0; m < 3; ++m) { n = saturating_product(n, blocks(output[m], result_tile[m])); }
    return n;
}

std::uint64_t tiled_stage::passes_of_result() const { return blocks(input[mode], operand_tile[mode]); }

std::uint64_t tiled_stage::passes() const { return saturating_product(results(), passes_of_result()); }

std::uint64_t tiled_stage::groups_along_mode() const
{
    return (blocks(output[mode], result_tile[mode]) + partials - 1) / partials;
}

// The group that has a result. Groups follow each other with the last mode fastest; those at the end of the summed mode
// may be smaller.
tiled_stage::result_group tiled_stage::group_of(std::uint64_t result) const
{
    const std::uint64_t along = blocks(output[mode], result_tile[mode]);
    const std::uint64_t groups = groups_along_mode();
    std::uint64_t inside = 1; // blocks of the modes after the summed one
    for (unsigned m = mode + 1; m < 3; ++m) { inside *= blocks(output[m], result_tile[m]); }
    std::uint64_t outside = result / (inside * along);
    const std::uint64_t rest = result % (inside * along);
    const std::uint64_t group = std::min(rest / (inside * partials), groups - 1);
    const std::uint64_t size = std::min<std::uint64_t>(partials, along - group * partials);
    std::uint64_t line = (rest - group * inside * partials) / size;
    result_group found{(outside * groups + group) * inside + line,
                       outside * inside * along + group * inside * partials + line * size,
                       size,
                       {}};
    for (unsigned m = 3; m-- > 0;) {
        std::uint64_t& number = m > mode ? line : outside;
        const std::uint64_t count = blocks(output[m], result_tile[m]);
        found.block[m] = m == mode ? group * partials : number % count;
        if (m != mode) { number /= count; }
    }
    return found;
}

tile_pass tiled_stage::pass(std::uint64_t index) const
{
    const std::uint64_t of_result = passes_of_result();
    const auto group = group_of(index / of_result); // whose passes include those of this number of results
    const std::uint64_t at = index - group.first * of_result;
    const std::uint64_t summed = at / group.size;
    const std::uint64_t member = at % group.size;
    tile_pass p;
    p.opens = summed == 0;
    p.closes = summed + 1 == of_result;
    p.operand_number = group.number * of_result + summed;
    p.result_number = group.first + member;
    const auto set = [](tensor_block& block, unsigned m, std::uint64_t number, std::uint32_t tile, std::uint32_t size) {
        block.first[m] = static_cast<std::uint32_t>(number * tile);
        block.size[m] = std::min(tile, size - block.first[m]);
    };
    for (unsigned m = 0; m < 3; ++m) {
        set(p.result, m, group.block[m] + (m == mode ? member : 0), result_tile[m], output[m]);
        set(p.operand, m, m == mode ? summed : group.block[m], operand_tile[m], input[m]);
    }
    p.first_row = group.first * input[mode] + group.size * p.operand.first[mode] + member * p.operand.size[mode];
    return p;
}

std::uint64_t tiled_stage::pass_of(std::uint64_t step) const
{
    const auto group = group_of(step / input[mode]);
    const std::uint64_t at = step - group.first * input[mode];
    const std::uint64_t summed = at / (group.size * operand_tile[mode]);
    const std::uint64_t rows = std::min<std::uint64_t>(operand_tile[mode], input[mode] - summed * operand_tile[mode]);
    const std::uint64_t member = (at - summed * group.size * operand_tile[mode]) / rows;
    return group.first * passes_of_result() + summed * group.size + member;
}

std::uint64_t tiled_stage::rows() const { return saturating_product(results(), input[mode]); }

std::uint64_t tiled_stage::result_elements() const { return volume_of(output); }

std::uint64_t tiled_stage::operands() const
{
    std::uint64_t n = saturating_product(groups_along_mode(), passes_of_result());
    for (unsigned m = 0; m < 3; ++m) {
        if (m != mode) { n = saturating_product(n, blocks(output[m], result_tile[m])); }
    }
    return n;
}

std::uint64_t tiled_stage::operand_elements() const
{
    return saturating_product(volume_of(input), groups_along_mode());
}

std::uint64_t tile_plan::rows() const
{
    std::uint64_t sum = 0;
    for (const auto& stage : stages) { sum = saturating_sum(sum, stage.rows()); }
    return sum;
}

std::uint64_t tile_plan::passes() const
{
    std::uint64_t sum = 0;
    for (const auto& stage : stages) { sum = saturating_sum(sum, stage.passes()); }
    return sum;
}

std::uint64_t tile_plan::workspace_offset(std::size_t index) const
{
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < index; ++i) { offset = saturating_sum(offset, stages[i].result_elements()); }
    return offset;
}

std::uint64_t tile_plan::workspace_elements() const { return fits ? 0 : workspace_offset(stages.size() - 1); }

tile_plan plan_tiles(const mode_sizes& input, const mode_sizes& output, const std::vector<unsigned>& modes,
                     const mode_sizes& input_tile, const mode_sizes& output_tile, std::uint32_t partials)
{
    tile_plan plan;
    plan.fits = fits(input, input_tile) && fits(output, output_tile);
    mode_sizes shape = input, tile = input_tile;
    for (const unsigned mode : modes) {
        tiled_stage stage;
        stage.position = static_cast<unsigned>(plan.stages.size());
        stage.mode = mode;
        stage.input = shape;
        stage.operand_tile = tile;
        shape[mode] = output[mode];
        tile[mode] = output_tile[mode];
        stage.output = shape;
        stage.result_tile = tile;
        stage.partials = partials;
        plan.stages.push_back(stage);
    }
    return plan;
}

tensor_descriptor block_descriptor(const tensor_descriptor& tensor, const tensor_block& block)
{
    tensor_descriptor d = tensor;
    std::uint64_t offset = 0; // modulo 2^64, as strides may be negative
    for (unsigned m = 0; m < 3; ++m) {
        d.size[m] = block.size[m];
        offset += block.first[m] * static_cast<std::uint64_t>(tensor.stride[m]);
    }
    d.base += offset * base::element_bytes(static_cast<base::element_type>(tensor.type));
    return d;
}

tensor_descriptor tile_descriptor(const tensor_descriptor& tensor, const mode_sizes& tile, const tensor_block& block)
{
    // Elements of the tiles before it: whole slabs, then columns of tiles in its slab, then tiles in its column.
    const auto thickness = [&](unsigned m) { return std::min(tile[m], tensor.size[m] - block.first[m]); };
    const std::uint64_t slab = std::uint64_t{tensor.size[1]} * tensor.size[2];
    const std::uint64_t before =
        block.first[0] * slab +
        thickness(0) * (std::uint64_t{block.first[1]} * tensor.size[2] + std::uint64_t{thickness(1)} * block.first[2]);
    const auto type = static_cast<base::element_type>(tensor.type);
    return dense_descriptor(tensor.base + before * base::element_bytes(type), type,
                            {block.size[0], block.size[1], block.size[2]});
}

} // namespace tensorloom::isa
