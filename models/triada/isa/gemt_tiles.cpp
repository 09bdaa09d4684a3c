#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <algorithm>
#include <vector>

namespace tensorloom::triada {
namespace {

isa::mode_sizes first_sizes(const isa::tensor_descriptor& d) { return {d.size[0], d.size[1], d.size[2]}; }

} // namespace

gemt_plan plan_gemt(const gemt_command& command, const isa::mode_sizes& mesh)
{
    const isa::mode_sizes x = first_sizes(command.x);
    isa::mode_sizes y = x;
    std::vector<unsigned> modes, positions;
    for (unsigned position = 0; position < 3; ++position) {
        if (!command.runs(position)) { continue; }
        const unsigned mode = command.mode_of(position);
        y[mode] = command.y.size[mode];
        modes.push_back(mode);
        positions.push_back(position);
    }
    gemt_plan plan{isa::plan_tiles(x, y, modes, mesh, mesh, std::max<std::uint32_t>(command.partials, 1)), {}};
    for (std::size_t i = 0; i < positions.size(); ++i) { plan.stages[i].position = positions[i]; }
    for (unsigned m = 0; m < 3; ++m) { plan.box[m] = std::min(std::max(x[m], y[m]), mesh[m]); }
    if (!plan.fits) {
        const auto bytes = [](std::uint8_t type) { return base::element_bytes(static_cast<base::element_type>(type)); };
        if (command.convert_x()) { plan.x_copy_elements = isa::volume_of(x); }
        if (command.convert_y()) {
            const std::uint64_t per_sum = bytes(command.y.type) / bytes(command.x.type);
            const std::uint64_t elements = isa::volume_of(y);
            plan.y_copy_elements = elements > UINT64_MAX / per_sum ? UINT64_MAX : elements * per_sum;
        }
    }
    return plan;
}

std::uint64_t gemt_plan::workspace_elements() const
{
    const auto sum = [](std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; };
    return sum(sum(x_copy_elements, tile_plan::workspace_elements()), y_copy_elements);
}

std::uint64_t gemt_workspace_elements(const gemt_command& command, const isa::mode_sizes& mesh)
{
    return plan_gemt(command, mesh).workspace_elements();
}

} // namespace tensorloom::triada
