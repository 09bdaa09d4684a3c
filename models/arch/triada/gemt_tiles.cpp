#include <tensorloom/models/arch/triada/gemt_tiles.h>
#include <algorithm>

namespace tensorloom::arch::triada {
namespace {

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

gemt_shape first_sizes(const tensor_descriptor& d) { return {d.size[0], d.size[1], d.size[2]}; }

std::uint64_t blocks(std::uint32_t size, std::uint32_t tile) { return (std::uint64_t{size} + tile - 1) / tile; }

} // namespace

std::uint64_t volume_of(const gemt_shape& sizes)
{
    return saturating_product(saturating_product(sizes[0], sizes[1]), sizes[2]);
}

gemt_shape gemt_pass::box() const
{
    gemt_shape larger{};
    for (unsigned m = 0; m < 3; ++m) { larger[m] = std::max(operand.size[m], result.size[m]); }
    return larger;
}

std::uint64_t gemt_stage::results() const
{
    std::uint64_t n = 1;
    for (unsigned m = 0; m < 3; ++m) { n = saturating_product(n, blocks(output[m], tile[m])); }
    return n;
}

std::uint64_t gemt_stage::passes_of_result() const { return blocks(input[mode], tile[mode]); }

std::uint64_t gemt_stage::passes() const { return saturating_product(results(), passes_of_result()); }

gemt_pass gemt_stage::pass(std::uint64_t index) const
{
    const std::uint64_t of_result = passes_of_result();
    const std::uint64_t summed = index % of_result;
    std::uint64_t result = index / of_result;
    gemt_pass p;
    p.opens = summed == 0;
    p.closes = summed + 1 == of_result;
    const auto set = [&](gemt_block& block, unsigned m, std::uint64_t number, std::uint32_t size) {
        block.first[m] = static_cast<std::uint32_t>(number * tile[m]);
        block.size[m] = std::min(tile[m], size - block.first[m]);
    };
    for (unsigned m = 3; m-- > 0;) {
        const std::uint64_t along = blocks(output[m], tile[m]);
        set(p.result, m, result % along, output[m]);
        set(p.operand, m, m == mode ? summed : result % along, input[m]);
        result /= along;
    }
    return p;
}

std::uint64_t gemt_stage::pass_of(std::uint64_t step) const
{
    return step / input[mode] * passes_of_result() + step % input[mode] / tile[mode];
}

std::uint64_t gemt_stage::rows() const { return saturating_product(results(), input[mode]); }

std::uint64_t gemt_stage::result_elements() const { return volume_of(output); }

std::uint64_t gemt_plan::steps() const
{
    std::uint64_t sum = 0;
    for (const auto& stage : stages) { sum = saturating_sum(sum, stage.rows()); }
    return sum;
}

std::uint64_t gemt_plan::workspace_offset(std::size_t index) const
{
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < index; ++i) { offset = saturating_sum(offset, stages[i].result_elements()); }
    return offset;
}

gemt_plan plan_gemt(const gemt_command& command, const gemt_shape& mesh)
{
    gemt_plan plan;
    gemt_shape shape = first_sizes(command.x);
    plan.box = shape;
    for (unsigned position = 0; position < 3; ++position) {
        if (!command.runs(position)) { continue; }
        gemt_stage stage;
        stage.position = position;
        stage.mode = command.mode_of(position);
        stage.input = shape;
        shape[stage.mode] = command.y.size[stage.mode];
        stage.output = shape;
        stage.tile = mesh;
        plan.box[stage.mode] = std::max(plan.box[stage.mode], shape[stage.mode]);
        plan.stages.push_back(stage);
    }
    for (unsigned m = 0; m < 3; ++m) {
        plan.fits = plan.fits && plan.box[m] <= mesh[m];
        plan.box[m] = std::min(plan.box[m], mesh[m]);
    }
    return plan;
}

std::uint64_t gemt_workspace_elements(const gemt_command& command, const gemt_shape& mesh)
{
    const gemt_plan plan = plan_gemt(command, mesh);
    return plan.fits ? 0 : plan.workspace_offset(plan.stages.size() - 1);
}

tensor_descriptor block_descriptor(const tensor_descriptor& tensor, const gemt_block& block)
{
    tensor_descriptor d = tensor;
    std::uint64_t offset = 0; // modulo 2^64, as strides may be negative
    for (unsigned m = 0; m < 3; ++m) {
        d.size[m] = block.size[m];
        offset += block.first[m] * static_cast<std::uint64_t>(tensor.stride[m]);
    }
    d.base += offset * element_bytes(static_cast<element_type>(tensor.type));
    return d;
}

} // namespace tensorloom::arch::triada
