#include <tensorloom/workloads/step_planner/step_operations.h>
#include <algorithm>

namespace tensorloom::workloads {

std::uint64_t transfer_operation::elements() const
{
    std::uint64_t all = 1;
    for (const auto& m : modes) { all *= m.size; }
    return all;
}

isa::tensor_descriptor transfer_operation::descriptor(std::uint64_t address_of_array, base::element_type type) const
{
    isa::tensor_descriptor tensor;
    tensor.base = address_of_array + offset * base::element_bytes(type);
    tensor.type = static_cast<std::uint8_t>(type);
    tensor.order = static_cast<std::uint8_t>(modes.size());
    for (std::size_t m = 0; m < modes.size(); ++m) {
        tensor.size[m] = static_cast<std::uint32_t>(modes[m].size);
        tensor.stride[m] = modes[m].stride;
    }
    return tensor;
}

std::vector<step_loop> loops_of(const operation_list& list)
{
    std::vector<step_loop> all, open;
    for (std::size_t o = 0; o < list.operations.size(); ++o) {
        const auto& work = list.operations[o].work;
        if (const auto* loop = std::get_if<loop_operation>(&work)) {
            open.push_back({loop->kind, loop->count, {o, o}});
        }
        if (!std::holds_alternative<end_operation>(work)) { continue; }
        all.push_back(open.back());
        all.back().range.last = o;
        open.pop_back();
    }
    return all;
}

operation_list unrolled(const operation_list& list)
{
    auto made = list;
    made.operations.clear();
    const auto loops = loops_of(list);
    for (std::size_t o = 0; o < list.operations.size(); ++o) {
        const auto loop = std::find_if(loops.begin(), loops.end(),
                                       [o](const auto& l) { return l.kind == loop_kind::inner && l.range.first == o; });
        if (loop == loops.end()) {
            made.operations.push_back(list.operations[o]);
            continue;
        }
        for (std::uint64_t i = 0; i < loop->count; ++i) {
            const auto advance = [i](tensor_part& part) {
                part.offset += i * static_cast<std::uint64_t>(part.step); // negative steps wrap around
                part.step = part.outer_step;
                part.outer_step = 0;
            };
            for (std::size_t inside = loop->range.first + 1; inside < loop->range.last; ++inside) {
                auto& operation = made.operations.emplace_back(list.operations[inside]);
                for_each_part(operation, advance, advance);
                auto* transfer = std::get_if<transfer_operation>(&operation.work);
                if (transfer == nullptr) { continue; }
                transfer->offset += i * static_cast<std::uint64_t>(transfer->place_step[0]);
                transfer->place_step = {transfer->place_step[1], 0};
            }
        }
        o = loop->range.last;
    }
    return made;
}

step_unit unit_of(const step_operation& operation)
{
    const auto is_one_of = [&](auto... kinds) {
        return (std::holds_alternative<decltype(kinds)>(operation.work) || ...);
    };
    if (is_one_of(contract_operation())) { return step_unit::engines; }
    if (is_one_of(vector_operation(), copy_operation())) { return step_unit::vector; }
    return is_one_of(transfer_operation()) ? step_unit::transfers : step_unit::none;
}

} // namespace tensorloom::workloads
