#include "platform/options/triada_options.h"
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/workloads/gemt_order.h>

namespace tensorloom::testbench {
namespace {

std::vector<std::string> names_of(const std::vector<arch::element_type>& formats)
{
    std::vector<std::string> names;
    for (const auto f : formats) { names.emplace_back(arch::element_type_name(f)); }
    return names;
}

triada::shape3 read_mesh(const option_values& values)
{
    triada::shape3 mesh{};
    const auto sizes = values.get_shape("mesh", largest_mesh);
    for (std::size_t m = 0; m < 3; ++m) { mesh[m] = static_cast<std::uint32_t>(sizes[m]); }
    return mesh;
}

} // namespace

void add_format_option(option_table& table, const std::vector<arch::element_type>& formats,
                       const std::string& format_default)
{
    table.add_value("format", form_of(names_of(formats)), "Element format (default: " + format_default + ").");
}

void add_triada_options(option_table& table)
{
    table.add_value("sparsity", "esop|dense",
                    "Skip zeros (elastic sparse outer products), or send and multiply everything.", "esop");
    table.add_value("zero-threshold", "X", "ESOP: a stored operand of at most this modulus counts as zero.", "0");
    table.add_flag("double-buffer", "Tiles: load the next and unload the last while computing.");
    table.add_value("mesh", "P1xP2xP3",
                    "Cells of the mesh; a larger problem is done in tiles (default: as the problem, at most " +
                        std::to_string(largest_mesh) + " in a mode).");
    table.add_value("matrix-elements", "COUNT", "Coefficients that each actuator can hold.",
                    std::to_string(triada::config{}.matrix_elements));
    table.add_value("step-cycles", "CYCLES", "Clock cycles of a time-step.", "3");
    table.add_value("load-elements", "PER_CYCLE", "Elements per cycle through the core's memory port.", "8");
    table.add_value("line-extent", "mesh|active",
                    "The wire that a send charges: the whole line, or its part in the active box.", "mesh");
    table.add_value("vertical-mode", "0|1|2|3", "Lines along this mode go through stacked tiers (vias); 0: none.", "2");
    table.add_value("threads", "COUNT", "Threads of the simulation; they change nothing but its speed.", "1");
}

gemt_settings read_gemt_settings(const option_values& values)
{
    gemt_settings s;
    s.esop = values.get_choice("sparsity", {"esop", "dense"}) == "esop";
    s.zero_threshold = values.get_number("zero-threshold", 0, std::numeric_limits<double>::max());
    if (!s.esop && s.zero_threshold != 0) { throw values.complaint("zero-threshold", "0, or --sparsity esop"); }
    s.double_buffer = values.get_flag("double-buffer");
    return s;
}

std::array<unsigned, 3> read_order(const option_values& values)
{
    return workloads::parse_mode_order(values.get_choice("order", {"123", "132", "213", "231", "312", "321"}));
}

triada_options read_triada_options(const option_values& values)
{
    triada_options o;
    triada::config& c = o.config;
    if (values.has("mesh")) { o.mesh = read_mesh(values); }
    c.matrix_elements = static_cast<std::uint32_t>(values.get_unsigned("matrix-elements", 1, 1u << 30));
    c.step_cycles = static_cast<unsigned>(values.get_unsigned("step-cycles", 1, 1000000));
    c.load_elements = static_cast<unsigned>(values.get_unsigned("load-elements", 1, 1u << 20));
    c.line_extent = values.get_choice("line-extent", {"mesh", "active"}) == "mesh" ? triada::line_extent::mesh
                                                                                   : triada::line_extent::active;
    o.vertical_mode = static_cast<unsigned>(values.get_unsigned("vertical-mode", 0, 3));
    c.threads = static_cast<unsigned>(values.get_unsigned("threads", 1, 256));
    return o;
}

arch::element_type read_format(const option_values& values, const std::vector<arch::element_type>& formats,
                               const std::optional<std::string>& complex_because)
{
    if (!values.has("format")) { return complex_because ? arch::element_type::c128 : arch::element_type::f64; }
    const auto format = *arch::parse_element_type(values.get_choice("format", names_of(formats)));
    if (complex_because && !arch::is_complex(format)) {
        throw values.complaint("format", "a complex format (c128, c64) because " + *complex_because);
    }
    return format;
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

nlohmann::ordered_json device_json(const triada_options& options, const gemt_settings& settings,
                                   const common_options& common, const triada::shape3& mesh, arch::element_type format)
{
    const triada::config& c = options.config;
    return {{"format", arch::element_type_name(format)},
            {"sparsity", settings.esop ? "esop" : "dense"},
            {"zero_threshold", settings.zero_threshold},
            {"mesh", mesh},
            {"double_buffer", settings.double_buffer},
            {"matrix_elements", c.matrix_elements},
            {"fidelity", fidelity_name(common)},
            {"technology", common.technology},
            {"clock_period_ps", clock_period_ps(common)},
            {"step_cycles", c.step_cycles},
            {"load_elements_per_cycle", c.load_elements},
            {"line_extent", c.line_extent == triada::line_extent::mesh ? "mesh" : "active"},
            {"vertical_mode", options.vertical_mode},
            {"burst_bytes", common.burst_bytes},
            {"seed", common.seed},
            {"threads", c.threads}};
}

triada::config device_config(const triada_options& options, const common_options& common, const triada::shape3& mesh,
                             arch::element_type format)
{
    triada::config c = options.config;
    c.mesh = mesh;
    c.format = format;
    return with_common_options(c, common);
}

workloads::npy_header tensor_header(const std::string& option, const std::string& path)
{
    const auto header = workloads::read_npy_header(path);
    if (header.shape.size() != 3) {
        throw arch::input_error("--" + option + ": " + path + " has rank " + std::to_string(header.shape.size()) +
                                ", expected 3");
    }
    for (std::size_t m = 0; m < 3; ++m) {
        if (header.shape[m] == 0) {
            throw arch::input_error("--" + option + ": " + path + ": mode " + std::to_string(m + 1) +
                                    " is empty, expected at least 1 element");
        }
    }
    return header;
}

} // namespace tensorloom::testbench
