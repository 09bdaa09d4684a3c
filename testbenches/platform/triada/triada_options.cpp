#include "platform/triada/triada_options.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include "platform/options/field_options.h"

namespace tensorloom::testbench {
namespace {

// What a testbench lets its user choose.
base::config_fields fields_of(triada_options& o)
{
    auto fields = fields_named(triada::fields_of(o.config),
                               {"mesh", "matrix-elements", "step-cycles", "look-ahead", "cell-registers",
                                "load-elements", "port-aligner", "dma-ports", "line-extent", "threads"});
    fields.insert(
        fields.begin() + 2,
        base::number(o.mac_latency, {1, 64}, {"mac-latency", "mac_latency", "CYCLES", "Cycles of a multiply-add."}));
    const auto own = {
        base::number(o.vertical_mode, {0, 3},
                     {"vertical-mode", "vertical_mode", "0|1|2|3",
                      "Lines along this mode cross the stacked tiers (vias); 0: no mode."}),
        base::flag(o.strobe_energy, {"strobe-energy", "strobe_energy", "",
                                     "Charge energy for the strobe that starts a time-step in every cell."})};
    fields.insert(fields.end() - 1, own);
    return fields;
}

} // namespace

void add_triada_options(option_table& table)
{
    triada_options defaults;
    for (const auto& field : fields_of(defaults)) {
        const std::string_view name = field.says.name;
        add_field(table, field,
                  name == "mesh" ? "as the problem, at most " + std::to_string(largest_mesh) + " in a mode"
                  : name == "matrix-elements"
                      ? "as many as the job needs, at most " + std::to_string(defaults.config.matrix_elements)
                  : name == "step-cycles" ? "3, with --mac-latency 2 more"
                                          : field.says.zero);
    }
}

triada_options read_triada_options(const option_values& values)
{
    triada_options o;
    read_fields(values, fields_of(o));
    if (values.has("matrix-elements")) { o.matrix_elements = o.config.matrix_elements; }
    if (values.has("mesh")) { o.mesh = o.config.mesh; }
    if (!values.has("step-cycles")) { o.config.step_cycles = triada::lines_cycles + o.mac_latency; }
    if (values.has("mac-latency") && o.config.step_cycles < o.mac_latency) {
        throw values.error("step-cycles", "at least the " + std::to_string(o.mac_latency) + " of --mac-latency");
    }
    return o;
}

triada::shape3 mesh_for(const triada_options& options, const workloads::shape3& box)
{
    if (options.mesh) { return *options.mesh; }
    triada::shape3 mesh{};
    for (std::size_t m = 0; m < 3; ++m) {
        mesh[m] = static_cast<std::uint32_t>(std::min<std::size_t>(box[m], largest_mesh));
    }
    return mesh;
}

nlohmann::ordered_json device_json(triada_options options, gemt_settings settings, const common_options& common,
                                   const triada::shape3& mesh, base::element_type format)
{
    options.config.mesh = mesh;
    auto all = json_of(fields_of(options));
    all.update(json_of(fields_of(settings)));
    all["format"] = base::element_type_name(format);
    if (!options.strobe_energy) { all.erase("strobe_energy"); }
    return with_common_fields(std::move(all), common);
}

triada::energy_parameters energy_parameters_of(const triada_options& options, const triada::shape3& mesh,
                                               base::element_type format, const costs::dma_build& dma)
{
    const auto& c = options.config;
    triada::energy_parameters g{mesh,          format,       options.vertical_mode, options.strobe_energy,
                                c.registers(), c.step_cycles};
    g.mac_latency = options.mac_latency, g.look_ahead = c.look_ahead, g.dma = dma, g.load_elements = c.load_elements;
    g.matrix_elements = options.matrix_elements.value_or(0), g.aligned_elements = c.port_aligner ? c.load_elements : 0;
    return g;
}

triada::config device_config(const triada_options& options, const common_options& common, const triada::shape3& mesh,
                             base::element_type format)
{
    triada::config c = options.config;
    c.mesh = mesh;
    c.format = format;
    return with_common_options(c, common);
}

} // namespace tensorloom::testbench
