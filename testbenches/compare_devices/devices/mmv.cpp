#include <algorithm>
#include <tensorloom/models/mmv/isa/driver.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/workloads/mmv/mode_products.h>
#include "compare_devices/compared_testbed.h"
#include "platform/mmv/mmv_report.h"
#include "platform/mmv/mmv_options.h"
#include "platform/mmv/mmv_testbed.h"
#include "platform/options/field_options.h"

namespace tensorloom::testbench {
namespace {

struct mmv_choice {
    mmv_options device;
    unsigned side = 16; ///< of the array

    /// The vector unit rounds the results of a product to bfloat16.
    mmv_choice() { device.config.blocks |= isa::vector::block_bit(isa::vector::functional_block::conversion); }

    base::config_fields fields() { return fields_named(mmv::fields_of(device.config), {"banks", "lanes"}); }
};

class compared_mmv final : public compared_testbed<mmv::traits> {
public:
    compared_mmv(const device_surroundings& around, const mmv_choice& choice)
        : compared_testbed("mmv", "MMU/VCU pair", "three products", around), m_options(choice.device),
          m_config(device_config(choice.device, around.common, choice.side, format))
    {
        m_config.pipeline_depth = around.mac_latency;
        m_operands.shape = around.work.shape;
        m_operands.out_shape = around.work.out_shape;
        m_operands.x = values_as<double>(around.work.x.data);
        std::uint64_t elements = m_operands.x.size() + workloads::volume_of(around.work.out_shape);
        for (std::size_t m = 0; m < m_operands.matrices.size(); ++m) {
            m_operands.matrices[m] = values_as<double>(around.work.matrices[m]);
            elements += m_operands.matrices[m].size();
        }
        const auto needed =
            placing([&] { return workloads::mode_product_scratchpad_bytes(m_operands, mmv::limits_of(m_config)); });
        if (needed > m_config.scratchpad_bytes) {
            throw too_small("the products need a scratchpad of " + std::to_string(needed) + " bytes, found " +
                            std::to_string(m_config.scratchpad_bytes));
        }
        m_testbed = make_mmv_testbed(
            m_name, m_config, around.common, mmv_memory_for(elements), around.detail,
            [this](workloads::mmv_session& session) { m_found = workloads::three_mode_products(session, m_operands); },
            &around.shown);
    }

    /// Sums are float32, results of each product bfloat16.
    rounding rounds() const override { return {0x1p-24, 0x1p-8}; }

private:
    static constexpr auto format = base::element_type::bf16;
    using event = mmv::event;

    // The size option, or the size that the run needed.
    std::uint64_t scratchpad_bytes() const
    {
        const auto needed = std::max(m_found.costs.scratchpad_bytes, std::uint64_t{mmv::scratchpad_unit});
        return m_options.scratchpad_bytes.value_or(needed);
    }
    std::function<void(sc_core::sc_trace_file&)> shown_in(const testbed_type& testbed) const override
    {
        return testbed.waveform(std::vector<watched_element>{});
    }
    costs::energy_model energy() const override
    {
        return device_energy(m_config, m_around.common.platform, m_around.technology, scratchpad_bytes());
    }
    costs::floor_plan area() const override
    {
        return device_area(m_config, m_around.common.platform, m_around.technology, scratchpad_bytes());
    }
    std::uint64_t memory_bytes() const override { return m_testbed->memory_bytes(); }
    utilisation_measure utilisation() const override
    {
        return mac_utilisation(mmv::utilisation_unit, static_cast<std::size_t>(event::mac),
                               static_cast<double>(processing_elements()));
    }
    std::uint64_t processing_elements() const { return std::uint64_t{m_config.side} * m_config.side; }
    device_result described(const program_costs& costs, const counts_type& counts) override
    {
        device_result run;
        run.array = std::to_string(m_config.side) + " x " + std::to_string(m_config.side) + " PEs";
        run.units = processing_elements();
        run.on_chip_bytes = scratchpad_bytes();
        run.macs_done = counts[event::mac];
        run.working_cycles = array_cycles(costs);
        run.configuration = device_json(m_config, m_around.common, scratchpad_bytes());
        run.y = m_found.y;
        return run;
    }

    const mmv_options& m_options;
    mmv::config m_config;
    workloads::mode_product_operands m_operands;
    workloads::mode_product_result m_found;
};

class comparable_mmv final : public comparable_device {
public:
    comparable_mmv() : comparable_device(mmv::description) {}

    void add_options(option_table& table) const override
    {
        mmv_choice defaults;
        table.add_value("mmv-array", "SIDE", "Rows and columns of the array.", std::to_string(defaults.side));
        table.add_synonym("s");
        add_field(table, defaults.fields()[0]);
    }
    std::vector<shared_option> shared_options() const override
    {
        mmv_choice defaults;
        return {{"MMU/VCU pair", defaults.fields()[1], vector_lanes}};
    }
    void read_options(const option_values& values, const common_options&) override
    {
        read_fields(values, m_options.fields());
        m_options.side = static_cast<unsigned>(values.get_unsigned("mmv-array", 2, 1024));
    }
    void equalize() override
    {
        m_options.device.config.scratchpad_bytes = equal_on_chip_bytes;
        m_options.device.scratchpad_bytes = equal_on_chip_bytes;
    }
    std::size_t sizes() const override { return std::size(sides) * std::size(lanes); }
    void choose_size(std::size_t size, std::optional<std::uint64_t>) override
    {
        m_options.side = sides[size / std::size(lanes)];
        m_options.device.config.lanes = m_options.device.config.banks = lanes[size % std::size(lanes)];
    }
    std::vector<std::string> size_options() const override { return {"mmv-array"}; }
    std::unique_ptr<compared_device> make(const device_surroundings& around) const override
    {
        return std::make_unique<compared_mmv>(around, m_options);
    }

private:
    static constexpr unsigned sides[] = {4, 8, 16, 32, 64}, lanes[] = {16, 64, 256};

    mmv_choice m_options;
};

const comparable_device_entry mmv_entry{30, make_comparable<comparable_mmv>};

} // namespace
} // namespace tensorloom::testbench
