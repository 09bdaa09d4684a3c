#include <tensorloom/models/torus/array_contents.h>
#include <algorithm>
#include <cstring>
#include <string>
#include <tensorloom/models/isa/tiles/tile_plan.h>

namespace tensorloom::torus {
namespace {

constexpr slot tensor_slots[] = {slot::x, slot::x1, slot::x2, slot::x3};

/// A memory of `bytes` bytes that contains numbers of one type at its beginning: numbers() gives their count,
/// get(first, to, numbers) reads them, and put(first, from, numbers) writes them.
template <class Sizes, class Get, class Put>
shell::debug_memory number_memory(std::string name, std::uint64_t bytes, std::uint64_t width, const Sizes& numbers,
                                  const Get& get, const Put& put)
{
    // Calls action(first number, numbers) for those that have bytes of a range; how many bytes of it they are.
    const auto touched = [=](std::uint64_t address, std::uint64_t count) {
        const std::uint64_t there = numbers() * width;
        return address < there ? std::min(count, there - address) : 0;
    };
    const auto fetched = [=](std::uint64_t address, std::uint64_t count) {
        const std::uint64_t first = address / width, end = (address + count + width - 1) / width;
        std::vector<unsigned char> whole((end - first) * width);
        get(first, whole.data(), end - first);
        return whole;
    };
    shell::debug_memory memory;
    memory.name = std::move(name);
    memory.bytes = memory.window_bytes = bytes;
    memory.read_inside = [=](std::uint64_t address, unsigned char* to, std::uint64_t count) {
        const std::uint64_t there = touched(address, count);
        if (there != 0) { std::memcpy(to, fetched(address, there).data() + address % width, there); }
        std::memset(to + there, 0, count - there);
    };
    memory.write_inside = [=](std::uint64_t address, const unsigned char* from, std::uint64_t count) {
        const std::uint64_t there = touched(address, count);
        if (there == 0) { return; }
        auto whole = fetched(address, there);
        std::memcpy(whole.data() + address % width, from, there);
        put(address / width, whole.data(), whole.size() / width);
    };
    return memory;
}

} // namespace

bool array_contents::layout::sums(unsigned mode) const
{
    const auto end = order.begin() + (3 - left_out);
    return std::find(order.begin(), end, mode + 1) != end;
}

void array_contents::lay_out(const layout& wanted)
{
    m_layout = wanted;
    m_nodes.lay_out({by_index(wanted.blocks, wanted.order), wanted.vector, modes_of_indices(wanted.order)});
    matrices.reset();
    for (auto* tensor : {&given, &transformed, &next, &operand}) { tensor->reset(); }
    held = held_tensor::none;
}

const lying_tensor* array_contents::held_one() const
{
    const auto* one = held == held_tensor::given ? &given : held == held_tensor::transformed ? &transformed : nullptr;
    return one != nullptr && *one ? &**one : nullptr;
}

slot_memories array_contents::taken() const
{
    slot_memories memories;
    for (const auto* tensor : {&next, &operand}) {
        if (*tensor) { memories.add((*tensor)->place.in); }
    }
    return memories;
}

void array_contents::overwrite(slot memory)
{
    for (auto* tensor : {&given, &transformed, &next, &operand}) {
        if (*tensor && (*tensor)->place.in == memory) { tensor->reset(); }
    }
}

slot array_contents::matrix_slot(unsigned mode) const
{
    constexpr slot by_label[] = {slot::c_ii, slot::c_iii, slot::c_i};
    const auto modes = modes_of_indices(m_layout.order);
    return by_label[std::find(modes.begin(), modes.end(), mode) - modes.begin()];
}

// ---- for debuggers ----

shape3 array_contents::padded_sizes(slot which) const
{
    const auto modes = modes_of_indices(m_layout.order);
    const auto block = shape_of(which, by_index(m_layout.blocks, m_layout.order));
    shape3 sizes{};
    for (unsigned i = 0; i < 3; ++i) { sizes[modes[i]] = m_config.side * block.size[i]; }
    return sizes;
}

std::uint64_t array_contents::matrix_elements(unsigned mode) const
{
    return matrices && m_layout.sums(mode) ? std::uint64_t{matrices->in_size[mode]} * matrices->out_size[mode] : 0;
}

shell::debug_memory array_contents::tensor_memory(slot which)
{
    const std::uint64_t width = base::element_bytes(base::accumulator_type(m_config.format));
    const auto& block = m_config.block;
    const std::uint64_t most = isa::volume_of({m_config.side * block[0], m_config.side * block[1], // 2^48 at most
                                               m_config.side * block[2]});
    return number_memory(
        std::string("slot_") + slot_values[static_cast<unsigned>(which)].name, most * width, width,
        [this, which] { return isa::volume_of(padded_sizes(m_nodes.placed(which).as)); },
        [this, which](std::uint64_t first, unsigned char* to, std::uint64_t sums) {
            const auto there = m_nodes.placed(which);
            m_nodes.read_sums(there, padded_sizes(there.as), first, to, sums);
        },
        [this, which](std::uint64_t first, const unsigned char* from, std::uint64_t sums) {
            const auto there = m_nodes.placed(which);
            m_nodes.write_sums(there, padded_sizes(there.as), first, from, sums);
        });
}

shell::debug_memory array_contents::matrix_memory(unsigned mode)
{
    const std::uint64_t width = base::element_bytes(m_config.format);
    const std::uint64_t most = std::uint64_t{m_config.side} * m_config.side * m_config.coefficient_elements;
    return number_memory(
        "matrix_" + std::to_string(mode + 1), most * width, width, [this, mode] { return matrix_elements(mode); },
        [this, mode](std::uint64_t first, unsigned char* to, std::uint64_t elements) {
            m_nodes.read_matrix(matrix_slot(mode), first, to, elements);
        },
        [this, mode](std::uint64_t first, const unsigned char* from, std::uint64_t elements) {
            m_nodes.write_matrix(matrix_slot(mode), first, from, elements);
        });
}

std::vector<shell::debug_memory> array_contents::memories()
{
    std::vector<shell::debug_memory> all;
    for (const slot s : tensor_slots) { all.push_back(tensor_memory(s)); }
    for (unsigned mode = 0; mode < 3; ++mode) { all.push_back(matrix_memory(mode)); }
    return all;
}

// ---- saved states ----

namespace {

constexpr auto each_size = [](auto& l, const auto& size) {
    for (auto* sizes : {&l.blocks.in_block, &l.blocks.out_block}) {
        for (auto& s : *sizes) { size(s); }
    }
};

void put_sizes(base::state_writer& state, const std::optional<shape3>& sizes)
{
    for (const auto s : sizes.value_or(shape3{})) { state.put(s); } // no tensor has a size of 0
}

} // namespace

void array_contents::write_state(base::state_writer& state) const
{
    each_size(m_layout, [&](const std::uint32_t s) { state.put(s); });
    for (unsigned i = 0; i < 3; ++i) {
        state.put(m_layout.order[i]);
        state.put(static_cast<std::uint8_t>(m_layout.vector.sign[i] < 0));
    }
    state.put(m_layout.left_out);
    for (const slot memory : tensor_slots) { state.put(static_cast<std::uint8_t>(m_nodes.placed(memory).as)); }
    put_sizes(state, matrices ? std::optional(matrices->in_size) : std::nullopt);
    put_sizes(state, matrices ? std::optional(matrices->out_size) : std::nullopt);
    for (const auto* tensor : {&given, &transformed, &next, &operand}) {
        const auto t = tensor->value_or(lying_tensor{});
        put_sizes(state, *tensor ? std::optional(t.size) : std::nullopt);
        state.put(static_cast<std::uint8_t>(t.place.in));
        state.put(t.shift);
    }
    state.put(static_cast<std::uint8_t>(held));
}

std::function<void()> array_contents::read_state(base::state_reader& state)
{
    layout saved;
    const auto text = [](std::uint64_t number) { return std::to_string(number); };
    for (auto* blocks : {&saved.blocks.in_block, &saved.blocks.out_block}) {
        for (unsigned m = 0; m < 3; ++m) {
            auto& size = (*blocks)[m];
            size = state.take<std::uint32_t>();
            const std::uint32_t most = std::max(m_config.block[m], 1u);
            if (size < 1 || size > most) { state.fail("a block", text(size) + " elements", "1 to " + text(most)); }
        }
    }
    unsigned modes = 0;
    for (unsigned i = 0; i < 3; ++i) {
        saved.order[i] = state.take<std::uint8_t>();
        saved.vector.sign[i] = state.take<std::uint8_t>() != 0 ? -1 : 1;
        modes |= saved.order[i] < 8 ? 1u << saved.order[i] : 0;
    }
    if (modes != 0xe) { state.fail("the order of modes", text(modes), "1, 2 and 3, each once"); }
    saved.left_out = state.take<std::uint8_t>();
    if (saved.left_out > 2) { state.fail("the modes that are left out", text(saved.left_out), "0, 1 or 2"); }
    std::vector<tensor_place> places;
    for (const slot memory : tensor_slots) {
        const auto as = state.take<std::uint8_t>();
        if (as >= std::size(tensor_slots)) { state.fail("the slot of a tensor", text(as), "0 to 3"); }
        places.emplace_back(static_cast<slot>(as), memory);
    }
    std::vector<unsigned> summed;
    for (unsigned m = 0; m < 3; ++m) {
        if (saved.sums(m)) { summed.push_back(m); }
    }
    const auto take_sizes = [&] {
        shape3 sizes{};
        for (auto& s : sizes) { s = state.take<std::uint32_t>(); }
        return sizes[0] == 0 ? std::nullopt : std::optional(sizes);
    };
    const auto rows = take_sizes(), columns = take_sizes();
    const auto torus = filled(saved.blocks, m_config.side);
    std::array<std::optional<lying_tensor>, 4> tensors; // given, transformed, next, operand
    for (auto& tensor : tensors) {
        const auto sizes = take_sizes();
        const auto memory = state.take<std::uint8_t>(), shift = state.take<std::uint8_t>();
        if (memory >= places.size()) { state.fail("the memory of a tensor", text(memory), "0 to 3"); }
        if (shift > 31) { state.fail("a shift", text(shift), "0 to 31"); }
        if (!sizes) { continue; }
        const auto& place_there = places[memory];
        const auto& most = place_there.as == slot::x ? torus.in_size : torus.out_size;
        if ((*sizes)[0] > most[0] || (*sizes)[1] > most[1] || (*sizes)[2] > most[2]) {
            state.fail("a tensor", "more elements", "as many as the torus holds");
        }
        tensor = lying_tensor{place_there, *sizes, shift};
    }
    const auto saved_held = state.take<std::uint8_t>();
    if (saved_held > static_cast<std::uint8_t>(held_tensor::transformed)) {
        state.fail("the tensor that is held", text(saved_held), "0 to 2");
    }
    std::optional<torus::orbit_sizes> saved_matrices;
    if (rows && columns) {
        saved_matrices = {*rows, *columns};
        const auto coefficients = coefficients_of_node(saved.blocks, *saved_matrices, m_config.side, summed);
        if (coefficients > m_config.coefficient_elements) {
            state.fail("matrices", text(coefficients) + " coefficients of a node",
                       "at most " + text(m_config.coefficient_elements));
        }
    }
    return [=] {
        lay_out(saved);
        for (const auto& saved_place : places) { m_nodes.clear(saved_place); }
        matrices = saved_matrices;
        given = tensors[0];
        transformed = tensors[1];
        next = tensors[2];
        operand = tensors[3];
        held = static_cast<held_tensor>(saved_held);
        for (unsigned m = 0; matrices && m < 3; ++m) {
            if (!saved.sums(m)) { continue; }
            m_nodes.resize_matrix(matrix_slot(m), matrices->in_size[m], matrices->out_size[m]);
        }
    };
}

} // namespace tensorloom::torus
