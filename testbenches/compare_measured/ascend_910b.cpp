#include <algorithm>
#include <sstream>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/integers.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/segmented/inputs.h>
#include <tensorloom/workloads/segmented/references.h>
#include <tensorloom/workloads/segmented/variants.h>
#include "compare_measured/measured_machine.h"
#include "compare_measured/shipped_measurements.h"
#include "platform/mmv/mmv_options.h"
#include "platform/process/text.h"

namespace tensorloom::testbench {
namespace ascend_910b {
namespace {

constexpr unsigned side = 128; // of the tiles that the cube unit multiplies
constexpr unsigned row_words = 32;
constexpr unsigned lanes = 128;
constexpr unsigned memory_bytes_per_cycle = 24;

enum column : std::size_t { name, of, over, quantity, format, length, density, measured };

/// Variants one after the other on a device, as "scan+compress".
using variant_list = std::vector<const workloads::segmented_variant*>;

// What runs of some variants took.
struct variant_runs {
    std::size_t first_program = 0, end_program = 0;
    std::uint64_t bytes = 0; ///< of operands and results
};

struct ratio_case {
    std::string name;
    std::size_t line = 0;
    variant_list of, over;
    bool by_bytes = false; ///< a ratio of bytes per cycle, not of cycles
    base::element_type format{};
    std::uint64_t length = 0;
    double density = 0;
    double measured = 0;

    variant_runs of_runs, over_runs;
    std::uint64_t scratchpad_bytes = 0;
    bool passed = true;
    std::unique_ptr<mmv_testbed> testbed;
    std::vector<activity::module_energy> energy_models;

    std::string programs_text() const
    {
        const auto joined = [](const variant_list& all) {
            std::string text;
            for (const auto* v : all) { text += (text.empty() ? "" : "+") + std::string(v->name); }
            return text;
        };
        return joined(of) + " over " + joined(over);
    }
};

// An AI core: a cube unit that takes 16 x 16 x 16 multiply-adds per cycle, so that a row of 128 takes 4, and two vector
// cores of 256 bytes.
mmv::config core_of(const common_options& common, base::element_type format, std::size_t devices = 1)
{
    mmv_options o;
    o.config.lanes = lanes;
    o.config.banks = lanes;
    o.config.in_words = o.config.out_words = row_words;
    return device_config(o, common, side, format, devices);
}

variant_list variants_of(const std::string& text, const mmv::limits& limits)
{
    using operation = workloads::segmented_operation;
    variant_list all;
    std::istringstream in(text);
    for (std::string item; std::getline(in, item, '+');) {
        const auto& v = workloads::find_segmented_variant(item);
        if (v.operation == operation::product || v.operation == operation::matrix_product ||
            v.operation == operation::spmv) {
            base::refuse("variant", item, "one of a scan, compress, difference, segmented sum or scan, or copy");
        }
        const auto reason = workloads::why_not(v, limits, std::nullopt);
        if (!reason.empty()) { throw base::input_error(item + ": " + reason); }
        all.push_back(&v);
    }
    if (all.empty()) { base::refuse("variant", "nothing", "one, or several with + between them"); }
    return all;
}

class ratio_runs : public machine_of_cases<ratio_case> {
public:
    void read(const std::vector<measured_row>& given) override
    {
        for (const auto& row : given) {
            base::complaining_of(row.place(), [&] { m_cases.push_back(case_of(row)); });
        }
    }

    platform_options platform() const override
    {
        platform_options p;
        p.memory = "sram";
        p.memory_bytes_per_cycle = memory_bytes_per_cycle;
        p.dma_bits = 256;
        return p;
    }

    costs::floor_plan plan(const common_options& common, const costs::technology& technology) const override
    {
        const auto& c = largest();
        return device_area(core_of(common, c.format), common.platform, technology, c.scratchpad_bytes);
    }

    void require_prices(const common_options& common, const costs::technology& technology) const override
    {
        for (const auto& c : m_cases) { require_energies(technology, core_of(common, c.format), common.platform); }
    }

    nlohmann::ordered_json configuration(const common_options& common) const override
    {
        const auto& c = largest();
        auto device = core_of(common, c.format);
        device.scratchpad_bytes = c.scratchpad_bytes;
        return preset_json(testbench::ascend_910b_facts().name, device, common);
    }

    std::vector<testbed*> build(const common_options& common, activity::log_detail detail) override
    {
        m_common = common;
        std::vector<testbed*> all;
        for (std::size_t i = 0; i < m_cases.size(); ++i) {
            auto& c = m_cases[i];
            const bool integer = base::is_integer(c.format);
            // Masks and constants need more than a copy's array.
            const std::uint64_t elements = c.length + std::uint64_t{side} * side;
            c.testbed = make_mmv_testbed(
                numbered_platform(i), core_of(common, c.format), common, mmv_memory_for(elements), detail,
                [this, i, integer](workloads::mmv_session& session) {
                    integer ? run<std::int64_t>(session, m_cases[i]) : run<double>(session, m_cases[i]);
                });
            all.push_back(c.testbed.get());
        }
        return all;
    }

    std::vector<measured_case> results(const costs::technology& technology) override
    {
        std::vector<measured_case> all;
        for (auto& c : m_cases) {
            charge(c, technology, c.scratchpad_bytes);
            const auto per = [&](const variant_runs& runs) {
                const auto cycles =
                    static_cast<double>(program_costs_of(c.testbed->runs(), runs.first_program, runs.end_program,
                                                         c.testbed->clock_period_ns(), c.energy_models)
                                            .cycles);
                return c.by_bytes ? static_cast<double>(runs.bytes) / cycles : cycles;
            };
            measured_case found;
            found.name = c.name;
            found.line = c.line;
            found.measured = c.measured;
            found.model = per(c.of_runs) / per(c.over_runs);
            const auto costs = costs_of(c);
            found.costs = costs;
            found.cycles = costs.cycles;
            found.macs = costs.counts[mmv::event::mac];
            found.passed = c.passed;
            all.push_back(found);
        }
        return all;
    }

    std::vector<device_programs> programs() const override
    {
        std::vector<device_programs> all;
        for (const auto& c : m_cases) {
            all.push_back(programs_of(*c.testbed, c.energy_models,
                                      std::vector<std::string>(c.testbed->programs(), c.programs_text())));
        }
        return all;
    }

private:
    static ratio_case case_of(const measured_row& row)
    {
        ratio_case c;
        c.line = row.line();
        c.name = row.text(column::name);
        if (c.name.empty()) { base::refuse("name", "nothing", "a name"); }
        const auto& quantity = row.text(column::quantity);
        if (quantity != "cycles" && quantity != "bytes_per_cycle") {
            base::refuse("quantity", base::in_quotes(quantity), "cycles or bytes_per_cycle");
        }
        c.by_bytes = quantity == "bytes_per_cycle";
        const auto format = base::parse_element_type(row.text(column::format));
        if (!format || base::is_complex(*format)) {
            base::refuse("format", base::in_quotes(row.text(column::format)),
                         "f64, f32, bf16, f16, int8, int32 or int64");
        }
        c.format = *format;
        mmv::limits limits;
        limits.side = side;
        limits.format = c.format;
        c.of = variants_of(row.text(column::of), limits);
        c.over = variants_of(row.text(column::over), limits);
        c.length = row.number(column::length, 1, std::uint64_t{1} << 22);
        c.density = row.real(column::density, 0, 1);
        c.measured = row.real(column::measured, 1e-6, 1e6);
        return c;
    }

    const ratio_case& largest() const
    {
        return *std::max_element(m_cases.begin(), m_cases.end(),
                                 [](const auto& x, const auto& y) { return x.scratchpad_bytes < y.scratchpad_bytes; });
    }

    template <class T> void run(workloads::mmv_session& session, ratio_case& c)
    {
        workloads::segmented_problem<T> problem;
        problem.x = workloads::random_values<T>(c.length, m_common.seed);
        for (auto& x : problem.x) { x = static_cast<T>(workloads::rounded_to(c.format, static_cast<double>(x))); }
        const auto flags = workloads::random_flags(c.length, c.density, m_common.seed + 1);
        const auto run_all = [&](const variant_list& variants, variant_runs& found) {
            found.first_program = c.testbed->programs();
            for (const auto* variant : variants) {
                problem.flags.clear();
                if (workloads::has_flags(variant->operation)) { problem.flags = flags; }
                const auto result = workloads::run_segmented(*variant, session, problem);
                found.bytes += result.data_bytes;
                c.scratchpad_bytes = std::max(c.scratchpad_bytes, result.scratchpad_bytes);
                if (!m_common.check) { continue; }
                c.passed = c.passed && workloads::check_segmented(*variant, problem, result.values, side,
                                                                  base::accumulator_type(c.format))
                                           .passed;
            }
            found.end_program = c.testbed->programs();
        };
        run_all(c.of, c.of_runs);
        run_all(c.over, c.over_runs);
    }
};

} // namespace
} // namespace ascend_910b

machine_facts ascend_910b_facts()
{
    return {"ascend-910b",
            "Ascend 910B4, one AI core",
            "MMV-RAM (arXiv 2506.23906, section 5) and scans by the same authors (arXiv 2505.15112): ratios",
            "an MMU/VCU pair of 128 x 128 with ports of 32 words, 128 lanes and a memory of 24 bytes per cycle",
            {},
            nullptr,
            measured_quantity::ratio,
            {"name", "of", "over", "quantity", "format", "length", "density", "ratio"},
            shipped_measurements[2].text};
}

std::unique_ptr<measured_machine> make_ascend_910b() { return std::make_unique<ascend_910b::ratio_runs>(); }

} // namespace tensorloom::testbench
