#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <tensorloom/models/activity/job_log.h>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/triada/gemt_tiles.h>
#include <tensorloom/models/arch/triada/driver.h>
#include <tensorloom/models/triada/device.h>
#include "models/triada/gemt_case.h"
#include "platform/device_platform.h"

namespace tensorloom::test {

/// One row of a log, as a copy that outlives it.
struct logged_row {
    std::string cause;
    std::string phase;
    std::uint32_t command = 0;
    std::uint32_t id = 0;
    std::uint32_t detail = 0;
    std::uint64_t start_cycle = 0;
    std::uint64_t cycles = 0;
    std::vector<std::uint64_t> counts; // of the device

    bool operator==(const logged_row& o) const
    {
        return cause == o.cause && phase == o.phase && command == o.command && id == o.id && detail == o.detail &&
               start_cycle == o.start_cycle && cycles == o.cycles && counts == o.counts;
    }
};

inline std::vector<logged_row> rows_of(const activity::job_log& log)
{
    std::vector<logged_row> rows;
    for (std::size_t i = 0; i < log.records().size(); ++i) {
        const auto& r = log.records()[i];
        const auto* c = log.counts(i, 0);
        rows.push_back({std::string(r.cause),
                        std::string(r.phase),
                        r.command,
                        r.id,
                        r.detail,
                        r.start_cycle,
                        r.cycles,
                        {c, c + arch::triada::event_count}});
    }
    return rows;
}

/// What one product left behind.
template <class T> struct gemt_outcome {
    arch::program_result result;
    std::vector<T> y;            // as elements, or else
    std::vector<sum_of<T>> sums; // as sums
    std::vector<logged_row> rows;
    std::vector<std::uint64_t> counts; // their sums
    std::vector<std::uint64_t> window; // as the counter window showed them at the end
};

/// A TriADA device on a platform whose sockets are all behind protocol checkers, with a host that does what a test
/// wants.
class device_bench {
public:
    static constexpr std::uint64_t memory_bytes = 1u << 20;
    static constexpr std::uint64_t program_at = testbench::memory_base;
    static constexpr std::uint64_t data_at = testbench::memory_base + 0x8000;
    static constexpr std::uint64_t timeout_ns = 1'000'000'000;

    using program_type = std::function<void(device_bench&)>;

    device_bench(const std::string& name, const triada::config& config, program_type program)
        : m_program(std::move(program)), m_log(name + ".device"),
          m_platform(
              name.c_str(), config, platform_settings(), [this](bus::host_thread&) { m_program(*this); }, &m_log)
    {}

    bus::host_thread& cpu() { return m_platform.cpu; }
    triada::device<512>& device() { return m_platform.device; }
    activity::job_log& log() { return m_log; }

    /// After the simulation: the host's program came to its end.
    bool finished() const { return m_platform.cpu.finished(); }

    /// Writes a case into memory; the command to run it.
    template <class T> arch::triada::gemt_command place(const gemt_case<T>& g)
    {
        const auto type = arch::element_type_of<T>;
        const auto sums = arch::element_type_of<sum_of<T>>;
        const std::vector<std::uint32_t> shape(g.shape.begin(), g.shape.end());
        const std::vector<std::uint32_t> out(g.result_shape().begin(), g.result_shape().end());
        m_next = data_at;
        arch::triada::gemt_command c;
        c.flags = static_cast<std::uint16_t>((g.esop ? arch::triada::gemt_command::flag_esop : 0) |
                                             (g.initial.empty() ? 0 : arch::triada::gemt_command::flag_accumulate) |
                                             (g.double_buffer ? arch::triada::gemt_command::flag_double_buffer : 0));
        c.stage_mask = static_cast<std::uint8_t>(g.mask);
        c.zero_threshold = g.threshold;
        for (unsigned s = 0; s < 3; ++s) {
            c.order[s] = static_cast<std::uint8_t>(g.order[s]);
            c.shifts[s] = static_cast<std::uint8_t>(g.shifts[s]);
        }
        c.x = arch::dense_descriptor(store(g.x), type, shape);
        if (!g.initial.empty()) { c.initial_y = arch::dense_descriptor(store(g.initial), sums, out); }
        for (unsigned m = 0; m < 3; ++m) {
            if (!c.sums(m)) { continue; }
            c.matrix[m] = arch::dense_descriptor(store(g.matrices[m]), type, {shape[m], out[m]});
            if (!g.row_orders[m].empty()) { c.row_order_address[m] = store(g.row_orders[m]); }
        }
        const std::uint64_t y_bytes = g.result_volume() * (g.sums_wanted ? sizeof(sum_of<T>) : sizeof(T));
        c.y = arch::dense_descriptor(reserve(y_bytes), g.sums_wanted ? sums : type, out);
        const auto workspace = arch::triada::gemt_workspace_elements(c, device().settings().mesh);
        if (workspace > 0) {
            const auto at = reserve(workspace * sizeof(T));
            c.workspace = arch::dense_descriptor(at, type, {static_cast<std::uint32_t>(workspace)});
        }
        return c;
    }

    /// Places and runs one case.
    template <class T> gemt_outcome<T> run(const gemt_case<T>& g)
    {
        const auto command = place(g);
        arch::triada::driver driver(cpu(), testbench::device_base);
        gemt_outcome<T> outcome;
        outcome.result = driver.run(arch::triada::driver::program({command}), program_at, timeout_ns);
        if (g.sums_wanted) {
            fetch(command, outcome.sums, g.result_volume());
        } else {
            fetch(command, outcome.y, g.result_volume());
        }
        collect(outcome, driver);
        return outcome;
    }

    template <class V> void fetch(const arch::triada::gemt_command& command, std::vector<V>& values, std::size_t count)
    {
        values.resize(count);
        cpu().read_block(command.y.base, values.data(), count * sizeof(V));
    }

    template <class T> void collect(gemt_outcome<T>& outcome, arch::triada::driver& driver)
    {
        outcome.rows = rows_of(m_log);
        outcome.counts = m_log.total_counts(0);
        for (std::uint32_t e = 0; e < arch::triada::event_count; ++e) { outcome.window.push_back(driver.counter(e)); }
    }

    template <class V> std::uint64_t store(const std::vector<V>& values)
    {
        const std::uint64_t at = reserve(values.size() * sizeof(V));
        cpu().preload(at, values.data(), values.size() * sizeof(V));
        return at;
    }
    std::uint64_t reserve(std::uint64_t bytes)
    {
        const std::uint64_t at = m_next;
        m_next += (bytes + 15) / 16 * 16;
        return at;
    }

private:
    static testbench::platform_config platform_settings()
    {
        testbench::platform_config c;
        c.memory.bytes = memory_bytes;
        c.protocol_checkers = true;
        return c;
    }

    program_type m_program;
    activity::job_log m_log;
    testbench::device_platform<triada::device<512>> m_platform;
    std::uint64_t m_next = data_at;
};

} // namespace tensorloom::test
