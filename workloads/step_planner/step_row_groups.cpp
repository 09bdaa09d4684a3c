#include <tensorloom/workloads/step_planner/step_row_groups.h>
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

bool is_element_wise(opcode code)
{
    constexpr opcode all[] = {
        opcode::add,  opcode::sub,     opcode::mul,           opcode::div,       opcode::max,        opcode::min,
        opcode::relu, opcode::sigmoid, opcode::relu_gradient, opcode::tanh,      opcode::exp,        opcode::log,
        opcode::sqrt, opcode::mask,    opcode::mul_add,       opcode::pack_bf16, opcode::unpack_bf16};
    return std::find(std::begin(all), std::end(all), code) != std::end(all);
}

// Elements of a tensor of which each group has the same share, or all that each group uses.
struct span {
    std::uint64_t first = 0, elements = 0;
    bool is_shared = false;

    bool agrees_with(const span& other) const
    {
        return is_shared == other.is_shared && (is_shared || (first == other.first && elements == other.elements));
    }
};

// An operation in groups.
struct grouped_operation {
    std::map<std::size_t, span> spans; // by tensor
    std::uint64_t bytes = 0;           // of its largest operand
};

class row_groups {
public:
    row_groups(const operation_list& step, std::uint64_t groups, std::uint64_t least_bytes, std::uint64_t block)
        : m_step(step), m_groups(groups), m_least(least_bytes), m_block(block)
    {}

    operation_list run()
    {
        find_chains();
        find_split_tensors();
        auto made = m_step;
        made.operations.clear();
        for (std::size_t t = 0; t < m_step.tensors.size(); ++t) {
            if (!m_splits[t]) { continue; }
            auto part = m_step.tensors[t];
            part.elements /= m_groups;
            made.tensors[t] = part;
            m_first_part[t] = made.tensors.size();
            for (std::uint64_t g = 1; g < m_groups; ++g) { made.tensors.push_back(part); }
        }
        for (std::size_t o = 0; o < m_step.operations.size();) {
            if (!m_chain[o]) {
                made.operations.push_back(m_step.operations[o++]);
                continue;
            }
            const std::size_t end = *m_chain[o];
            for (std::uint64_t g = 0; g < m_groups; ++g) {
                for (std::size_t k = o; k < end; ++k) { made.operations.push_back(of_group(k, g)); }
            }
            o = end;
        }
        return made;
    }

private:
    // Its spans, if each group of rows can be computed alone.
    std::optional<grouped_operation> grouped(const step_operation& operation) const
    {
        grouped_operation of;
        bool is_possible = true;
        const auto use = [&](const tensor_part& part, const span& s) {
            const auto [at, is_new] = of.spans.emplace(part.tensor, s);
            is_possible = is_possible && (is_new || at->second.agrees_with(s)) && part.step == 0;
            if (s.is_shared) { return; }
            const auto type = m_step.tensors[part.tensor].type;
            const bool is_packed = type == base::element_type::bf16;
            is_possible = is_possible && s.elements % m_groups == 0 &&
                          (!is_packed || (s.first % m_block == 0 && s.elements / m_groups % m_block == 0));
            of.bytes = std::max(of.bytes, s.elements * base::element_bytes(type));
        };
        const auto rows = [&](const tensor_part& part, std::uint64_t elements) {
            use(part, {part.offset, elements, false});
        };
        const auto word = [&](const tensor_part& part, std::uint64_t elements = 1) {
            use(part, {part.offset, elements, true});
        };
        if (const auto* v = std::get_if<vector_operation>(&operation.work)) {
            const bool by_block = v->code == opcode::sum_block || v->code == opcode::max_block;
            if ((!is_element_wise(v->code) && !by_block) || v->zero_a || !v->a) { return std::nullopt; }
            const std::uint64_t unit = by_block ? v->block : 1; // elements of a that make one
            if (v->length % (unit * m_groups) != 0) { return std::nullopt; }
            if (v->code == opcode::pack_bf16 || v->code == opcode::unpack_bf16) {
                if (v->length / m_groups % m_block != 0) { return std::nullopt; }
            }
            rows(*v->a, v->length);
            if (v->b) { v->broadcast_b ? word(*v->b) : rows(*v->b, v->length); }
            if (v->c) { word(*v->c); }
            rows(v->result, v->length / unit);
        } else if (const auto* r = std::get_if<copy_operation>(&operation.work)) {
            const auto [outer, count, inner] = r->size;
            const auto length = static_cast<std::int64_t>(inner);
            const bool to_rows = r->result_stride[1] == length && r->result_stride[2] == 1;
            if (outer != 1 || count % m_groups != 0 || !to_rows) { return std::nullopt; }
            const auto& stride = r->a_stride;
            if (stride[1] == 0 && stride[2] == 1) {
                word(r->a, inner);
            } else if (stride[1] == 1 && stride[2] == 0) {
                rows(r->a, count);
            } else {
                return std::nullopt;
            }
            rows(r->result, count * inner);
        } else {
            return std::nullopt;
        }
        return is_possible ? std::optional(of) : std::nullopt;
    }

    // Chains of operations whose spans agree.
    void find_chains()
    {
        const std::size_t count = m_step.operations.size();
        m_chain.assign(count, std::nullopt);
        std::vector<bool> is_in_loop(count);
        for (const auto& loop : loops_of(m_step)) {
            if (loop.kind != loop_kind::inner) { continue; }
            for (std::size_t o = loop.range.first; o <= loop.range.last; ++o) { is_in_loop[o] = true; }
        }
        for (std::size_t o = 0; o < count; ++o) {
            m_grouped.push_back(is_in_loop[o] ? std::nullopt : grouped(m_step.operations[o]));
        }
        for (std::size_t o = 0; o < count;) {
            std::map<std::size_t, span> spans;
            std::size_t end = o, last_large = o;
            for (; end < count && m_grouped[end]; ++end) {
                const auto& of = *m_grouped[end];
                const bool agrees = std::all_of(of.spans.begin(), of.spans.end(), [&](const auto& s) {
                    const auto at = spans.find(s.first);
                    return at == spans.end() || at->second.agrees_with(s.second);
                });
                if (!agrees) { break; }
                spans.insert(of.spans.begin(), of.spans.end());
                if (of.bytes >= m_least) { last_large = end + 1; }
            }
            const bool is_one = last_large > o && m_grouped[o]->bytes >= m_least;
            if (!is_one) {
                ++o; // it begins with a large operation
                continue;
            }
            m_chain[o] = last_large;
            m_inside.resize(count);
            for (std::size_t k = o; k < last_large; ++k) { m_inside[k] = true; }
            o = last_large;
        }
        m_inside.resize(count);
    }

    // Tensors that are used in chains alone, and whole.
    void find_split_tensors()
    {
        const std::size_t count = m_step.tensors.size();
        m_first_part.assign(count, 0);
        m_splits.assign(count, true);
        std::vector<bool> is_used(count);
        for (std::size_t t = 0; t < count; ++t) {
            const auto& of = m_step.tensors[t];
            m_splits[t] = !of.kind && of.elements * base::element_bytes(of.type) >= m_least;
        }
        for (std::size_t o = 0; o < m_step.operations.size(); ++o) {
            const auto look = [&](const tensor_part& part) {
                is_used[part.tensor] = true;
                if (!m_splits[part.tensor]) { return; }
                const span whole{0, m_step.tensors[part.tensor].elements, false};
                m_splits[part.tensor] = m_inside[o] && m_grouped[o]->spans.at(part.tensor).agrees_with(whole);
            };
            for_each_part(m_step.operations[o], look, look);
        }
        for (std::size_t t = 0; t < count; ++t) { m_splits[t] = m_splits[t] && is_used[t]; }
    }

    step_operation of_group(std::size_t o, std::uint64_t g) const
    {
        auto made = m_step.operations[o];
        const auto& spans = m_grouped[o]->spans;
        if (auto* v = std::get_if<vector_operation>(&made.work)) { v->length /= m_groups; }
        if (auto* r = std::get_if<copy_operation>(&made.work)) { r->size[1] /= m_groups; }
        const auto move = [&](tensor_part& part) {
            const auto& s = spans.at(part.tensor);
            if (s.is_shared) { return; }
            if (m_splits[part.tensor]) {
                if (g > 0) { part.tensor = m_first_part[part.tensor] + g - 1; }
            } else {
                part.offset += g * (s.elements / m_groups);
            }
        };
        for_each_part(made, move, move);
        return made;
    }

    const operation_list& m_step;
    std::uint64_t m_groups, m_least, m_block;
    std::vector<std::optional<grouped_operation>> m_grouped; // by operation
    std::vector<std::optional<std::size_t>> m_chain;         // by the first operation of a chain: its end
    std::vector<bool> m_inside;                              // by operation: in a chain
    std::vector<bool> m_splits;                              // by tensor
    std::vector<std::size_t> m_first_part;                   // by tensor that is split: that of the second group
};

} // namespace

operation_list in_row_groups(const operation_list& step, std::uint64_t groups, std::uint64_t least_bytes,
                             std::uint64_t block)
{
    return row_groups(step, groups, least_bytes, block).run();
}

} // namespace tensorloom::workloads
