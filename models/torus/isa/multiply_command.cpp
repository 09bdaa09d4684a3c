#include <tensorloom/models/torus/isa/multiply_command.h>
#include <tensorloom/models/isa/program/tensor_checks.h>

namespace tensorloom::torus {
namespace {

// In the order of multiply_fields.
constexpr auto each_member = [](auto& c, auto fields) {
    fields(c.cls, c.form, c.vector_bits, c.reserved, c.blocks, c.completion_address, c.reserved_1, c.operand);
};

// Rows and columns of the part of a matrix used in a product.
struct product_shape {
    std::uint32_t rows = 0, columns = 0, terms = 0;
};

// Of blocks, of whole matrices: of anything with i, j, k.
product_shape product_of(matrix_form form, const matrix_blocks& sizes)
{
    switch (form) {
    case matrix_form::a_cb: return {sizes.i, sizes.k, sizes.j};
    case matrix_form::b_ac: return {sizes.k, sizes.j, sizes.i};
    case matrix_form::c_ab: break;
    }
    return {sizes.i, sizes.j, sizes.k};
}

// I, J, K, as A and B have them.
matrix_blocks sizes_of(const multiply_command& c)
{
    return {c.of(matrix::a).size[0], c.of(matrix::b).size[1], c.of(matrix::a).size[1]};
}

const char* name_of(matrix which) { return matrix_values[static_cast<unsigned>(which)].name; }

std::string quoted(const char* field, unsigned value, unsigned most)
{
    return std::string(field) + " " + std::to_string(value) + " is not 0 to " + std::to_string(most);
}

std::optional<isa::check_error> check_fields(const multiply_command& c, base::element_type format)
{
    if ((c.flags & ~multiply_command::known_flags) != 0) {
        return isa::check_error{isa::error_code::bad_command, "unknown flags"};
    }
    if (c.reserved != 0 || c.reserved_1 != 0) { return isa::bad_field("reserved byte is not 0"); }
    const auto cls = static_cast<unsigned>(c.cls), form = static_cast<unsigned>(c.form);
    constexpr unsigned last_class = static_cast<unsigned>(matrix_class::asc);
    constexpr unsigned last_form = static_cast<unsigned>(matrix_form::b_ac);
    constexpr unsigned last_vector = 7;
    if (cls > last_class) { return isa::bad_field(quoted("class", cls, last_class)); }
    if (form > last_form) { return isa::bad_field(quoted("form", form, last_form)); }
    if (c.vector_bits > last_vector) { return isa::bad_field(quoted("vector", c.vector_bits, last_vector)); }
    const std::string name = matrix_class_values[cls].name;
    if (!has_form(c.cls, c.form)) {
        return isa::bad_field("form " + std::string(matrix_form_values[form].name) + " of class " + name +
                              ", which has only form 17a");
    }
    if (c.vector_bits != 0 && c.cls != matrix_class::cra) {
        return isa::bad_field("vector " + text_of(c.vector()) + " of class " + name + ", which has none");
    }
    const bool systolic = c.cls == matrix_class::asc;
    if (base::is_integer(format)) {
        return isa::check_error{isa::error_code::unsupported_format,
                                "a product of matrices of format " + std::string(base::element_type_name(format))};
    }
    if (systolic && !has_systolic_array(format)) {
        return isa::check_error{isa::error_code::unsupported_format, "class asc of format " +
                                                                         std::string(base::element_type_name(format)) +
                                                                         ", which systolic arrays do not have"};
    }
    return std::nullopt;
}

std::optional<isa::check_error> check_blocks(const multiply_command& c, const multiply_limits& device)
{
    const bool systolic = c.cls == matrix_class::asc;
    const std::array<std::uint32_t, 3> most{device.block.i, device.block.j, device.block.k};
    static constexpr const char* names[] = {"i", "j", "k"};
    for (unsigned n = 0; n < 3; ++n) {
        const std::uint32_t largest = systolic ? 1 : most[n];
        if (c.blocks[n] >= 1 && c.blocks[n] <= largest) { continue; }
        const std::string text = "block of " + std::to_string(c.blocks[n]) + " elements along " + names[n];
        if (c.blocks[n] == 0 || systolic) { return isa::bad_field(text + ", not " + (systolic ? "1" : "1 or more")); }
        return isa::check_error{isa::error_code::too_large, text + ", at most " + std::to_string(largest)};
    }
    return std::nullopt;
}

// The accumulating matrix has elements or sums, the others elements.
std::optional<isa::check_error> check_operands(const multiply_command& c, base::element_type format)
{
    const auto accumulator = program_of(c.schedule(1)).accumulator;
    for (const auto which : {matrix::a, matrix::b, matrix::c}) {
        const auto& d = c.of(which);
        if (auto r = isa::check_present(name_of(which), d, 2)) { return r; }
        if (auto r = which == accumulator ? isa::check_result_type(name_of(which), d, format)
                                          : isa::check_type(name_of(which), d, format)) {
            return r;
        }
    }
    for (const auto which : {matrix::b, matrix::c}) {
        const auto& d = c.of(which);
        const auto size = shape_of(which, sizes_of(c));
        if (auto r =
                isa::check_tensor(name_of(which), d, {size[0], size[1]}, static_cast<base::element_type>(d.type))) {
            return r;
        }
    }
    return std::nullopt;
}

// Logs count steps with 32 bits.
std::optional<isa::check_error> check_steps(const multiply_command& c, const multiply_limits& device)
{
    const std::uint64_t passes = stage_of(c, device.side).passes();
    constexpr std::uint64_t most = UINT32_MAX;
    if (passes <= most / device.side) { return std::nullopt; }
    return isa::check_error{isa::error_code::too_large, std::to_string(passes) + " passes of " +
                                                            std::to_string(device.side) + " steps, at most " +
                                                            std::to_string(most) + " steps"};
}

} // namespace

scheduling_vector multiply_command::vector() const
{
    scheduling_vector signs;
    for (unsigned n = 0; n < signs.sign.size(); ++n) { signs.sign[n] = (vector_bits >> n & 1) != 0 ? -1 : 1; }
    return signs;
}

void multiply_command::set_vector(const scheduling_vector& signs)
{
    vector_bits = 0;
    for (unsigned n = 0; n < signs.sign.size(); ++n) { vector_bits |= signs.sign[n] < 0 ? 1u << n : 0; }
}

std::vector<std::uint8_t> multiply_command::encode() const { return base::encoded(*this, each_member); }

multiply_command multiply_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    multiply_command c = base::decoded<multiply_command>(payload, each_member);
    c.flags = flags;
    return c;
}

isa::tiled_stage stage_of(const multiply_command& c, std::uint32_t side)
{
    const auto all = product_of(c.form, sizes_of(c)), block = product_of(c.form, c.block_sizes());
    constexpr unsigned summed = 2;
    const isa::mode_sizes input{all.rows, 1, all.terms}, output{all.rows, 1, all.columns};
    const isa::mode_sizes input_tile{side * block.rows, 1, side * block.terms};
    const isa::mode_sizes output_tile{side * block.rows, 1, side * block.columns};
    return isa::plan_tiles(input, output, {summed}, input_tile, output_tile).stages.front();
}

isa::tensor_descriptor part_of(const multiply_command& c, matrix which, const isa::tile_pass& pass)
{
    const auto program = program_of(c.schedule(1));
    constexpr unsigned rows = 0, last = 2;
    const auto part = [&](const isa::tensor_block& row_block, unsigned row, const isa::tensor_block& column_block,
                          unsigned column, bool transposed) {
        isa::tensor_block of{{row_block.first[row], column_block.first[column], 0},
                             {row_block.size[row], column_block.size[column], 0}};
        if (transposed) {
            std::swap(of.first[0], of.first[1]);
            std::swap(of.size[0], of.size[1]);
        }
        return isa::block_descriptor(c.of(which), of);
    };
    if (which == program.left) { return part(pass.operand, rows, pass.operand, last, program.left_transposed); }
    if (which == program.right) { return part(pass.operand, last, pass.result, last, program.right_transposed); }
    return part(pass.result, rows, pass.result, last, false);
}

std::optional<isa::check_error> check(const multiply_command& c, const multiply_limits& device)
{
    if (auto r = check_fields(c, device.format)) { return r; }
    if (auto r = check_blocks(c, device)) { return r; }
    if (auto r = check_operands(c, device.format)) { return r; }
    if (auto r = check_steps(c, device)) { return r; }
    return c.completion() ? isa::check_completion(c.completion_address) : std::nullopt;
}

} // namespace tensorloom::torus
