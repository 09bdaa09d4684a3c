#include "compare_measured/product_machine.h"
#include <algorithm>
#include <cmath>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/integers.h>
#include <tensorloom/workloads/fill.h>

namespace tensorloom::testbench {
namespace {

struct product_case {
    measured_product product;
    std::string name;
    std::size_t line = 0;
    bool passed = true;
    std::unique_ptr<mmv_testbed> testbed;
    std::vector<activity::module_energy> energy_models;
};

class product_runs : public machine_of_cases<product_case> {
public:
    explicit product_runs(const product_machine& machine) : m_machine(machine), m_device(machine.device()) {}

    void read(const std::vector<measured_row>& given) override
    {
        for (const auto& row : given) {
            base::complaining_of(row.place(), [&] {
                product_case c;
                c.product = m_machine.product_of(row);
                c.name = c.product.name;
                c.line = row.line();
                workloads::require_room(c.product.mapping, c.product.memories, m_device.side);
                require_steps(c.product.mapping);
                if (c.product.measured == 0) { base::refuse("cycles measured", "less than 1", "at least 1"); }
                m_cases.push_back(std::move(c));
            });
        }
    }

    platform_options platform() const override { return m_machine.platform(); }

    costs::floor_plan plan(const common_options& common, const costs::technology& technology) const override
    {
        const auto device = largest_device(common);
        return device_area(device, common.platform, technology, device.scratchpad_bytes);
    }

    void require_prices(const common_options& common, const costs::technology& technology) const override
    {
        require_energies(technology, largest_device(common), common.platform);
    }

    nlohmann::ordered_json configuration(const common_options& common) const override
    {
        return preset_json(m_machine.facts().name, largest_device(common), common);
    }

    std::vector<testbed*> build(const common_options& common, activity::log_detail detail) override
    {
        m_common = common;
        std::vector<testbed*> all;
        for (std::size_t i = 0; i < m_cases.size(); ++i) {
            auto& c = m_cases[i];
            const auto device = device_with(common, scratchpad_bytes_of(c));
            const std::uint64_t data = workloads::mapped_data_bytes(c.product.sizes, mmv::limits_of(device));
            c.testbed = make_mmv_testbed(numbered_platform(i), device, common, mmv_memory_for(data / 16 + 1), detail,
                                         [this, i](workloads::mmv_session& session) { run(session, i); });
            all.push_back(c.testbed.get());
        }
        return all;
    }

    std::vector<measured_case> results(const costs::technology& technology) override
    {
        std::vector<measured_case> all;
        for (auto& c : m_cases) {
            charge(c, technology, c.testbed->device().scratchpad_bytes);
            measured_case found;
            found.name = c.name;
            found.line = c.line;
            found.fitted = c.product.fitted;
            const auto& sizes = c.product.sizes;
            found.macs = sizes.rows * sizes.depth * sizes.columns;
            found.costs = costs_of(c);
            keep_compared(found.costs.cycles_by_cause);
            found.cycles = measured_cycles(found.costs);
            found.measured = static_cast<double>(c.product.measured);
            found.model = static_cast<double>(found.cycles);
            found.passed = c.passed;
            all.push_back(found);
        }
        return all;
    }

    std::vector<device_programs> programs() const override
    {
        std::vector<device_programs> all;
        for (const auto& c : m_cases) {
            all.push_back(programs_of(*c.testbed, c.energy_models, {"line " + std::to_string(c.line)}));
        }
        return all;
    }

private:
    // Blocks of weights that the array takes, one after the other.
    static void require_steps(const workloads::product_mapping& m)
    {
        constexpr std::uint64_t most = std::uint64_t{1} << 22;
        const std::uint64_t in_a_tile =
            base::quotient_up(m.depth, m.array_depth) * base::quotient_up(m.columns, m.array_columns);
        if (in_a_tile > most / m.tiles()) {
            base::refuse("mapping", "more than " + std::to_string(most) + " blocks of weights",
                         "fewer, of more rows and columns of the array");
        }
    }

    mmv::config device_with(const common_options& common, std::uint64_t scratchpad_bytes) const
    {
        auto c = m_device;
        const std::uint64_t least = std::uint64_t{c.banks} * c.word_bits / 8; // no bank is empty
        c.scratchpad_bytes =
            base::quotient_up(std::max(scratchpad_bytes, least), mmv::scratchpad_unit) * mmv::scratchpad_unit;
        return with_common_options(c, common);
    }
    mmv::config largest_device(const common_options& common) const
    {
        std::uint64_t most = 0;
        for (const auto& c : m_cases) { most = std::max(most, scratchpad_bytes_of(c)); }
        return device_with(common, most);
    }

    void keep_compared(cause_list& causes) const
    {
        const auto& compared = m_machine.causes;
        if (compared.empty()) { return; }
        for (auto& c : causes) {
            if (c.first == "fetch") { c.second = 0; } // every summary has it
        }
        causes.erase(std::remove_if(causes.begin(), causes.end(),
                                    [&](const auto& c) {
                                        return c.second != 0 &&
                                               std::find(compared.begin(), compared.end(), c.first) == compared.end();
                                    }),
                     causes.end());
    }

    std::uint64_t measured_cycles(const program_costs& all) const
    {
        if (m_machine.causes.empty()) { return all.cycles - all.cycles_of("fetch"); }
        std::uint64_t cycles = 0;
        for (const auto* cause : m_machine.causes) { cycles += all.cycles_of(cause); }
        return cycles;
    }

    std::uint64_t scratchpad_bytes_of(const product_case& c) const
    {
        mmv::limits limits;
        limits.side = m_device.side;
        limits.format = m_device.format;
        return workloads::mapped_scratchpad_bytes(c.product.mapping, c.product.memories, limits);
    }

    void run(workloads::mmv_session& session, std::size_t i)
    {
        auto& c = m_cases[i];
        const auto& sizes = c.product.sizes;
        const auto operand = [&](std::uint64_t rows, std::uint64_t columns, std::uint64_t which) {
            const std::uint64_t seed = 2 * (m_common.seed * m_cases.size() + i) + which;
            const auto filled =
                workloads::fill_tensor<std::int8_t>(workloads::fill_kind::random, {1, rows, columns}, 0, seed);
            return std::vector<std::int64_t>(filled.data.begin(), filled.data.end());
        };
        const auto a = operand(sizes.rows, sizes.depth, 0), w = operand(sizes.depth, sizes.columns, 1);
        // So that few results saturate: operands are -8 to 8. Sums of f16 are whole numbers that f32 holds.
        const auto shift = static_cast<unsigned>(1 + std::ceil(std::log2(static_cast<double>(sizes.depth))) / 2);
        const bool packed = m_device.format == base::element_type::int8;
        const auto found =
            workloads::mapped_product(session, c.product.mapping, sizes, c.product.memories, a, w, shift);
        if (m_common.check) {
            c.passed =
                found.z == workloads::mapped_reference(sizes, a, w, packed ? std::optional(shift) : std::nullopt);
        }
    }

    product_machine m_machine;
    mmv::config m_device; // without scratchpad
};

} // namespace

mmv::config streaming_array(unsigned side, base::element_type format)
{
    mmv::config c;
    c.side = side;
    c.format = format;
    c.overlap = true;
    c.streaming = true;
    c.lanes = side;
    c.blocks = mmv::functional_blocks;
    if (format == base::element_type::int8) {
        c.blocks |= isa::vector::block_bit(isa::vector::functional_block::conversion);
    }
    c.word_bits = base::element_bits(base::accumulator_type(format));
    c.in_words = c.out_words = side;
    return c;
}

std::unique_ptr<measured_machine> make_product_machine(const product_machine& machine)
{
    return std::make_unique<product_runs>(machine);
}

workloads::mapped_sizes product_sizes(const measured_row& row, std::size_t rows, std::size_t depth, std::size_t columns)
{
    constexpr std::uint64_t largest = std::uint64_t{1} << 20, most_macs = std::uint64_t{1} << 36;
    constexpr std::uint64_t most_elements = std::uint64_t{1} << 27;
    const workloads::mapped_sizes sizes{row.number(rows, 1, largest), row.number(depth, 1, largest),
                                        row.number(columns, 1, largest)};
    if (sizes.depth * sizes.columns > most_macs / sizes.rows) {
        base::refuse("M, K, N", product_name(sizes), "at most " + std::to_string(most_macs) + " multiply-adds");
    }
    if (std::max({sizes.rows * sizes.depth, sizes.depth * sizes.columns, sizes.rows * sizes.columns}) > most_elements) {
        base::refuse("M, K, N", product_name(sizes),
                     "matrices of at most " + std::to_string(most_elements) + " elements");
    }
    return sizes;
}

std::string product_name(const workloads::mapped_sizes& sizes)
{
    return std::to_string(sizes.rows) + "x" + std::to_string(sizes.depth) + "x" + std::to_string(sizes.columns);
}

} // namespace tensorloom::testbench
