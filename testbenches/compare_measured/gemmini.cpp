#include <algorithm>
#include <cmath>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/integers.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/mmv/mapped_product.h>
#include "compare_measured/measured_machine.h"
#include "compare_measured/shipped_measurements.h"
#include "platform/mmv/mmv_report.h"
#include "platform/mmv/mmv_testbed.h"

namespace tensorloom::testbench {
namespace {

constexpr unsigned side = 16;
constexpr auto format = base::element_type::int8;

// What the measurements decide.
constexpr unsigned memory_bytes_per_cycle = 12, call_interval = 8, memory_latency = 20;
struct fitted_shape {
    std::uint64_t rows, depth, columns;
};
constexpr fitted_shape fitted_shapes[] = {{196, 256, 1024}, {196, 1024, 512}, {150544, 64, 2}};

enum column : std::size_t { rows, depth, columns, accumulator, scratchpad, mapped_cycles, auto_cycles, mapping };

struct gemmini_case {
    measured_case of;
    workloads::mapped_sizes sizes;
    workloads::mapped_memories memories;
    workloads::product_mapping mapping;
    std::unique_ptr<mmv_testbed> testbed;
    std::vector<activity::module_energy> energy_models;
};

// The MMU/VCU pair that stands for a Gemmini; its scratchpad holds that and the accumulators.
mmv::config device_of(const common_options& common, std::uint64_t scratchpad_bytes)
{
    mmv::config c;
    c.side = side;
    c.format = format;
    c.overlap = true;
    c.streaming = true;
    c.call_interval = call_interval;
    c.lanes = side; // a row of sums per cycle is scaled
    c.blocks = mmv::functional_blocks | isa::vector::block_bit(isa::vector::functional_block::conversion);
    c.word_bits = base::element_bits(base::accumulator_type(format));
    c.in_words = c.out_words = side;
    c.scratchpad_bytes = base::quotient_up(scratchpad_bytes, mmv::scratchpad_unit) * mmv::scratchpad_unit;
    return with_common_options(c, common);
}

class gemmini : public measured_machine {
public:
    void read(const std::vector<measured_row>& given) override
    {
        for (const auto& row : given) {
            base::complaining_of(row.place(), [&] { m_cases.push_back(case_of(row)); });
        }
    }

    std::vector<std::string> names() const override
    {
        std::vector<std::string> all;
        for (const auto& c : m_cases) {
            if (std::find(all.begin(), all.end(), c.of.name) == all.end()) { all.push_back(c.of.name); }
        }
        return all;
    }
    bool keep(const std::string& name) override
    {
        m_cases.erase(std::remove_if(m_cases.begin(), m_cases.end(), [&](const auto& c) { return c.of.name != name; }),
                      m_cases.end());
        return !m_cases.empty();
    }

    std::vector<std::string> further_platforms() const override
    {
        std::vector<std::string> all;
        for (std::size_t i = 1; i < m_cases.size(); ++i) { all.push_back(platform_name(i)); }
        return all;
    }

    platform_options platform() const override
    {
        platform_options p;
        p.memory = "sram";
        p.memory_latency = memory_latency;
        p.memory_bytes_per_cycle = memory_bytes_per_cycle;
        p.memory_modify_cycles = memory_latency;
        p.dma_bits = 128;
        p.burst_bytes = 64;
        p.outstanding = 16;
        p.memory_modify_bytes = p.bus_bytes_per_cycle();
        return p;
    }

    costs::floor_plan plan(const common_options& common, const costs::technology& technology) const override
    {
        const auto device = device_of(common, largest_scratchpad());
        return device_area(device, common.platform, technology, device.scratchpad_bytes);
    }

    void require_prices(const common_options& common, const costs::technology& technology) const override
    {
        require_energies(technology, device_of(common, largest_scratchpad()), common.platform);
    }

    nlohmann::ordered_json configuration(const common_options& common) const override
    {
        const auto device = device_of(common, largest_scratchpad());
        nlohmann::ordered_json json = {{"machine", gemmini_facts().name}};
        json.update(device_json(device, common, device.scratchpad_bytes));
        json["streaming"] = device.streaming;
        json["call_interval"] = device.call_interval;
        json["memory_bytes_per_cycle"] = common.platform.memory_bytes_per_cycle;
        json["memory_modify_bytes"] = common.platform.memory_modify_bytes;
        json["memory_modify_cycles"] = common.platform.memory_modify_cycles;
        return json;
    }

    std::vector<testbed*> build(const common_options& common, activity::log_detail detail) override
    {
        m_common = common;
        std::vector<testbed*> all;
        for (std::size_t i = 0; i < m_cases.size(); ++i) {
            auto& c = m_cases[i];
            const auto device = device_of(common, scratchpad_bytes_of(c));
            const std::uint64_t data = workloads::mapped_data_bytes(c.sizes, mmv::limits_of(device));
            c.testbed = make_mmv_testbed(platform_name(i), device, common, mmv_memory_for(data / 16 + 1),
                                         detail, [this, i](workloads::mmv_session& session) { run(session, i); });
            all.push_back(c.testbed.get());
        }
        return all;
    }

    std::function<void(sc_core::sc_trace_file&)> waveform() const override
    {
        return m_cases.front().testbed->waveform(std::vector<watched_element>());
    }

    std::vector<measured_case> results(const costs::technology& technology) override
    {
        std::vector<measured_case> all;
        for (auto& c : m_cases) {
            const auto& device = c.testbed->device();
            c.energy_models = c.testbed->energy_models(
                technology, device_energy(device, m_common.platform, technology, device.scratchpad_bytes));
            c.of.costs = program_costs_of(c.testbed->runs(), 0, c.testbed->programs(), c.testbed->clock_period_ns(),
                                          c.energy_models);
            // Its processor sends the commands, beside the memory.
            c.of.cycles = c.of.costs.cycles - c.of.costs.cycles_of("fetch");
            all.push_back(c.of);
        }
        return all;
    }

    std::vector<device_programs> programs() const override
    {
        std::vector<device_programs> all;
        for (const auto& c : m_cases) {
            all.push_back(programs_of(*c.testbed, c.energy_models, {"line " + std::to_string(c.of.line)}));
        }
        return all;
    }

private:
    static std::string platform_name(std::size_t at) { return "case_" + std::to_string(at + 1); }

    static gemmini_case case_of(const measured_row& row)
    {
        constexpr std::uint64_t largest = std::uint64_t{1} << 20, most_macs = std::uint64_t{1} << 36;
        constexpr std::uint64_t most_entries = std::uint64_t{1} << 24;
        gemmini_case c;
        c.sizes = {row.number(column::rows, 1, largest), row.number(column::depth, 1, largest),
                   row.number(column::columns, 1, largest)};
        c.memories = {row.number(column::scratchpad, 1, most_entries),
                      row.number(column::accumulator, 1, most_entries)};
        c.of.measured = row.number(column::mapped_cycles, 1, std::uint64_t{1} << 53);
        row.number(column::auto_cycles, 0, std::uint64_t{1} << 53); // measured otherwise: not compared
        c.of.line = row.line();
        c.of.name = std::to_string(c.sizes.rows) + "x" + std::to_string(c.sizes.depth) + "x" +
                    std::to_string(c.sizes.columns);
        c.of.fitted = std::any_of(std::begin(fitted_shapes), std::end(fitted_shapes), [&](const auto& s) {
            return s.rows == c.sizes.rows && s.depth == c.sizes.depth && s.columns == c.sizes.columns;
        });
        if (c.sizes.depth * c.sizes.columns > most_macs / c.sizes.rows) {
            base::refuse("M, K, N", c.of.name, "at most " + std::to_string(most_macs) + " multiply-adds");
        }
        c.of.macs = c.sizes.rows * c.sizes.depth * c.sizes.columns;
        c.mapping = workloads::parse_product_mapping(row.text(column::mapping), c.sizes, side);
        workloads::require_room(c.mapping, c.memories, side);
        return c;
    }

    static std::uint64_t scratchpad_bytes_of(const gemmini_case& c)
    {
        mmv::limits limits;
        limits.side = side;
        limits.format = format;
        return workloads::mapped_scratchpad_bytes(c.mapping, c.memories, limits);
    }

    std::uint64_t largest_scratchpad() const
    {
        std::uint64_t most = 0;
        for (const auto& c : m_cases) { most = std::max(most, scratchpad_bytes_of(c)); }
        return most;
    }

    void run(workloads::mmv_session& session, std::size_t i)
    {
        auto& c = m_cases[i];
        const auto operand = [&](std::uint64_t rows, std::uint64_t columns, std::uint64_t which) {
            const std::uint64_t seed = 2 * (m_common.seed * m_cases.size() + i) + which;
            const auto filled =
                workloads::fill_tensor<std::int8_t>(workloads::fill_kind::random, {1, rows, columns}, 0, seed);
            return std::vector<std::int64_t>(filled.data.begin(), filled.data.end());
        };
        const auto a = operand(c.sizes.rows, c.sizes.depth, 0), w = operand(c.sizes.depth, c.sizes.columns, 1);
        // So that few results saturate: operands are -8 to 8.
        const auto shift = static_cast<unsigned>(1 + std::ceil(std::log2(static_cast<double>(c.sizes.depth))) / 2);
        const auto found = workloads::mapped_product(session, c.mapping, c.sizes, c.memories, a, w, shift);
        if (m_common.check) { c.of.passed = found.z == workloads::mapped_reference(c.sizes, a, w, shift); }
    }

    common_options m_common;
    std::vector<gemmini_case> m_cases;
};

} // namespace

machine_facts gemmini_facts()
{
    return {"gemmini",
            "Gemmini, 16 x 16, int8",
            "RTL in FireSim, by DOSA (MICRO 2023): products on a weight-stationary array with these mappings",
            "an MMU/VCU pair with a streaming array, overlap and a DMA of 128 bits with bursts of 64 bytes",
            {{"memory_bytes_per_cycle", memory_bytes_per_cycle, "bytes/cycle", "bandwidth of the memory"},
             {"call_interval", call_interval, "cycles", "between the starts of two calls of the array at least"},
             {"memory_latency", memory_latency, "cycles",
              "of a response, and more for a write of part of 16 bytes, which reads them first"}},
            "the shapes 196x256x1024, 196x1024x512 and 150544x64x2",
            {"M", "K", "N", "accumulator_entries", "scratchpad_entries", "mapped_cycles", "auto_cycles", "mapping"},
            shipped_measurements[0].text};
}

std::unique_ptr<measured_machine> make_gemmini() { return std::make_unique<gemmini>(); }

} // namespace tensorloom::testbench
