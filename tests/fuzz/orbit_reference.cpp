#include "fuzz/orbit_reference.h"
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <tensorloom/models/torus/isa/multiply_command.h>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <tensorloom/models/arithmetic/mac.h>
#include "fuzz/fuzz_target.h"
#include "fuzz/tensor_ranges.h"
#include "models/torus/matrix_case.h"
#include "models/torus/summed_block.h"
#include "support/reference_failure.h"
#include "support/reference_program.h"

namespace tensorloom::test {

namespace {

using isa::tensor_descriptor;
using torus::block_sizes;
using torus::multiply_command;
using torus::orbit_command;

std::size_t volume(const shape3& s) { return std::size_t{s[0]} * s[1] * s[2]; }
std::size_t index_in(const shape3& sizes, const shape3& at)
{
    return (std::size_t{at[0]} * sizes[1] + at[1]) * sizes[2] + at[2];
}

template <class Action> void for_each_index(const shape3& sizes, const Action& action)
{
    shape3 at{};
    for (at[0] = 0; at[0] < sizes[0]; ++at[0]) {
        for (at[1] = 0; at[1] < sizes[1]; ++at[1]) {
            for (at[2] = 0; at[2] < sizes[2]; ++at[2]) { action(at); }
        }
    }
}

template <class R> R conjugate(const R& x) { return x; }
template <class R> std::complex<R> conjugate(const std::complex<R>& x) { return std::conj(x); }

/// A transform with the sizes of its matrices: N and K of modes 1, 2, 3.
template <class T> struct orbit_matrices {
    shape3 in_size{}, out_size{};
    std::array<std::vector<T>, 3> of_mode; ///< C[n,k], row-major
};

/// The sums of the last stage of one transform; `result` gets them as elements.
///
/// A transform that fits the torus computes with whole blocks in all modes, padded with +0. A larger one writes its
/// intermediate tensors to memory, where no padding is.
template <class T> class orbit_calculation {
public:
    using sum = arithmetic::accumulator_of<T>;

    orbit_calculation(std::uint32_t side, const orbit_command& command, const orbit_matrices<T>& matrices)
        : m_side(side), m_command(command), m_matrices(matrices)
    {
        for (unsigned m = 0; m < 3; ++m) {
            m_fits = m_fits && matrices.in_size[m] <= side * command.blocks.in_block[m] &&
                     matrices.out_size[m] <= side * command.blocks.out_block[m];
        }
    }

    bool fits() const { return m_fits; }
    bool back() const { return m_command.way == direction::inverse; }
    const shape3& operand_sizes() const { return back() ? m_matrices.out_size : m_matrices.in_size; }
    const shape3& result_sizes() const { return back() ? m_matrices.in_size : m_matrices.out_size; }

    /// `initial`: where the sums of the last stage start; empty: at +0.
    std::vector<sum> sums(const std::vector<T>& operand, const std::vector<sum>& initial, std::vector<T>& result) const
    {
        const auto& o = m_command.order;
        const std::array<unsigned, 3> mode{o[1] - 1u, o[2] - 1u, o[0] - 1u}; // by role
        shape3 block = back() ? m_command.blocks.out_block : m_command.blocks.in_block;
        shape3 size = held(operand_sizes(), block);
        std::vector<T> values(volume(size));
        for_each_index(operand_sizes(),
                       [&](const shape3& at) { values[index_in(size, at)] = operand[index_in(operand_sizes(), at)]; });
        std::vector<sum> made;
        const unsigned first = back() ? m_command.left_out : 0, end = back() ? 3 : 3 - m_command.left_out;
        for (unsigned stage = first; stage < end; ++stage) {
            const unsigned role = back() ? std::array{1u, 0u, 2u}[stage] : std::array{2u, 0u, 1u}[stage];
            const unsigned m = mode[role];
            const std::uint32_t depth = block[m];
            const shape3 from = size;
            block[m] = (back() ? m_command.blocks.in_block : m_command.blocks.out_block)[m];
            size[m] = held(result_sizes(), block)[m];
            made.clear();
            for_each_index(size, [&](const shape3& at) {
                std::array<std::int64_t, 3> place{};
                for (unsigned r = 0; r < 3; ++r) { place[r] = at[mode[r]] / block[mode[r]] % m_side; }
                const bool starts = stage + 1 == end && !initial.empty() && is_inside(at);
                const sum start = starts ? initial[index_in(result_sizes(), at)] : sum{};
                made.push_back(one_sum(start, values, from, m, depth, at, [&](std::int64_t step) {
                    return summed_block(m_command.way, stage, m_command.vector, place, step);
                }));
            });
            values.clear();
            for (const auto& s : made) { values.push_back(arithmetic::narrowed<T>(s, 0).value); }
        }
        std::vector<sum> inside;
        result.clear();
        for_each_index(result_sizes(), [&](const shape3& at) {
            inside.push_back(made[index_in(size, at)]);
            result.push_back(values[index_in(size, at)]);
        });
        return inside;
    }

private:
    bool is_inside(const shape3& at) const
    {
        const auto& size = result_sizes();
        return at[0] < size[0] && at[1] < size[1] && at[2] < size[2];
    }
    /// Sizes of a tensor as the stages see it.
    shape3 held(const shape3& sizes, const shape3& block) const
    {
        return m_fits ? shape3{m_side * block[0], m_side * block[1], m_side * block[2]} : sizes;
    }

    /// Over tiles of P blocks in ascending order, in each tile over blocks in the order of the schedule.
    template <class Block>
    sum one_sum(sum s, const std::vector<T>& values, const shape3& from, unsigned m, std::uint32_t depth,
                const shape3& at, const Block& block_of_step) const
    {
        const std::uint32_t terms = operand_sizes()[m], results = result_sizes()[m];
        for (std::uint32_t first = 0; first < terms; first += m_side * depth) {
            for (std::int64_t t = 0; t < m_side; ++t) {
                const std::int64_t side = m_side;
                const auto b = static_cast<std::uint32_t>((block_of_step(t) % side + side) % side);
                for (std::uint32_t j = 0; j < depth; ++j) {
                    shape3 x = at;
                    x[m] = first + b * depth + j;
                    T coefficient{};
                    if (x[m] < terms && at[m] < results) {
                        const auto& matrix = m_matrices.of_mode[m];
                        coefficient = back() ? conjugate(matrix[std::size_t{at[m]} * terms + x[m]])
                                             : matrix[std::size_t{x[m]} * results + at[m]];
                    }
                    s = arithmetic::mac(s, x[m] < from[m] ? values[index_in(from, x)] : T{}, coefficient);
                }
            }
        }
        return s;
    }

    std::uint32_t m_side;
    const orbit_command& m_command;
    const orbit_matrices<T>& m_matrices;
    bool m_fits = true;
};

template <class T> class orbit_executor : public reference_executor {
public:
    using sum = arithmetic::accumulator_of<T>;

    orbit_executor(const torus::config& device, reference_bus_memory& memory) : m_device(device), m_memory(memory) {}

    // It has no memory of its own.
    void transfer(bool, const isa::transfer_command&, const std::vector<std::uint32_t>&) override { give_up(); }
    std::vector<std::uint32_t> list(std::uint64_t, std::uint32_t) override { give_up(); }
    void execute(const reference_command& command, const isa::loop_indices&) override
    {
        const auto flags = command.header.flags;
        if (command.header.opcode == static_cast<std::uint8_t>(torus::opcode::orbit)) {
            const auto c = orbit_command::decode(flags, command.after_header);
            if (c.overlaps()) { give_up(); }
            orbit(c);
            if (c.completion()) { complete(c.completion_address, command.header.token); }
        } else if (command.header.opcode == static_cast<std::uint8_t>(torus::opcode::pointwise)) {
            give_up();
        } else {
            const auto c = multiply_command::decode(flags, command.after_header);
            multiply(c);
            if (c.completion()) { complete(c.completion_address, command.header.token); }
        }
    }

    /// First and last bytes of what no later command may read.
    const std::vector<byte_range>& workspaces() const { return m_workspaces; }

private:
    [[noreturn]] static void give_up() { throw reference_failure{isa::error_code::aborted, "not to compare"}; }

    void orbit(const orbit_command& c)
    {
        std::vector<byte_range> written, read;
        if (c.y.present()) { (c.hold_result() ? read : written).push_back(range_of(c.y)); }
        if (c.workspace.present()) { written.push_back(range_of(c.workspace)); }
        if (c.completion()) { written.emplace_back(c.completion_address, c.completion_address + 3); }
        if (c.x.present()) { read.push_back(range_of(c.x)); }
        for (const auto& m : c.matrix) {
            if (m.present()) { read.push_back(range_of(m)); }
        }
        check_ranges(written, read);
        if (c.workspace.present()) { m_workspaces.push_back(range_of(c.workspace)); }
        if (c.y.present() && meets_itself(c.y)) { give_up(); }
        if (c.accumulate() && overlap(m_workspaces, {range_of(c.y)})) { give_up(); }

        if (!lies_as(c)) { forget(c); }
        if (!c.keep_matrices()) {
            m_matrices.emplace();
            const auto tensor = one_of(c.keep_tensor() ? c.y : c.x, 0);
            for (unsigned m = 0; m < 3; ++m) {
                const bool summed = c.matrix[m].present();
                m_matrices->in_size[m] = summed ? c.matrix[m].size[0] : tensor.size[m];
                m_matrices->out_size[m] = summed ? c.matrix[m].size[1] : tensor.size[m];
                if (!summed) { continue; }
                m_matrices->of_mode[m] = this->template read<T>(c.matrix[m]);
            }
        }
        expect_there(m_matrices.has_value());
        const orbit_calculation<T> calculation(m_device.side, c, *m_matrices);
        auto& from = calculation.back() ? m_transformed : m_given;
        auto& to = calculation.back() ? m_given : m_transformed;
        const bool several = (c.keep_tensor() ? c.y : c.x).order == 4;
        const std::uint32_t transforms = several ? c.x.size[0] : 1;
        for (std::uint32_t t = 0; t < transforms; ++t) {
            if (!c.keep_tensor()) { from = this->template read<T>(one_of(c.x, t)); }
            expect_there(from.size() == volume(calculation.operand_sizes()));
            std::vector<sum> initial;
            if (c.accumulate()) { initial = this->template read<sum>(one_of(c.y, t)); }
            const auto sums = calculation.sums(from, initial, to);
            if (!c.hold_result()) { write(one_of(c.y, t), to, sums); }
        }
        if (several || !calculation.fits()) {
            m_given.clear();
            m_transformed.clear();
        }
    }

    void multiply(const multiply_command& c)
    {
        const auto schedule = c.schedule(m_device.side);
        const auto accumulator = program_of(schedule).accumulator;
        std::vector<byte_range> written, read;
        for (const auto which : {torus::matrix::a, torus::matrix::b, torus::matrix::c}) {
            (which == accumulator ? written : read).push_back(range_of(c.of(which)));
        }
        if (c.completion()) { written.emplace_back(c.completion_address, c.completion_address + 3); }
        check_ranges(written, read);
        const auto& y = c.of(accumulator);
        if (meets_itself(y) || (c.accumulate() && overlap(m_workspaces, {range_of(y)}))) { give_up(); }

        const auto& a = c.of(torus::matrix::a);
        const auto& b = c.of(torus::matrix::b);
        matrix_case<T> product(schedule, c.block_sizes(), {a.size[0], b.size[1], a.size[1]});
        std::vector<sum> sums(y.elements());
        for (const auto which : {torus::matrix::a, torus::matrix::b, torus::matrix::c}) {
            if (which != accumulator) { product.of(which) = this->template read<T>(c.of(which)); }
        }
        if (c.accumulate()) {
            if (has_elements(y)) {
                const auto elements = this->template read<T>(y);
                std::transform(elements.begin(), elements.end(), sums.begin(), [](const T& e) { return sum(e); });
            } else {
                sums = this->template read<sum>(y);
            }
        }
        sums = product.ordered_sums(std::move(sums), c.accumulate());
        std::vector<T> result;
        for (const auto& s : sums) { result.push_back(arithmetic::narrowed<T>(s, 0).value); }
        write(y, result, sums);
        m_lies = std::nullopt; // nothing of an ORBIT may be kept
    }

    // ---- what lies on the torus ----

    struct layout {
        block_sizes blocks;
        std::array<std::uint8_t, 3> order;
        scheduling_vector vector;
        std::uint8_t left_out;
    };
    bool lies_as(const orbit_command& c) const
    {
        return m_lies && m_lies->blocks.in_block == c.blocks.in_block &&
               m_lies->blocks.out_block == c.blocks.out_block && m_lies->order == c.order &&
               m_lies->vector == c.vector && m_lies->left_out == c.left_out;
    }
    void forget(const orbit_command& next)
    {
        m_lies = layout{next.blocks, next.order, next.vector, next.left_out};
        m_matrices.reset();
        m_given.clear();
        m_transformed.clear();
    }
    static void expect_there(bool there) { require(there, isa::error_code::not_resident, "nothing to keep"); }

    // ---- memory ----

    void check_ranges(const std::vector<byte_range>& written, const std::vector<byte_range>& read) const
    {
        if (!are_apart(written, read) || overlap(m_workspaces, read)) { give_up(); }
    }
    bool has_elements(const tensor_descriptor& t) const
    {
        return t.type == static_cast<std::uint8_t>(base::element_type_of<T>);
    }
    static tensor_descriptor one_of(const tensor_descriptor& all, std::uint32_t index)
    {
        tensor_descriptor one = all;
        if (all.order != 4) { return one; }
        one.base += static_cast<std::uint64_t>(all.stride[0] * index) * element_bytes(all);
        one.order = 3;
        std::copy_n(all.size.begin() + 1, 3, one.size.begin());
        std::copy_n(all.stride.begin() + 1, 3, one.stride.begin());
        return one;
    }
    template <class V> std::vector<V> read(const tensor_descriptor& tensor)
    {
        std::vector<V> values(tensor.elements());
        m_memory.for_each_element(tensor, {}, [&](std::uint8_t* at, std::size_t bytes, std::uint64_t offset) {
            std::memcpy(reinterpret_cast<std::uint8_t*>(values.data()) + offset, at, bytes);
        });
        return values;
    }
    void write(const tensor_descriptor& tensor, const std::vector<T>& elements, const std::vector<sum>& sums)
    {
        const auto* const from = has_elements(tensor) ? reinterpret_cast<const std::uint8_t*>(elements.data())
                                                      : reinterpret_cast<const std::uint8_t*>(sums.data());
        m_memory.for_each_element(tensor, {}, [&](std::uint8_t* at, std::size_t bytes, std::uint64_t offset) {
            std::memcpy(at, from + offset, bytes);
        });
    }
    void complete(std::uint64_t address, std::uint32_t token) { std::memcpy(m_memory.at(address, 4), &token, 4); }

    const torus::config& m_device;
    reference_bus_memory& m_memory;
    std::optional<layout> m_lies;
    std::optional<orbit_matrices<T>> m_matrices;
    std::vector<T> m_given, m_transformed; // empty: nothing that may be kept
    std::vector<byte_range> m_workspaces;
};

template <class T>
bool run_as(const torus::config& device, const std::vector<std::uint8_t>& program, std::uint64_t base,
            const std::vector<std::uint8_t>& found, std::vector<std::uint8_t>& bytes)
{
    reference_bus_memory memory(base, bytes.size());
    std::memcpy(memory.at(base, bytes.size()), bytes.data(), bytes.size());
    orbit_executor<T> executor(device, memory);
    std::uint32_t command = 0;
    try {
        run_reference_program(program, executor, command);
    } catch (const reference_failure& failure) {
        using isa::error_code; // the reference has less memory
        const bool unknown = failure.code == error_code::aborted || failure.code == error_code::bus_error;
        expect(unknown, "the reference ends with an error: " + std::string(isa::error_text(failure.code)) +
                            " of command " + std::to_string(command));
        return false;
    }
    bytes = memory.bytes();
    copy_ranges(executor.workspaces(), base, found, bytes);
    return true;
}

} // namespace

bool run_orbits(const torus::config& device, const std::vector<std::uint8_t>& program, std::uint64_t base,
                const std::vector<std::uint8_t>& found, std::vector<std::uint8_t>& memory)
{
    using base::element_type;
    switch (device.format) {
    case element_type::f64: return run_as<double>(device, program, base, found, memory);
    case element_type::f32: return run_as<float>(device, program, base, found, memory);
    case element_type::c128: return run_as<std::complex<double>>(device, program, base, found, memory);
    case element_type::c64: return run_as<std::complex<float>>(device, program, base, found, memory);
    default: return run_as<arithmetic::bfloat16>(device, program, base, found, memory);
    }
}

} // namespace tensorloom::test
