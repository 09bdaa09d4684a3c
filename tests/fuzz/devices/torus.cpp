#include <algorithm>
#include <array>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/models/torus/isa/multiply_command.h>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include "fuzz/memory_check.h"
#include "fuzz/orbit_reference.h"
#include "models/torus/orbit_bench.h"

namespace tensorloom::testbench {

// Compiled here, so that the target does not link the testbenches' platform.
template testbed_device<torus::device_base> make_device<torus::traits>(const char*, const torus::config&, unsigned,
                                                                       bus::activity_sink*);

} // namespace tensorloom::testbench

namespace tensorloom::test {
namespace {

using torus::multiply_command;

/// A torus of each format; sides, blocks and overlap differ.
struct torus_variant {
    base::element_type format;
    std::uint32_t side;
    torus::shape3 block;
    torus::overlap_kind overlap;
};
constexpr torus_variant torus_variants[] = {{base::element_type::f64, 2, {2, 2, 2}, torus::overlap_kind::shared},
                                            {base::element_type::f32, 3, {1, 2, 2}, torus::overlap_kind::sliced},
                                            {base::element_type::c128, 2, {2, 1, 2}, torus::overlap_kind::none},
                                            {base::element_type::c64, 1, {3, 2, 4}, torus::overlap_kind::operand},
                                            {base::element_type::bf16, 2, {2, 3, 2}, torus::overlap_kind::sliced}};

torus::config config_of(const std::string& variant)
{
    torus::config config;
    for (const auto& v : torus_variants) {
        if (variant != base::element_type_name(v.format)) { continue; }
        config.side = v.side;
        config.block = v.block;
        config.format = v.format;
        config.overlap = v.overlap;
    }
    config.coefficient_elements = 300; // so that some matrices are too large
    return config;
}

torus::multiply_limits multiply_limits_of(const torus::config& c)
{
    return {c.side, {c.block[0], c.block[2], c.block[2]}, c.format};
}

// ---- how a command is judged ----

bool is_orbit(const isa::program_command& c)
{
    return is_command(c, torus::opcode::orbit, orbit_command::payload_bytes);
}
bool is_pointwise_on_torus(const isa::program_command& c)
{
    return is_command(c, torus::opcode::pointwise, isa::pointwise_command::payload_bytes);
}
bool is_multiply(const isa::program_command& c)
{
    return is_command(c, torus::opcode::multiply, multiply_command::payload_bytes);
}
orbit_command orbit_of(const isa::program_command& c) { return orbit_command::decode(c.header.flags, c.payload); }
isa::pointwise_command pointwise_on_torus(const isa::program_command& c)
{
    return isa::pointwise_command::decode(c.header.flags, c.payload);
}
multiply_command multiply_of(const isa::program_command& c)
{
    return multiply_command::decode(c.header.flags, c.payload);
}

std::uint64_t runs_of(const isa::program_command& c)
{
    std::uint64_t runs = 0;
    const auto add = [&](const isa::tensor_descriptor& t) { runs += at_most(runs_of_tensor(t), most_runs); };
    if (is_orbit(c)) {
        const auto o = orbit_of(c);
        for (const auto* t : {&o.x, &o.y, &o.matrix[0], &o.matrix[1], &o.matrix[2]}) { add(*t); }
    } else if (is_pointwise_on_torus(c)) {
        const auto p = pointwise_on_torus(c);
        for (const auto* t : {&p.x, &p.y, &p.operand}) { add(*t); }
    } else if (is_multiply(c)) {
        for (const auto& t : multiply_of(c).operand) { add(t); }
    }
    return runs;
}

/// The largest number of multiply-adds in a stage of a transform, or in a product.
bool works_long_on_torus(const isa::program_command& c)
{
    std::uint64_t work = 1;
    const auto times = [&](std::uint32_t n) { work = at_most(work * at_most(std::max(n, 1u), most_macs), most_macs); };
    if (is_orbit(c)) {
        const auto o = orbit_of(c);
        const unsigned x = o.x.order == 4 ? 1 : 0, y = o.y.order == 4 ? 1 : 0;
        for (unsigned m = 0; m < 3; ++m) { times(std::max(o.x.size[m + x], o.y.size[m + y])); }
        if (x == 1) { times(o.x.size[0]); }
    } else if (is_multiply(c)) {
        const auto m = multiply_of(c);
        times(m.of(torus::matrix::a).size[0]);
        times(m.of(torus::matrix::a).size[1]);
        times(m.of(torus::matrix::b).size[1]);
    }
    return work > 2048;
}

bool is_refused(const torus::config& device, const isa::program_command& c)
{
    if (is_orbit(c)) {
        return check(orbit_of(c), {device.side, device.block, device.format, device.coefficient_elements}).has_value();
    }
    if (is_pointwise_on_torus(c)) {
        return isa::check(pointwise_on_torus(c), torus::filled({device.block, device.block}, device.side).in_size,
                          device.format)
            .has_value();
    }
    return is_multiply(c) && check(multiply_of(c), multiply_limits_of(device)).has_value();
}

// ---- seeds ----

/// Makes the commands of the seeds for one variant.
class torus_commands {
public:
    explicit torus_commands(const torus::config& device) : m_device(device) {}

    /// A transform N to K or back, in blocks of ceil(size / P) elements if the device has such blocks, with a workspace
    /// if it needs one.
    orbit_command orbit(const torus::shape3& n, const torus::shape3& k, direction way, unsigned number,
                        std::uint32_t transforms = 1)
    {
        static constexpr std::array<std::array<std::uint8_t, 3>, 6> orders{
            {{3, 1, 2}, {3, 2, 1}, {1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}}};
        m_next = seed_data_at + 0x400;
        orbit_command o;
        o.order = orders[number % 6];
        o.way = way;
        for (unsigned a = 0; a < 3; ++a) { o.vector.sign[a] = (number >> a & 1) != 0 ? -1 : 1; }
        for (unsigned m = 0; m < 3; ++m) {
            o.blocks.in_block[m] = block_of(n[m], m);
            o.blocks.out_block[m] = block_of(k[m], m);
            o.matrix[m] = place(m_device.format, {n[m], k[m]});
        }
        const auto& from = way == direction::forward ? n : k;
        const auto& to = way == direction::forward ? k : n;
        o.x = tensors(m_device.format, from, transforms);
        const auto sums = base::accumulator_type(m_device.format);
        o.y = tensors(number % 2 == 0 ? m_device.format : sums, to, transforms);
        const auto elements = plan_orbit(o, {n, k}, m_device.side).workspace_elements();
        if (elements > 0) { o.workspace = place(m_device.format, {static_cast<std::uint32_t>(elements)}); }
        o.completion_address = seed_data_at + 0x200;
        return o;
    }

    /// Another transform with the matrices that lie on the torus, and with the tensor, too, when it is kept.
    static orbit_command again(orbit_command o, bool keeps_tensor)
    {
        o.flags |= orbit_command::flag_keep_matrices;
        o.matrix = {};
        if (keeps_tensor) {
            o.flags |= orbit_command::flag_keep_tensor;
            o.x = {};
        }
        return o;
    }
    /// Leaves out the last modes of a transform that changes no size.
    static orbit_command without(orbit_command o, std::uint8_t modes)
    {
        o.left_out = modes;
        for (unsigned m = 0; m < 3; ++m) {
            if (!o.sums(m)) { o.matrix[m] = {}; }
        }
        return o;
    }
    /// Adds to the sums that Y contains.
    orbit_command affine(orbit_command o)
    {
        o.flags |= orbit_command::flag_accumulate;
        const std::vector<std::uint32_t> sizes(o.y.size.begin(), o.y.size.begin() + o.y.order);
        o.y = place(base::accumulator_type(m_device.format), sizes);
        return o;
    }
    /// The next X is loaded beside the work, to be taken by a transform that stores what this one holds.
    orbit_command loading_next(orbit_command o, const torus::shape3& size)
    {
        o.flags |= orbit_command::flag_load_next;
        o.workspace = place(m_device.format, {size[0], size[1], size[2]});
        return o;
    }
    orbit_command taking_next(orbit_command o, const torus::shape3& held)
    {
        o = held_after(again(o, false));
        o.flags |= orbit_command::flag_take_next | orbit_command::flag_store_previous;
        o.x = {};
        o.y = place(m_device.format, {held[0], held[1], held[2]});
        return o;
    }
    /// An operation on the held tensor, which stays.
    isa::pointwise_command pointwise(const torus::shape3& size, isa::pointwise_operation operation, bool keeps)
    {
        isa::pointwise_command c;
        c.operation = operation;
        c.flags = isa::pointwise_command::flag_keep_tensor | isa::pointwise_command::flag_hold_result;
        c.x = c.y = isa::dense_descriptor(0, m_device.format, {size[0], size[1], size[2]});
        if (c.has_value()) { c.value[0] = 3; }
        if (!c.has_operand()) { return c; }
        c.operand = keeps ? c.x : place(m_device.format, {size[0], size[1], size[2]});
        c.flags |= keeps ? isa::pointwise_command::flag_keep_operand : isa::pointwise_command::flag_hold_operand;
        return c;
    }
    static orbit_command held_after(orbit_command o)
    {
        o.flags |= orbit_command::flag_hold_result;
        o.workspace = {};
        return o;
    }
    static orbit_command held(orbit_command o)
    {
        o.flags |= orbit_command::flag_hold_result;
        o.y = {};
        return o;
    }

    /// A product of I x K by K x J elements.
    multiply_command multiply(const torus::shape3& ijk, torus::matrix_class cls, torus::matrix_form form,
                              unsigned number)
    {
        m_next = seed_data_at + 0x400;
        multiply_command m;
        m.cls = cls;
        m.form = form;
        m.vector_bits = cls == torus::matrix_class::cra ? static_cast<std::uint8_t>(number % 8) : 0;
        const bool systolic = cls == torus::matrix_class::asc;
        const auto most = multiply_limits_of(m_device).block;
        m.blocks = {std::min(2u, most.i), std::min(1 + number % 2, most.j), std::min(2u, most.k)};
        if (systolic) { m.blocks = {1, 1, 1}; }
        const auto accumulator = program_of(m.schedule(m_device.side)).accumulator;
        for (const auto which : {torus::matrix::a, torus::matrix::b, torus::matrix::c}) {
            const auto size = shape_of(which, {ijk[0], ijk[1], ijk[2]});
            const bool sums = which == accumulator && number % 2 != 0;
            const auto type = sums ? base::accumulator_type(m_device.format) : m_device.format;
            m.of(which) = place(type, {size[0], size[1]});
        }
        m.completion_address = seed_data_at + 0x200;
        return m;
    }

private:
    std::uint32_t block_of(std::uint32_t size, unsigned mode) const
    {
        return std::min((size + m_device.side - 1) / m_device.side, m_device.block[mode]);
    }
    isa::tensor_descriptor place(base::element_type type, const std::vector<std::uint32_t>& size)
    {
        const auto descriptor = isa::dense_descriptor(m_next, type, size);
        m_next += (descriptor.elements() * base::element_bytes(type) + 15) / 16 * 16;
        return descriptor;
    }
    isa::tensor_descriptor tensors(base::element_type type, const torus::shape3& size, std::uint32_t count)
    {
        if (count == 1) { return place(type, {size[0], size[1], size[2]}); }
        return place(type, {count, size[0], size[1], size[2]});
    }

    const torus::config& m_device;
    std::uint64_t m_next = 0;
};

bool is_first_torus(const std::string& variant) { return variant == base::element_type_name(torus_variants[0].format); }

/// Combinations of two flags: all four for the first variant, none and both for the others.
std::vector<std::uint16_t> flags_of(const std::string& variant, std::uint16_t one, std::uint16_t other)
{
    const auto both = static_cast<std::uint16_t>(one | other);
    if (!is_first_torus(variant)) { return {0, both}; }
    return {0, one, other, both};
}

/// Both ways; transforms that fit, in a stream and in tiles; kept matrices and tensors.
void offer_orbits(seed_sink& seeds, const std::string& variant, const torus::config& device)
{
    torus_commands commands(device);
    const torus::shape3 small{2, 2, 2}, ragged{3, 2, 3}, large{7, 5, 9}, larger{5, 8, 6};
    unsigned number = 0;
    for (const auto way : {direction::forward, direction::inverse}) {
        const auto other = way == direction::forward ? direction::inverse : direction::forward;
        for (const std::uint16_t flags :
             flags_of(variant, orbit_command::flag_double_buffer, orbit_command::flag_completion)) {
            const auto offer = [&](std::vector<orbit_command> program) {
                for (auto& c : program) { c.flags |= flags; }
                seeds.offer(variant, torus::driver::program(program));
                ++number;
            };
            const auto one = commands.orbit(small, small, way, number);
            offer({one});
            offer({one, torus_commands::again(one, false)});
            offer({one, torus_commands::again(one, true)});
            auto back = one; // there, and back from what lies on the torus
            back.way = other;
            offer({torus_commands::held(one), torus_commands::again(back, true)});
            offer({torus_commands::held(one), torus_commands::held(torus_commands::again(one, true))});
            offer({commands.orbit(ragged, small, way, number, 3)});
            if (flags == 0 && way == direction::forward && is_first_torus(variant)) {
                offer({commands.affine(commands.orbit(ragged, small, way, number, 2))});
                auto held_affine = commands.affine(one);
                held_affine.flags |= orbit_command::flag_hold_result;
                offer({held_affine});
                offer({commands.affine(commands.orbit(large, larger, way, number))});
            }
            for (const std::uint8_t left_out : {1, 2}) {
                const auto fewer = torus_commands::without(commands.orbit(small, small, way, number), left_out);
                auto fewer_back = fewer;
                fewer_back.way = other;
                offer({fewer, torus_commands::again(fewer, false)});
                offer({torus_commands::held(fewer), torus_commands::again(fewer_back, true)});
                offer({torus_commands::without(commands.orbit(large, large, way, number), left_out)});
            }
            const auto tiled = commands.orbit(large, larger, way, number);
            offer({tiled});
            offer({tiled, torus_commands::again(tiled, false)});
            offer({commands.orbit(ragged, large, way, number, 2)});
        }
    }
}

void offer_multiplies(seed_sink& seeds, const std::string& variant, const torus::config& device)
{
    torus_commands commands(device);
    const torus::shape3 small{2, 3, 2}, large{7, 5, 6};
    unsigned number = 0;
    for (unsigned cls = 0; cls < std::size(torus::matrix_class_values); ++cls) {
        for (unsigned form = 0; form < std::size(torus::matrix_form_values); ++form) {
            const auto c = static_cast<torus::matrix_class>(cls);
            const auto f = static_cast<torus::matrix_form>(form);
            if (!has_form(c, f)) { continue; }
            if (c == torus::matrix_class::asc && !torus::has_systolic_array(device.format)) { continue; }
            for (const std::uint16_t flags :
                 flags_of(variant, multiply_command::flag_accumulate, multiply_command::flag_completion)) {
                std::vector<multiply_command> program{commands.multiply(small, c, f, number),
                                                      commands.multiply(large, c, f, number + 1)};
                for (auto& m : program) { m.flags = flags; }
                seeds.offer(variant, torus::driver::program(program));
                ++number;
            }
        }
    }
}

/// A chain: operations on what a transform leaves, with tensors that move beside the work.
void offer_chain(seed_sink& seeds, const std::string& variant, const torus::config& device)
{
    torus_commands commands(device);
    const torus::shape3 small{2, 2, 2};
    const auto one = torus_commands::held(commands.orbit(small, small, direction::forward, 0));
    auto back = torus_commands::again(one, true);
    back.way = direction::inverse;
    isa::program_builder program;
    std::uint32_t token = 0;
    const auto add_orbit = [&](const orbit_command& c) {
        program.add(torus::opcode::orbit, c.flags, ++token, c.encode());
    };
    add_orbit(commands.loading_next(one, small));
    for (const auto& operation : isa::pointwise_operation_values) {
        const auto c = commands.pointwise(small, static_cast<isa::pointwise_operation>(operation.value), false);
        program.add(torus::opcode::pointwise, c.flags, ++token, c.encode());
    }
    add_orbit(back);
    add_orbit(commands.taking_next(one, small));
    const auto again = commands.pointwise(small, isa::pointwise_operation::multiply, true);
    program.add(torus::opcode::pointwise, again.flags, ++token, again.encode());
    seeds.offer(variant, program.bytes());
}

/// Commands that the device refuses, and programs that end with an error.
void add_malformed(seed_sink& seeds, const std::string& variant, const torus::config& device)
{
    torus_commands commands(device);
    const torus::shape3 small{2, 2, 2}, large{5, 4, 6};
    const auto fine = commands.orbit(small, small, direction::forward, 0);
    const auto tiled = commands.orbit(large, large, direction::forward, 0);
    const auto add = [&](const char* name, const std::vector<orbit_command>& program) {
        seeds.add(variant, std::string("orbit_") + name, torus::driver::program(program));
    };
    const auto changed = [](auto command, const auto& change) {
        change(command);
        return command;
    };
    using orbit = orbit_command;
    add("order_twice", {changed(fine, [](orbit& c) { c.order = {1, 2, 1}; })});
    add("way_2", {changed(fine, [](orbit& c) { c.way = static_cast<direction>(2); })});
    add("no_vector", {changed(fine, [](orbit& c) { c.vector.sign[1] = 0; })});
    add("left_out_3", {changed(fine, [](orbit& c) { c.left_out = 3; })});
    add("matrix_left_out", {changed(fine, [](orbit& c) { c.left_out = 1; })});
    add("reserved", {changed(fine, [](orbit& c) { c.reserved[1] = 1; })});
    add("unknown_flag", {changed(fine, [](orbit& c) { c.flags = 1u << 9; })});
    add("block_0", {changed(fine, [](orbit& c) { c.blocks.in_block[1] = 0; })});
    add("block_too_large", {changed(fine, [](orbit& c) { c.blocks.out_block[2] = 1000; })});
    add("other_type", {changed(fine, [](orbit& c) { c.x.type = 0x7f; })});
    add("other_size", {changed(fine, [](orbit& c) { c.y.size[1] = 3; })});
    add("other_count", {changed(commands.orbit(small, small, direction::forward, 0, 2), [](orbit& c) {
            c.y = isa::dense_descriptor(c.y.base, static_cast<base::element_type>(c.y.type), {3, 2, 2, 2});
        })});
    add("no_matrix", {changed(fine, [](orbit& c) { c.matrix[1] = {}; })});
    add("no_workspace", {changed(tiled, [](orbit& c) { c.workspace = {}; })});
    add("held_too_large", {torus_commands::held(tiled)});
    add("many_coefficients", {commands.orbit({40, 40, 40}, {40, 40, 40}, direction::inverse, 0)});
    add("nothing_kept", {torus_commands::again(fine, true)});
    add("kept_in_other_blocks",
        {fine, torus_commands::again(changed(fine, [](orbit& c) { c.vector.sign[0] = -1; }), false)});
    add("outside_of_memory", {changed(fine, [](orbit& c) { c.x.base = 0x4000'0000'0000; })});

    const auto product = commands.multiply(small, torus::matrix_class::cra, torus::matrix_form::b_ac, 0);
    const auto add_product = [&](const char* name, const multiply_command& command) {
        seeds.add(variant, std::string("multiply_") + name, torus::driver::program(std::vector{command}));
    };
    using multiply = multiply_command;
    add_product("class_9", changed(product, [](multiply& c) { c.cls = static_cast<torus::matrix_class>(9); }));
    add_product("form_3", changed(product, [](multiply& c) { c.form = static_cast<torus::matrix_form>(3); }));
    add_product("form_of_cra", changed(product, [](multiply& c) { c.cls = torus::matrix_class::bbc; }));
    add_product("block_0", changed(product, [](multiply& c) { c.blocks[2] = 0; }));
    add_product("reserved", changed(product, [](multiply& c) { c.reserved_1 = 1; }));
    add_product("other_size", changed(product, [](multiply& c) { c.operand[1].size[0] += 1; }));
    add_product("no_operand", changed(product, [](multiply& c) { c.operand[0] = {}; }));
    // an ORBIT finds nothing after a MULTIPLY
    isa::program_builder both;
    both.add(torus::opcode::orbit, fine.flags, 1, fine.encode());
    both.add(torus::opcode::multiply, product.flags, 2, product.encode());
    const auto kept = torus_commands::again(fine, true);
    both.add(torus::opcode::orbit, kept.flags, 3, kept.encode());
    seeds.add(variant, "orbit_after_multiply", both.bytes());
}

class fuzzed_torus final : public fuzzed_device {
public:
    fuzzed_torus() : fuzzed_device(torus::description) {}

    std::vector<std::string> variants() const override
    {
        std::vector<std::string> names;
        for (const auto& v : torus_variants) { names.emplace_back(base::element_type_name(v.format)); }
        return names;
    }
    std::unique_ptr<program_check> make_check(const std::string& variant) const override
    {
        const auto config = config_of(variant);
        memory_check_rules rules;
        rules.runs = runs_of;
        rules.works_long = works_long_on_torus;
        rules.is_refused = [config](const isa::program_command& c) { return is_refused(config, c); };
        rules.reference = [config](const program_bytes& program, const program_bytes& found, program_bytes& memory) {
            return run_orbits(config, program, orbit_bench::data_at, found, memory);
        };
        return std::make_unique<memory_check<orbit_bench>>("torus_" + variant, config, std::move(rules));
    }
    void offer_seeds(seed_sink& seeds) const override
    {
        for (const auto& v : variants()) {
            const auto config = config_of(v);
            offer_orbits(seeds, v, config);
            offer_multiplies(seeds, v, config);
            if (is_first_torus(v)) { offer_chain(seeds, v, config); }
        }
        add_malformed(seeds, variants().front(), config_of(variants().front()));
    }
    std::uint64_t kind_of(const isa::program_command& c) const override
    {
        std::uint64_t kind = c.header.flags;
        if (is_orbit(c)) {
            const auto o = orbit_of(c);
            kind |= (o.way == direction::inverse ? 1u : 0u) << 16;
            kind |= (o.x.order == 4 ? 1u : 0u) << 17;
            kind |= (o.workspace.present() ? 1u : 0u) << 18;
        } else if (is_multiply(c)) {
            const auto m = multiply_of(c);
            kind |= static_cast<std::uint64_t>(m.cls) << 16 | static_cast<std::uint64_t>(m.form) << 24;
        }
        return kind;
    }
};

const fuzzed_torus registered_torus;

} // namespace
} // namespace tensorloom::test
