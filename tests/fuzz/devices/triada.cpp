#include <algorithm>
#include <initializer_list>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/base/values/element_type.h>
#include "fuzz/gemt_reference.h"
#include "fuzz/memory_check.h"
#include "models/triada/mesh_config.h"
#include "models/triada/triada_bench.h"

namespace tensorloom::testbench {

// Compiled here, so that the target does not link the testbenches' platform.
template testbed_device<triada::device_base> make_device<triada::traits>(const char*, const triada::config&, unsigned,
                                                                         bus::activity_sink*);

} // namespace tensorloom::testbench

namespace tensorloom::test {
namespace {

using isa::pointwise_command;
using triada::gemt_command;

constexpr base::element_type triada_formats[] = {base::element_type::f64,  base::element_type::f32,
                                                 base::element_type::c128, base::element_type::c64,
                                                 base::element_type::bf16, base::element_type::int8};

bool is_gemt(const isa::program_command& c) { return is_command(c, triada::opcode::gemt, gemt_command::payload_bytes); }
bool is_pointwise(const isa::program_command& c)
{
    return is_command(c, triada::opcode::pointwise, pointwise_command::payload_bytes);
}
pointwise_command pointwise_of(const isa::program_command& c)
{
    return pointwise_command::decode(c.header.flags, c.payload);
}
gemt_command gemt_of(const isa::program_command& c) { return gemt_command::decode(c.header.flags, c.payload); }

std::uint64_t runs_on_mesh(const isa::program_command& c)
{
    std::uint64_t runs = 0;
    const auto add = [&runs](std::initializer_list<const isa::tensor_descriptor*> tensors) {
        for (const auto* t : tensors) { runs += at_most(runs_of_tensor(*t), most_runs); }
    };
    if (is_gemt(c)) {
        const auto g = gemt_of(c);
        add({&g.x, &g.y, &g.initial_y, &g.matrix[0], &g.matrix[1], &g.matrix[2], &g.next_x()});
    } else if (is_pointwise(c)) {
        const auto p = pointwise_of(c);
        add({&p.x, &p.y, &p.operand});
    }
    return runs;
}

// Larger volumes take the reference too long, and no test of the mesh has them.
bool works_long_on_mesh(const isa::program_command& c)
{
    if (!is_gemt(c)) { return false; }
    const auto g = gemt_of(c);
    std::uint64_t volume = 1;
    for (unsigned m = 0; m < 3; ++m) {
        volume = at_most(volume * at_most(std::max({g.x.size[m], g.y.size[m], 1u}), most_macs), most_macs);
    }
    return volume > 4096;
}

/// Products in the memory of the target: small numbers of the format, one command each. Data: 64 row numbers of 4
/// bytes, then elements.
void offer_products(seed_sink& seeds, const std::string& variant)
{
    const auto type = *base::parse_element_type(variant);
    const auto sums = base::accumulator_type(type);
    for (std::uint16_t flags = 0; flags < 32; ++flags) {
        if ((flags & gemt_command::flag_keep_matrices) != 0) { continue; } // after one that does not keep
        gemt_command c;
        c.flags = flags;
        c.stage_mask = static_cast<std::uint8_t>(1 + flags % 7);
        const bool tiled = flags % 3 == 0;
        const std::vector<std::uint32_t> shape =
            tiled ? std::vector<std::uint32_t>{5, 4, 3} : std::vector<std::uint32_t>{3, 2, 2};
        std::vector<std::uint32_t> out = shape;
        std::uint64_t at = seed_data_at + 0x400;
        const auto place = [&](base::element_type t, const std::vector<std::uint32_t>& size) {
            const auto descriptor = isa::dense_descriptor(at, t, size);
            at += (descriptor.elements() * base::element_bytes(t) + 15) / 16 * 16;
            return descriptor;
        };
        for (unsigned m = 0; m < 3; ++m) {
            if (!c.sums(m)) { continue; }
            out[m] = shape[m] - m % 2;
            c.matrix[m] = place(type, {shape[m], out[m]});
            if (!tiled) { c.row_order_address[m] = seed_data_at; }
        }
        c.x = place(type, shape);
        if (c.accumulate()) { c.initial_y = place(sums, out); }
        c.y = place(flags % 2 == 0 ? type : sums, out);
        if (c.completion()) { c.completion_address = seed_data_at + 0x200; }
        c.workspace = place(type, {1024});
        std::vector<gemt_command> commands{c};
        if (flags % 5 == 0) {
            auto again = c;
            again.flags |= gemt_command::flag_keep_matrices;
            again.matrix = {};
            again.row_order_address = {};
            commands.push_back(again);
        }
        seeds.offer(variant, triada::driver::program(commands));
    }
}

/// A chain: a product whose result stays in the cells, each kind of pointwise work on it, a product of what is there,
/// and one that stores what it left beside its own work. Data: elements.
void offer_chain(seed_sink& seeds, const std::string& variant)
{
    const auto type = *base::parse_element_type(variant);
    const auto place = [type](std::uint64_t at) { return isa::dense_descriptor(at, type, {3, 2, 2}); };
    isa::program_builder program;
    std::uint32_t token = 0;
    const auto add = [&](const gemt_command& c) { program.add(triada::opcode::gemt, c.flags, ++token, c.encode()); };
    gemt_command product;
    product.flags = gemt_command::flag_hold_result | gemt_command::flag_load_next;
    product.x = product.workspace = place(seed_data_at + 0x400);
    product.y = place(0);
    for (unsigned m = 0; m < 3; ++m) {
        product.matrix[m] = isa::dense_descriptor(seed_data_at + 0x800, type, {product.x.size[m], product.x.size[m]});
    }
    add(product);
    for (const auto& operation : isa::pointwise_operation_values) {
        pointwise_command change;
        change.flags = pointwise_command::flag_keep_tensor | pointwise_command::flag_hold_result;
        change.operation = static_cast<isa::pointwise_operation>(operation.value);
        change.x = change.y = place(0);
        if (change.has_operand()) {
            change.operand = place(seed_data_at + 0xc00);
            change.flags |= pointwise_command::flag_hold_operand;
        }
        if (change.has_value()) { change.value[0] = 3; }
        program.add(triada::opcode::pointwise, change.flags, ++token, change.encode());
    }
    product.flags = gemt_command::flag_esop | gemt_command::flag_keep_tensor | gemt_command::flag_hold_result |
                    gemt_command::flag_keep_matrices;
    product.x = place(0);
    product.matrix = {};
    product.workspace = {};
    add(product);
    product.flags = gemt_command::flag_take_next | gemt_command::flag_store_previous | gemt_command::flag_keep_matrices;
    product.y = place(seed_data_at + 0x1000);
    product.initial_y = place(seed_data_at + 0x1400);
    add(product);
    seeds.offer(variant, program.bytes());
}

/// A TriADA of each format.
class fuzzed_triada final : public fuzzed_device {
public:
    fuzzed_triada() : fuzzed_device(triada::description) {}

    std::vector<std::string> variants() const override
    {
        std::vector<std::string> names;
        for (const auto format : triada_formats) { names.emplace_back(base::element_type_name(format)); }
        return names;
    }
    std::unique_ptr<program_check> make_check(const std::string& variant) const override
    {
        const auto config = mesh_config({3, 4, 2}, *base::parse_element_type(variant));
        memory_check_rules rules;
        rules.runs = runs_on_mesh;
        rules.works_long = works_long_on_mesh;
        rules.is_refused = [config](const isa::program_command& c) {
            if (is_pointwise(c)) { return check(pointwise_of(c), config.mesh, config.format).has_value(); }
            const triada::gemt_limits limits{config.mesh, config.format, config.matrix_elements, config.cell_registers};
            return is_gemt(c) && check(gemt_of(c), limits).has_value();
        };
        rules.reference = [config](const program_bytes& program, const program_bytes& found, program_bytes& memory) {
            return run_gemts(config, program, triada_bench::data_at, found, memory);
        };
        return std::make_unique<memory_check<triada_bench>>("triada_" + variant, config, std::move(rules));
    }
    void offer_seeds(seed_sink& seeds) const override
    {
        for (const auto& v : variants()) {
            offer_products(seeds, v);
            if (v == variants().front()) { offer_chain(seeds, v); }
        }
    }
};

const fuzzed_triada registered_triada;

} // namespace
} // namespace tensorloom::test
