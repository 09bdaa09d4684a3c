#include "fuzz/gemt_reference.h"
#include <array>
#include <complex>
#include <cstring>
#include <optional>
#include <utility>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include "fuzz/tensor_ranges.h"
#include "models/triada/cell_mesh.h"
#include "support/reference_failure.h"
#include "support/reference_program.h"

namespace tensorloom::test {

namespace {

using isa::pointwise_command;
using isa::tensor_descriptor;
using triada::gemt_command;

template <class T> class gemt_executor : public reference_executor {
public:
    gemt_executor(const triada::config& device, reference_bus_memory& memory)
        : m_device(device), m_memory(memory), m_mesh(device.mesh, device.cell_registers + 2, true)
    {}

    // It has no memory of its own.
    void transfer(bool, const isa::transfer_command&, const std::vector<std::uint32_t>&) override { give_up(); }
    std::vector<std::uint32_t> list(std::uint64_t, std::uint32_t) override { give_up(); }
    void execute(const reference_command& command, const isa::loop_indices&) override
    {
        const auto flags = command.header.flags;
        if (command.header.opcode == static_cast<std::uint8_t>(triada::opcode::gemt)) {
            multiply(gemt_command::decode(flags, command.payload(gemt_command::payload_bytes)), command.header.token);
        } else {
            change(pointwise_command::decode(flags, command.payload(pointwise_command::payload_bytes)),
                   command.header.token);
        }
    }

    /// First and last bytes of what nobody else may look into.
    const std::vector<byte_range>& workspaces() const { return m_workspaces; }

private:
    [[noreturn]] static void give_up() { throw reference_failure{isa::error_code::aborted, "not to compare"}; }

    void multiply(const gemt_command& c, std::uint32_t token)
    {
        constexpr unsigned rows_in_memory = 0x3ff; // flags above: X, Y or the workspace stored tile by tile
        if ((c.flags & ~rows_in_memory) != 0 || !is_clear(c)) { give_up(); }
        chain_step<T> step;
        auto& g = step.product;
        for (unsigned m = 0; m < 3; ++m) {
            g.shape[m] = c.x.size[m];
            g.out[m] = c.y.size[m];
            g.order[m] = c.order[m];
            g.shifts[m] = c.shifts[m];
        }
        g.mask = c.stage_mask;
        g.esop = c.esop();
        g.threshold = c.zero_threshold;
        g.sums_wanted = !is_of_elements(c.y);
        if (c.loads_x()) { g.x = read<T>(c.x); }
        if (c.accumulate()) { g.initial = read<sum_of<T>>(c.initial_y); }
        for (unsigned m = 0; m < 3; ++m) {
            if (c.sums(m) && !c.keep_matrices()) {
                m_matrices[m] = read<T>(c.matrix[m]);
                m_row_orders[m].clear();
                if (c.row_order_address[m] != 0) { m_row_orders[m] = rows(c.row_order_address[m], g.shape[m]); }
            }
            if (c.sums(m) && m_matrices[m].size() != std::size_t{g.shape[m]} * g.out[m]) { give_up(); }
        }
        g.matrices = m_matrices;
        g.row_orders = m_row_orders;
        if (!g.fits(m_device.mesh)) {
            m_mesh.lose_everything();
            g.sums_wanted ? write(c.y, oracle_result_sums(g, m_device.mesh))
                          : write(c.y, oracle_result(g, m_device.mesh));
        } else {
            step.from = c.keep_tensor() ? tensor_place::held
                        : c.take_next() ? tensor_place::next
                                        : tensor_place::memory;
            step.hold = c.hold_result();
            if (c.load_next()) { step.next = next_tensor<T>{corner_of(c.next_x()), read<T>(c.next_x())}; }
            if (c.store_previous()) {
                step.previous = previous_tensor{corner_of(c.previous_y()), !is_of_elements(c.previous_y())};
            }
            const auto made = m_mesh.run(step);
            if (c.store_previous()) {
                step.previous->sums_wanted ? write(c.previous_y(), made.previous_sums)
                                           : write(c.previous_y(), made.previous);
            }
            if (!c.hold_result()) { g.sums_wanted ? write(c.y, made.sums) : write(c.y, made.y); }
        }
        if (c.completion()) { std::memcpy(m_memory.at(c.completion_address, 4), &token, 4); }
    }

    void change(const pointwise_command& c, std::uint32_t token)
    {
        if (!is_clear(c)) { give_up(); }
        chain_step<T> step;
        auto& p = step.pointwise.emplace();
        p.work = static_cast<pointwise_work>(c.operation);
        p.shape = corner_of(c.x);
        p.value = {c.value[0], c.value[1]};
        p.shift = c.shift;
        p.esop = c.esop();
        p.sums_wanted = !is_of_elements(c.y);
        p.hold_operand = c.hold_operand();
        if (!c.keep_tensor()) { p.x = read<T>(c.x); }
        if (c.has_operand() && !c.keep_operand()) { p.operand = read<T>(c.operand); }
        step.from = c.keep_tensor() ? tensor_place::held : tensor_place::memory;
        step.hold = c.hold_result();
        const auto made = m_mesh.run(step);
        if (!c.hold_result()) { p.sums_wanted ? write(c.y, made.sums) : write(c.y, made.y); }
        if (c.completion()) { std::memcpy(m_memory.at(c.completion_address, 4), &token, 4); }
    }

    static bool is_of_elements(const tensor_descriptor& d)
    {
        return d.type == static_cast<std::uint8_t>(base::element_type_of<T>);
    }
    static shape3 corner_of(const tensor_descriptor& d) { return {d.size[0], d.size[1], d.size[2]}; }

    // What is written touches nothing else of the command, and no place twice; no workspace is read.
    bool is_clear(const gemt_command& c)
    {
        std::vector<byte_range> written, read;
        if (!c.hold_result()) { written.push_back(range_of(c.y)); }
        if (c.store_previous()) { written.push_back(range_of(c.previous_y())); }
        if (c.loads_x()) { read.push_back(range_of(c.x)); }
        if (c.load_next()) { read.push_back(range_of(c.next_x())); }
        if (c.workspace.present() && !c.load_next()) { written.push_back(range_of(c.workspace)); }
        if (c.completion()) { written.emplace_back(c.completion_address, c.completion_address + 3); }
        if (c.accumulate()) { read.push_back(range_of(c.initial_y)); }
        for (unsigned m = 0; m < 3; ++m) {
            if (c.matrix[m].present()) { read.push_back(range_of(c.matrix[m])); }
            const std::uint64_t at = c.row_order_address[m];
            if (at != 0) { read.emplace_back(at, at + 4 * std::uint64_t{c.x.size[m]} - 1); }
        }
        if (!are_apart(written, read) || overlap(m_workspaces, read)) { return false; }
        if (c.workspace.present() && !c.load_next()) { m_workspaces.push_back(range_of(c.workspace)); }
        return !meets_itself(c.y) && !(c.store_previous() && meets_itself(c.previous_y()));
    }
    bool is_clear(const pointwise_command& c) const
    {
        std::vector<byte_range> written, read;
        if (!c.hold_result()) { written.push_back(range_of(c.y)); }
        if (!c.keep_tensor()) { read.push_back(range_of(c.x)); }
        if (c.has_operand() && !c.keep_operand()) { read.push_back(range_of(c.operand)); }
        if (c.completion()) { written.emplace_back(c.completion_address, c.completion_address + 3); }
        return are_apart(written, read) && !overlap(m_workspaces, read) && !meets_itself(c.y);
    }

    template <class V> std::vector<V> read(const tensor_descriptor& tensor)
    {
        std::vector<V> values(tensor.elements());
        m_memory.for_each_element(tensor, {}, [&](std::uint8_t* at, std::size_t bytes, std::uint64_t offset) {
            std::memcpy(reinterpret_cast<std::uint8_t*>(values.data()) + offset, at, bytes);
        });
        return values;
    }
    template <class V> void write(const tensor_descriptor& tensor, const std::vector<V>& values)
    {
        m_memory.for_each_element(tensor, {}, [&](std::uint8_t* at, std::size_t bytes, std::uint64_t offset) {
            std::memcpy(at, reinterpret_cast<const std::uint8_t*>(values.data()) + offset, bytes);
        });
    }
    std::vector<std::uint32_t> rows(std::uint64_t address, std::uint32_t n)
    {
        std::vector<std::uint32_t> found(n);
        std::memcpy(found.data(), m_memory.at(address, 4 * std::size_t{n}), 4 * std::size_t{n});
        return found;
    }

    const triada::config& m_device;
    reference_bus_memory& m_memory;
    std::array<std::vector<T>, 3> m_matrices;
    std::array<std::vector<std::uint32_t>, 3> m_row_orders;
    std::vector<byte_range> m_workspaces;
    cell_mesh<T> m_mesh;
};

template <class T>
bool run_as(const triada::config& device, const std::vector<std::uint8_t>& program, std::uint64_t base,
            const std::vector<std::uint8_t>& found, std::vector<std::uint8_t>& bytes)
{
    reference_bus_memory memory(base, bytes.size());
    std::memcpy(memory.at(base, bytes.size()), bytes.data(), bytes.size());
    gemt_executor<T> executor(device, memory);
    std::uint32_t command = 0;
    try {
        run_reference_program(program, executor, command);
    } catch (const reference_failure&) {
        return false;
    }
    bytes = memory.bytes();
    copy_ranges(executor.workspaces(), base, found, bytes);
    return true;
}

} // namespace

bool run_gemts(const triada::config& device, const std::vector<std::uint8_t>& program, std::uint64_t base,
               const std::vector<std::uint8_t>& found, std::vector<std::uint8_t>& memory)
{
    using base::element_type;
    switch (device.format) {
    case element_type::f64: return run_as<double>(device, program, base, found, memory);
    case element_type::f32: return run_as<float>(device, program, base, found, memory);
    case element_type::c128: return run_as<std::complex<double>>(device, program, base, found, memory);
    case element_type::c64: return run_as<std::complex<float>>(device, program, base, found, memory);
    case element_type::bf16: return run_as<arithmetic::bfloat16>(device, program, base, found, memory);
    default: return run_as<std::int8_t>(device, program, base, found, memory);
    }
}

} // namespace tensorloom::test
