#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

} // namespace

std::size_t activation_operations::forward(step_builder& to, std::size_t y, std::uint64_t length)
{
    m_y = y;
    m_length = length;
    const auto of = [&](opcode code, const char* called) {
        return to.made_of(code, called + m_of, {tensor_part{y}, {}, {}}, length);
    };
    switch (m_kind) {
    case activation_kind::none: m_z = y; break;
    case activation_kind::relu: m_z = of(opcode::relu, "relu"); break;
    case activation_kind::sigmoid: m_z = of(opcode::sigmoid, "sigmoid"); break;
    case activation_kind::tanh: m_z = of(opcode::tanh, "tanh"); break;
    case activation_kind::gelu: m_z = gelu(to); break;
    }
    return m_z;
}

// x (1 + tanh(scale (x + cube x^3))) / 2
std::size_t activation_operations::gelu(step_builder& to)
{
    const tensor_part x{m_y};
    const auto inner = to.made_of(opcode::mul, "square" + m_of, {x, x, {}}, m_length);
    to.vector(opcode::mul, {inner}, {tensor_part{inner}, x, {}}, m_length, "cube" + m_of);
    to.vector(opcode::mul_add, {inner}, {x, tensor_part{inner}, to.literal(gelu_cube)}, m_length,
              "x and its cube" + m_of);
    to.by_word(opcode::mul, {inner}, {inner}, to.literal(gelu_scale), m_length, "scaled" + m_of);
    m_bend = to.made_of(opcode::tanh, "tanh" + m_of, {tensor_part{inner}, {}, {}}, m_length);
    const auto z = to.words("gelu" + m_of, m_length);
    to.by_word(opcode::add, {z}, {m_bend}, to.literal(1), m_length, "1 and tanh" + m_of);
    to.vector(opcode::mul, {z}, {tensor_part{z}, x, {}}, m_length, "times x" + m_of);
    to.by_word(opcode::mul, {z}, {z}, to.literal(0.5f), m_length, "gelu" + m_of);
    return z;
}

// With h the tanh of before: dz (1 + h - (h^2 - 1) scale (1 + 3 cube x^2) x) / 2
std::size_t activation_operations::gradient_of_gelu(step_builder& to, std::size_t dz) const
{
    const tensor_part x{m_y}, h{m_bend};
    const auto by_word = [&](opcode code, std::size_t z, float word, const char* what) {
        to.by_word(code, {z}, {z}, to.literal(word), m_length, what + m_of);
    };
    const auto slope = to.made_of(opcode::mul, "square" + m_of, {x, x, {}}, m_length);
    by_word(opcode::mul, slope, gelu_cube_slope, "slope of the cube");
    by_word(opcode::add, slope, 1, "slope of x and its cube");
    by_word(opcode::mul, slope, gelu_scale, "slope inside of tanh");
    const auto rest = to.made_of(opcode::mul, "square of tanh" + m_of, {h, h, {}}, m_length);
    by_word(opcode::sub, rest, 1, "slope of tanh, negative");
    to.vector(opcode::mul, {rest}, {tensor_part{rest}, tensor_part{slope}, {}}, m_length, "times that inside" + m_of);
    to.vector(opcode::mul, {rest}, {tensor_part{rest}, x, {}}, m_length, "times x" + m_of);
    const auto z = to.words("slope of gelu" + m_of, m_length);
    to.by_word(opcode::add, {z}, h, to.literal(1), m_length, "1 and tanh" + m_of);
    to.vector(opcode::sub, {z}, {tensor_part{z}, tensor_part{rest}, {}}, m_length, "both parts" + m_of);
    by_word(opcode::mul, z, 0.5f, "slope of gelu");
    to.vector(opcode::mul, {z}, {tensor_part{dz}, tensor_part{z}, {}}, m_length, "gradient of gelu" + m_of);
    return z;
}

std::size_t activation_operations::backward(step_builder& to, std::size_t dz) const
{
    const tensor_part z{m_z}, d{dz};
    switch (m_kind) {
    case activation_kind::none: return dz;
    case activation_kind::gelu: return gradient_of_gelu(to, dz);
    case activation_kind::relu:
        return to.made_of(opcode::relu_gradient, "gradient of relu" + m_of, {d, tensor_part{m_y}, {}}, m_length);
    case activation_kind::sigmoid: { // dz (z - z z)
        const auto square = to.made_of(opcode::mul, "square of sigmoid" + m_of, {z, z, {}}, m_length);
        to.vector(opcode::sub, {square}, {z, tensor_part{square}, {}}, m_length, "slope of sigmoid" + m_of);
        return to.made_of(opcode::mul, "gradient of sigmoid" + m_of, {d, tensor_part{square}, {}}, m_length);
    }
    case activation_kind::tanh: { // dz - dz z z
        const auto product = to.made_of(opcode::mul, "dZ times tanh" + m_of, {d, z, {}}, m_length);
        to.vector(opcode::mul, {product}, {tensor_part{product}, z, {}}, m_length, "dZ times its square" + m_of);
        return to.made_of(opcode::sub, "gradient of tanh" + m_of, {d, tensor_part{product}, {}}, m_length);
    }
    }
    return dz;
}

} // namespace tensorloom::workloads
