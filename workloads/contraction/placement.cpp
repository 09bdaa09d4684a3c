#include <tensorloom/workloads/contraction/placement.h>
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t region_alignment = 4096;

// Gives regions one after the other.
class regions {
public:
    explicit regions(std::uint64_t base) : m_next(base) {}

    std::uint64_t place(std::uint64_t bytes)
    {
        const std::uint64_t address = m_next;
        m_next += (bytes + region_alignment - 1) / region_alignment * region_alignment;
        return address;
    }
    std::uint64_t end() const { return m_next; }

private:
    std::uint64_t m_next;
};

void require_room(std::uint64_t end, std::uint64_t data_base, std::uint64_t data_bytes)
{
    if (end - data_base > data_bytes) {
        base::refuse("memory", std::to_string(data_bytes) + " bytes for data",
                     "at least " + std::to_string(end - data_base));
    }
}

// Elements of a view that some LOAD or STORE of a block touches: padding of the last blocks may lie behind the tensor.
std::uint64_t reach_of(const contraction_plan& plan, contraction_tensor tensor, const even_view& view)
{
    std::uint64_t reach = 0;
    for_each_block(plan, tensor, [&](const std::array<std::uint32_t, contraction_indices>& block) {
        const banked_image image = plan.image(tensor, block);
        std::uint64_t last = 0;
        for (const auto x : all_indices) {
            if (!has_index(tensor, x)) { continue; }
            const auto index = plan.command_index_of(x);
            last += (plan.index[at(x)].block(block[at(x)]).first + image.padded(index) - 1) *
                    static_cast<std::uint64_t>(view.stride[at(index)]);
        }
        reach = std::max(reach, last + 1);
    });
    return reach;
}

// Blocks of an index are as large as its first or its last.
bool has_padding(const contraction_plan& plan, contraction_tensor tensor)
{
    for (unsigned which = 0; which < 1u << contraction_indices; ++which) {
        std::array<std::uint32_t, contraction_indices> block{};
        for (unsigned x = 0; x < contraction_indices; ++x) {
            const bool last = (which >> x & 1) != 0 && has_index(tensor, static_cast<contraction_index>(x));
            block[x] = last ? static_cast<std::uint32_t>(plan.index[x].blocks() - 1) : 0;
        }
        const banked_image image = plan.image(tensor, block);
        for (const auto x : all_indices) {
            const bool padded = has_index(tensor, x) &&
                                image.padded(plan.command_index_of(x)) != plan.index[at(x)].block(block[at(x)]).size;
            if (padded) { return true; }
        }
    }
    return false;
}

std::uint64_t elements_of(const contraction& problem, contraction_tensor tensor)
{
    return problem.extent(modes_of(problem, tensor));
}

} // namespace

contraction_addresses linear_addresses(const contraction& problem, const fetta::device_limits& g, bool store_bf16,
                                       std::uint64_t data_base, std::uint64_t data_bytes)
{
    regions memory(data_base);
    contraction_addresses to;
    const std::uint64_t operand = base::element_bytes(g.operand);
    to.a = memory.place(elements_of(problem, contraction_tensor::a) * operand);
    to.b = memory.place(elements_of(problem, contraction_tensor::b) * operand);
    to.c = memory.place(elements_of(problem, contraction_tensor::c) * (store_bf16 ? 2 : 4));
    to.end = memory.end();
    require_room(to.end, data_base, data_bytes);
    return to;
}

contraction_addresses place_tensors(const contraction_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes)
{
    const auto& p = plan.problem;
    if (plan.layout == tensor_layout::conflicted) {
        return linear_addresses(p, plan.limits, plan.store_bf16, data_base, data_bytes);
    }
    regions memory(data_base);
    contraction_addresses to;
    std::uint64_t* const own[] = {&to.a, &to.b, &to.c};
    std::optional<std::uint64_t>* const other[] = {&to.ordered_a, &to.ordered_b, &to.padded_c};
    for (const auto t : {contraction_tensor::a, contraction_tensor::b, contraction_tensor::c}) {
        const auto i = static_cast<unsigned>(t);
        const std::uint64_t element = base::element_bytes(plan.type_of(t));
        if (plan.layout == tensor_layout::ideal) {
            *own[i] = memory.place(block_offsets(plan, t).back() * element);
            continue;
        }
        if (const auto view = own_view(plan, t)) {
            *own[i] = memory.place(std::max(elements_of(p, t), reach_of(plan, t, *view)) * element);
            continue;
        }
        *own[i] = memory.place(elements_of(p, t) * element);
        const std::uint64_t elements = t == contraction_tensor::c
                                           ? block_offsets(plan, t).back()
                                           : std::max(elements_of(p, t), reach_of(plan, t, ordered_view(plan, t)));
        *other[i] = memory.place(elements * element);
    }
    to.end = memory.end();
    require_room(to.end, data_base, data_bytes);
    return to;
}

std::uint64_t block_number(const contraction_plan& plan, contraction_tensor tensor,
                           const std::array<std::uint32_t, contraction_indices>& block)
{
    std::uint64_t number = 0;
    for (const auto x : all_indices) {
        if (has_index(tensor, x)) { number = number * plan.index[at(x)].blocks() + block[at(x)]; }
    }
    return number;
}

std::vector<std::uint64_t> block_offsets(const contraction_plan& plan, contraction_tensor tensor)
{
    std::vector<std::uint64_t> offsets{0};
    for_each_block(plan, tensor, [&](const std::array<std::uint32_t, contraction_indices>& block) {
        const banked_image image = plan.image(tensor, block);
        const std::uint64_t box = image.padded(command_index::batch) * image.padded(command_index::ia_free) *
                                  image.padded(command_index::ib_free);
        offsets.push_back(offsets.back() + (plan.layout == tensor_layout::ideal ? image.elements() : box));
    });
    return offsets;
}

std::optional<even_view> own_view(const contraction_plan& plan, contraction_tensor tensor)
{
    const std::array<std::uint32_t, contraction_indices> first{};
    const command_index along_rows = plan.image(tensor, first).element;
    even_view view;
    for (const auto x : all_indices) {
        if (!has_index(tensor, x)) { continue; }
        const auto stride = even_stride(plan.problem, tensor, plan.index[at(x)]);
        const auto index = plan.command_index_of(x);
        if (!stride || (index == along_rows && *stride > 1)) { return std::nullopt; }
        view.stride[at(index)] = index == along_rows ? 1 : *stride; // of one index: its padding is read as a run, too
    }
    if (tensor == contraction_tensor::c && has_padding(plan, tensor)) { return std::nullopt; }
    return view;
}

even_view ordered_view(const contraction_plan& plan, contraction_tensor tensor)
{
    even_view view;
    std::int64_t stride = 1;
    for (const auto x : ordered_indices(plan, tensor)) {
        view.stride[at(plan.command_index_of(x))] = stride;
        stride *= static_cast<std::int64_t>(plan.index[at(x)].extent());
    }
    return view;
}

std::array<contraction_index, 3> ordered_indices(const contraction_plan& plan, contraction_tensor tensor)
{
    const std::array<std::uint32_t, contraction_indices> first{};
    const command_index along_rows = plan.image(tensor, first).element;
    std::array<contraction_index, 3> order{contraction_index::batch, contraction_index::batch,
                                           contraction_index::batch};
    for (const auto x : all_indices) {
        if (x == contraction_index::batch || !has_index(tensor, x)) { continue; }
        order[plan.command_index_of(x) == along_rows ? 0 : 1] = x;
    }
    return order;
}

even_view padded_view(const banked_image& image)
{
    even_view view;
    const auto ib = static_cast<std::int64_t>(image.padded(command_index::ib_free));
    view.stride[at(command_index::ib_free)] = 1;
    view.stride[at(command_index::ia_free)] = ib;
    view.stride[at(command_index::batch)] = ib * static_cast<std::int64_t>(image.padded(command_index::ia_free));
    return view;
}

} // namespace tensorloom::workloads
