#include "tucker/device_ttm.h"
#include "platform/run/program_run.h"
#include <algorithm>
#include <string>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/triada/isa/driver.h>

namespace tensorloom::testbench {
namespace {

using workloads::shape3;
using workloads::tensor;

isa::tensor_descriptor descriptor(std::uint64_t address, base::element_type format, const shape3& shape)
{
    return isa::dense_descriptor(address, format,
                                 {static_cast<std::uint32_t>(shape[0]), static_cast<std::uint32_t>(shape[1]),
                                  static_cast<std::uint32_t>(shape[2])});
}

// A command without matrices and workspace.
triada::gemt_command chain_command(const chain_settings& settings, const std::array<bool, 3>& summed,
                                   const isa::tensor_descriptor& x, const isa::tensor_descriptor& y)
{
    triada::gemt_command c;
    c.flags = static_cast<std::uint16_t>((settings.esop ? triada::gemt_command::flag_esop : 0) |
                                         (settings.double_buffer ? triada::gemt_command::flag_double_buffer : 0));
    c.stage_mask = 0;
    for (std::size_t s = 0; s < 3; ++s) {
        c.order[s] = static_cast<std::uint8_t>(settings.order[s]);
        if (summed[settings.order[s] - 1]) { c.stage_mask |= static_cast<std::uint8_t>(1u << s); }
    }
    c.zero_threshold = settings.zero_threshold;
    c.x = x;
    c.y = y;
    return settings.rates ? triada::choose_gemt(c, *settings.rates, false) : c;
}

// What any chain between tensors of shape and of ranks needs at most.
std::uint64_t workspace_elements(const chain_settings& settings, base::element_type format, const shape3& shape,
                                 const shape3& ranks)
{
    const auto needed = [&](const std::array<bool, 3>& summed, const shape3& from, const shape3& to) {
        return triada::gemt_workspace_elements(
            chain_command(settings, summed, descriptor(0, format, from), descriptor(0, format, to)), settings.mesh);
    };
    std::uint64_t most = needed({true, true, true}, ranks, shape);
    for (unsigned mask = 1; mask < 8; ++mask) {
        std::array<bool, 3> summed{};
        shape3 to{};
        for (std::size_t m = 0; m < 3; ++m) {
            summed[m] = (mask >> m & 1u) != 0;
            to[m] = summed[m] ? ranks[m] : shape[m];
        }
        most = std::max(most, needed(summed, shape, to));
    }
    return most;
}

} // namespace

template <class T>
chain_layout lay_out_chains(const chain_settings& settings, const shape3& shape, const shape3& ranks,
                            memory_layout& memory)
{
    chain_layout at;
    at.program = memory.place(triada::driver::program_bytes(1));
    std::uint64_t operand = 0; // st-hosvd goes on with what one mode has left, hooi with what two have
    for (std::size_t m = 0; m < 3; ++m) {
        at.matrices[m] = memory.place(std::uint64_t{shape[m]} * ranks[m] * sizeof(T));
        operand = std::max(operand, workloads::volume_of(shape) / shape[m] * ranks[m]);
    }
    at.x = memory.place(workloads::volume_of(shape) * sizeof(T));
    at.operand = memory.place(operand * sizeof(T));
    at.result = memory.place(workloads::volume_of(shape) * sizeof(T));
    at.workspace_elements = workspace_elements(settings, base::element_type_of<T>, shape, ranks);
    at.workspace = place_workspace(at.workspace_elements, base::element_type_of<T>, memory);
    return at;
}

template <class T>
device_ttm<T>::device_ttm(bus::host_thread& cpu, std::uint64_t device, const chain_settings& settings,
                          const chain_layout& at, const tensor<double>& x)
    : m_cpu(cpu), m_device(device), m_settings(settings), m_at(at), m_x(x)
{
    const std::vector<T> elements(x.data.begin(), x.data.end());
    cpu.preload(at.x, elements.data(), elements.size() * sizeof(T));
}

template <class T> tensor<double> device_ttm<T>::multiply(const tensor<double>& x, const workloads::ttm_chain& chain)
{
    constexpr auto format = base::element_type_of<T>;
    chain_record record;
    record.to = product_shape(x, chain);
    for (std::size_t m = 0; m < 3; ++m) {
        record.from[m] = x.shape[m];
        record.summed[m] = chain[m] != nullptr;
    }
    const std::uint64_t operand = &x == &m_x ? m_at.x : upload(x, m_at.operand);
    auto command = chain_command(m_settings, record.summed, descriptor(operand, format, record.from),
                                 descriptor(m_at.result, format, record.to));
    for (std::size_t m = 0; m < 3; ++m) {
        if (!record.summed[m]) { continue; }
        command.matrix[m] = isa::dense_descriptor(
            upload(*chain[m], m_at.matrices[m]), format,
            {static_cast<std::uint32_t>(chain[m]->shape[0]), static_cast<std::uint32_t>(chain[m]->shape[1])});
    }
    if (m_at.workspace_elements != 0) {
        command.workspace =
            isa::dense_descriptor(m_at.workspace, format, {static_cast<std::uint32_t>(m_at.workspace_elements)});
    }
    m_chains.push_back(record);
    run(command);

    std::vector<T> elements(workloads::volume_of(record.to));
    m_cpu.read_block(m_at.result, elements.data(), elements.size() * sizeof(T));
    tensor<double> y({record.to[0], record.to[1], record.to[2]});
    std::copy(elements.begin(), elements.end(), y.data.begin());
    return y;
}

template <class T> std::uint64_t device_ttm<T>::upload(const tensor<double>& values, std::uint64_t address)
{
    std::vector<T> elements(values.data.size());
    std::transform(values.data.begin(), values.data.end(), elements.begin(),
                   [](double value) { return static_cast<T>(value); });
    m_cpu.write_block(address, elements.data(), elements.size() * sizeof(T));
    return address;
}

template <class T> void device_ttm<T>::run(const triada::gemt_command& command)
{
    triada::driver driver(m_cpu, m_device);
    const usage_meter meter;
    const auto ended = run_to_its_end(driver, triada::driver::program({command}), m_at.program);
    const auto used = meter.elapsed();
    if (!ended.done) {
        throw isa::device_failure(std::string("the device reports: ") + error_text(ended.error) + ", chain " +
                                  std::to_string(m_chains.size()));
    }
    m_chains.back().cycles = ended.cycles;
    m_usage.wall_s += used.wall_s;
    m_usage.cpu_s += used.cpu_s;
    m_usage.peak_rss_bytes = used.peak_rss_bytes;
}

template chain_layout lay_out_chains<double>(const chain_settings&, const shape3&, const shape3&, memory_layout&);
template chain_layout lay_out_chains<float>(const chain_settings&, const shape3&, const shape3&, memory_layout&);
template class device_ttm<double>;
template class device_ttm<float>;

} // namespace tensorloom::testbench
