#include "platform/torus/torus_options.h"
#include <algorithm>
#include <string_view>
#include <nlohmann/json.hpp>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include <tensorloom/models/base/values/number_text.h>
#include "platform/options/field_options.h"

namespace tensorloom::testbench {
namespace {

using torus::axis;

constexpr std::uint32_t largest_grid = 64, largest_block = 1024; // of torus::config
constexpr unsigned most_slices = 1024;

// Rows that are options just as they stand.
base::config_fields plain_fields(torus::config& c)
{
    return fields_named(fields_of(c), {"macs-per-cycle", "mac-latency", "words-per-cycle", "cycles-per-pitch",
                                       "load-elements", "dma-ports"});
}
base::config_field field_of(torus::config& c, const char* name) { return fields_named(fields_of(c), {name}).front(); }

constexpr base::named_value vertical_values[] = {{0, "Q", ""}, {1, "R", ""}, {2, "S", ""}, {3, "none", ""}};
constexpr std::uint64_t no_axis = 3;

torus::shape3 read_block(const option_values& values)
{
    const auto text = values.get_string("block");
    if (const auto size = base::parse_number<std::uint32_t>(text)) {
        if (*size >= 1 && *size <= largest_block) { return {*size, *size, *size}; }
    } else if (const auto sizes = base::parse_three<std::uint32_t>(text, 'x', 1, largest_block)) {
        return *sizes;
    }
    throw values.error("block", "a size from 1 to " + std::to_string(largest_block) + ", or three of them, like 4x5x6");
}

// none, operand, sliced, sliced:M, shared
void read_overlap(const option_values& values, torus::config& c)
{
    const auto text = values.get_string("overlap");
    const std::string_view sliced = "sliced:";
    const std::string name = text.substr(0, text.find(':'));
    for (const auto& known : torus::overlap_values) {
        if (text == known.name) {
            c.overlap = static_cast<torus::overlap_kind>(known.value);
            return;
        }
    }
    if (text.rfind(sliced, 0) == 0) {
        const auto slices = base::parse_number<unsigned>(text.substr(sliced.size()));
        if (slices && *slices >= 1 && *slices <= most_slices) {
            c.overlap = torus::overlap_kind::sliced;
            c.slices = *slices;
            return;
        }
    }
    throw values.error("overlap", "none, operand, shared, sliced, or sliced:M with M slices from 1 to " +
                                      std::to_string(most_slices));
}

std::string sizes_text(const torus::shape3& s)
{
    return std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]);
}

std::uint32_t parts(std::uint32_t size, std::uint32_t part) { return (size + part - 1) / part; }

// Grid and block, as given or chosen, and whether that takes tiles.
torus_fit sized(const torus_options& o, const torus::shape3& largest)
{
    torus_fit fit;
    if (o.grid || !o.block) {
        fit.side = o.grid.value_or(std::min(default_grid, *std::max_element(largest.begin(), largest.end())));
        for (unsigned m = 0; m < 3; ++m) { fit.block[m] = parts(largest[m], fit.side); }
        if (o.block) {
            fit.block = *o.block;
        } else if (o.tiles) {
            for (auto& b : fit.block) { b = std::min(b, largest_block); }
        }
    } else {
        fit.block = *o.block;
        fit.side = 1;
        for (unsigned m = 0; m < 3; ++m) { fit.side = std::max(fit.side, parts(largest[m], fit.block[m])); }
    }
    for (const auto b : fit.block) {
        if (b > largest_block) {
            throw base::input_error("a grid of " + std::to_string(fit.side) + " nodes along a side needs blocks of " +
                                    sizes_text(fit.block) + " for " + sizes_text(largest) +
                                    " elements, expected at most " + std::to_string(largest_block) +
                                    ": a larger --array, or --tiles on");
        }
    }
    if (fit.side > largest_grid) {
        throw base::input_error("blocks of " + sizes_text(fit.block) + " need a grid of " + std::to_string(fit.side) +
                                " nodes along a side for " + sizes_text(largest) + " elements, expected at most " +
                                std::to_string(largest_grid) + ": a larger --block, or --array to use tiles");
    }
    for (unsigned m = 0; m < 3; ++m) { fit.tiled = fit.tiled || largest[m] > std::uint64_t{fit.side} * fit.block[m]; }
    if (fit.tiled && !o.tiles) {
        throw base::input_error("the problem has " + sizes_text(largest) + " elements, expected at most " +
                                std::to_string(fit.side) + " blocks of " + sizes_text(fit.block) +
                                " with --tiles off: a larger --array or --block, or --tiles on");
    }
    return fit;
}

} // namespace

void add_torus_sizes(option_table& table, const std::string& array)
{
    table.add_value(array, "P",
                    "Nodes along each side of the torus (default: ceil(size / block); without --block " +
                        std::to_string(default_grid) + ", or the largest size if that is less).");
    table.add_synonym("grid");
    table.add_value("block", "B1xB2xB3",
                    "The largest block of a node, or one number for all modes (default: ceil(size / array)). A problem "
                    "larger than array times block is tiled.");
}

void read_torus_sizes(const option_values& values, torus_options& o, const std::string& array)
{
    if (values.has(array)) { o.grid = static_cast<std::uint32_t>(values.get_unsigned(array, 1, largest_grid)); }
    if (values.has("block")) { o.block = read_block(values); }
}

void add_torus_options(option_table& table)
{
    torus::config defaults;
    add_torus_sizes(table);
    table.add_value("schedule", "+++", "Scheduling vector: the signs of Q, R, S.", "+++");
    table.add_value("tiles", "on|off", "Tile a problem that is larger than the torus; off: reject it.", "on");
    table.add_value(
        "overlap", "none|operand|sliced[:M]|shared",
        "Blocks that roll while nodes compute: none, those that a step does not change, or also M slices of sums "
        "(without M, as many as keep the multipliers busy). shared: sums are written into memory that neighbours "
        "share, and do not roll.",
        "operand");
    add_field(table, field_of(defaults, "sync-cycles"));
    for (const auto& field : plain_fields(defaults)) { add_field(table, field); }
    table.add_value("folded", "on|off", "Fold the rings: links of at most two pitches; off: one link of P - 1.", "on");
    table.add_value("vertical-axis", "Q|R|S|none", "Axis whose links cross the stacked tiers (vias).", "R");
    add_field(table, field_of(defaults, "coefficient-elements"), "as many as the run needs");
    add_field(table, field_of(defaults, "threads"));
}

torus_options read_torus_options(const option_values& values)
{
    torus_options o;
    read_torus_sizes(values, o);
    const auto vector = torus::scheduling_vector_of(values.get_string("schedule"));
    if (!vector) { throw values.error("schedule", "three signs, like +-+"); }
    o.vector = *vector;
    o.tiles = values.get_switch("tiles");
    read_overlap(values, o.config);
    read_field(values, field_of(o.config, "sync-cycles"));
    if (o.config.sync_cycles != 0 && o.config.overlap != torus::overlap_kind::shared) {
        throw values.error("sync-cycles", "0, or --overlap shared");
    }
    read_fields(values, plain_fields(o.config));
    o.config.folded = values.get_switch("folded");
    const auto vertical = get_named<std::uint64_t>(values, "vertical-axis", vertical_values);
    o.vertical = vertical == no_axis ? std::nullopt : std::optional(static_cast<axis>(vertical));
    read_field(values, field_of(o.config, "coefficient-elements"));
    if (values.has("coefficient-elements")) { o.coefficient_elements = o.config.coefficient_elements; }
    read_field(values, field_of(o.config, "threads"));
    return o;
}

torus_fit fit_torus(const torus_options& o, const torus::shape3& in_size, const torus::shape3& out_size,
                    const std::vector<unsigned>& summed_modes)
{
    torus::shape3 largest{};
    for (unsigned m = 0; m < 3; ++m) { largest[m] = std::max(in_size[m], out_size[m]); }
    auto fit = sized(o, largest);
    for (unsigned m = 0; m < 3; ++m) {
        fit.blocks.in_block[m] = std::min(fit.block[m], parts(in_size[m], fit.side));
        fit.blocks.out_block[m] = std::min(fit.block[m], parts(out_size[m], fit.side));
    }
    const auto needed = torus::coefficients_of_node(fit.blocks, {in_size, out_size}, fit.side, summed_modes);
    const std::uint64_t most = o.coefficient_elements.value_or(1u << 30); // of torus::config
    if (needed > most) {
        throw base::input_error("a node holds " + std::to_string(needed) +
                                " coefficients of the matrices, expected at most " + std::to_string(most) +
                                ", its --coefficient-elements");
    }
    fit.coefficient_elements = o.coefficient_elements.value_or(static_cast<std::uint32_t>(needed));
    return fit;
}

product_fit fit_product(const torus_options& o, const torus::shape3& sizes)
{
    product_fit fit;
    fit.device = sized(o, sizes);
    for (unsigned m = 0; m < 3; ++m) {
        fit.blocks[m] = std::min(fit.device.block[m], parts(sizes[m], fit.device.side));
    }
    fit.device.block = {fit.blocks[0], 1, std::max(fit.blocks[1], fit.blocks[2])};
    fit.device.coefficient_elements = o.coefficient_elements.value_or(1);
    return fit;
}

torus::config device_config(const torus_options& o, const common_options& common, const torus_fit& fit,
                            base::element_type format)
{
    torus::config c = fit.applied_to(o.config);
    c.format = format;
    return with_common_options(c, common);
}

torus::energy_parameters energy_parameters_of(const torus_options& o, const torus_fit& fit, base::element_type format,
                                              const costs::dma_build& dma)
{
    const auto& c = o.config;
    const bool receives_beside_work = c.overlap != torus::overlap_kind::none;
    return {fit.side,
            fit.block,
            format,
            c.macs_per_cycle,
            receives_beside_work,
            c.folded,
            fit.coefficient_elements,
            o.vertical,
            c.cycles_per_pitch,
            c.mac_latency,
            c.load_elements,
            c.words_per_cycle,
            dma};
}

nlohmann::ordered_json device_json(const torus_options& o, const common_options& common,
                                   const std::optional<torus_fit>& fit, base::element_type format)
{
    torus::config c = fit ? fit->applied_to(o.config) : o.config;
    auto all =
        json_of(fields_named(fields_of(c), {"side", "block", "overlap", "slices", "sync-cycles", "macs-per-cycle",
                                            "mac-latency", "words-per-cycle", "cycles-per-pitch", "folded",
                                            "load-elements", "dma-ports", "coefficient-elements", "threads"}));
    if (!fit) { all["grid"] = all["block"] = nullptr; }
    if (!fit && !o.coefficient_elements) { all["coefficient_elements"] = nullptr; }
    const char* const vertical = vertical_values[o.vertical ? static_cast<std::size_t>(*o.vertical) : no_axis].name;
    all.update({{"schedule", text_of(o.vector)}, {"tiles", o.tiles}, {"vertical_axis", vertical}});
    all["format"] = base::element_type_name(format);
    return with_common_fields(std::move(all), common);
}

} // namespace tensorloom::testbench
