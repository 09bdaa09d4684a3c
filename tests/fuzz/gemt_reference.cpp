#include "fuzz/gemt_reference.h"
#include <array>
#include <complex>
#include <cstring>
#include <optional>
#include <utility>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include "fuzz/tensor_ranges.h"
#include "models/triada/gemt_case.h"
#include "support/reference_failure.h"
#include "support/reference_program.h"

namespace tensorloom::test {

namespace {

using isa::tensor_descriptor;
using triada::gemt_command;

template <class T> class gemt_executor : public reference_executor {
public:
    gemt_executor(const triada::config& device, reference_bus_memory& memory) : m_device(device), m_memory(memory) {}

    // It has no memory of its own.
    void transfer(bool, const isa::transfer_command&, const std::vector<std::uint32_t>&) override { give_up(); }
    std::vector<std::uint32_t> list(std::uint64_t, std::uint32_t) override { give_up(); }
    void execute(const reference_command& command, const isa::loop_indices&) override
    {
        const auto c = gemt_command::decode(command.header.flags, command.after_header);
        if (!is_clear(c)) { give_up(); }
        gemt_case<T> g;
        for (unsigned m = 0; m < 3; ++m) {
            g.shape[m] = c.x.size[m];
            g.out[m] = c.y.size[m];
            g.order[m] = c.order[m];
            g.shifts[m] = c.shifts[m];
        }
        g.mask = c.stage_mask;
        g.esop = c.esop();
        g.threshold = c.zero_threshold;
        g.x = read<T>(c.x);
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

        const bool elements = c.y.type == static_cast<std::uint8_t>(base::element_type_of<T>);
        elements ? write(c.y, oracle_result(g, m_device.mesh)) : write(c.y, oracle_result_sums(g, m_device.mesh));
        if (c.completion()) { std::memcpy(m_memory.at(c.completion_address, 4), &command.header.token, 4); }
    }

    /// First and last bytes of what nobody else may look into.
    const std::vector<byte_range>& workspaces() const { return m_workspaces; }

private:
    [[noreturn]] static void give_up() { throw reference_failure{isa::error_code::aborted, "not to compare"}; }

    // What is written touches nothing else of the command, and no place twice; no workspace is read.
    bool is_clear(const gemt_command& c)
    {
        std::vector<byte_range> written{range_of(c.y)}, read{range_of(c.x)};
        if (c.workspace.present()) { written.push_back(range_of(c.workspace)); }
        if (c.completion()) { written.emplace_back(c.completion_address, c.completion_address + 3); }
        if (c.accumulate()) { read.push_back(range_of(c.initial_y)); }
        for (unsigned m = 0; m < 3; ++m) {
            if (c.matrix[m].present()) { read.push_back(range_of(c.matrix[m])); }
            const std::uint64_t at = c.row_order_address[m];
            if (at != 0) { read.emplace_back(at, at + 4 * std::uint64_t{c.x.size[m]} - 1); }
        }
        if (!are_apart(written, read) || overlap(m_workspaces, read)) { return false; }
        if (c.workspace.present()) { m_workspaces.push_back(range_of(c.workspace)); }
        return !meets_itself(c.y);
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
