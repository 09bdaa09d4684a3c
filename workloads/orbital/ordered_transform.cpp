#include <tensorloom/workloads/orbital/ordered_transform.h>
#include <complex>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::workloads {
namespace {

using torus::direction;

template <class T> T conjugate(const T& x) { return x; }
template <class R> std::complex<R> conjugate(const std::complex<R>& x) { return std::conj(x); }

// What a stage sums over: of a result at (i, j, k) of the roles 1, 2, 3 the block that comes in step t.
struct stage_order {
    unsigned role = 0;         // of the summed mode, 0 to 2
    std::array<int, 3> sign{}; // of the blocks of i, j, k
    int step = 1;              // of t
    int all = 1;               // of the sum of these
};

// The table of the specification, with q, r, s the signs of the vector.
stage_order order_of(direction way, unsigned stage, const std::array<int, 3>& vector)
{
    const int q = vector[0], r = vector[1], s = vector[2];
    if (way == direction::forward) {
        if (stage == 0) { return {2, {-q, -r, 1}, 1, s}; } // n3 = s (k3 + t - q n1 - r n2)
        if (stage == 1) { return {0, {-s, -r, 1}, 1, q}; } // n1 = q (k3 + t - r n2 - s k1)
        return {1, {-s, -q, 1}, 1, r};                     // n2 = r (k3 + t - q k2 - s k1)
    }
    if (stage == 0) { return {1, {-s, -r, 1}, -1, q}; } // k2 = q (k3 - t - r n2 - s k1)
    if (stage == 1) { return {0, {-q, -r, 1}, -1, s}; } // k1 = s (k3 - t - q n1 - r n2)
    return {2, {q, r, s}, 1, 1};                        // k3 = q n1 + r n2 + s n3 + t
}

std::uint32_t blocks_of(std::uint32_t elements, std::uint32_t side) { return (elements + side - 1) / side; }

// A tensor whose modes are in roles 1, 2, 3, padded to whole blocks.
template <class T> struct padded_tensor {
    std::array<std::uint32_t, 3> size{};
    std::vector<T> data;

    explicit padded_tensor(const std::array<std::uint32_t, 3>& sizes)
        : size(sizes), data(std::size_t{sizes[0]} * sizes[1] * sizes[2])
    {}
    T& at(const std::array<std::uint32_t, 3>& i) { return data[(std::size_t{i[0]} * size[1] + i[1]) * size[2] + i[2]]; }
};

template <class F> void for_each_index(const std::array<std::uint32_t, 3>& size, F f)
{
    std::array<std::uint32_t, 3> i{};
    for (i[0] = 0; i[0] < size[0]; ++i[0]) {
        for (i[1] = 0; i[1] < size[1]; ++i[1]) {
            for (i[2] = 0; i[2] < size[2]; ++i[2]) { f(i); }
        }
    }
}

} // namespace

template <class T> tensor<T> ordered_transform(const orbital_problem<T>& p)
{
    const std::uint32_t side = p.side;
    const bool back = p.way == direction::inverse;
    // Mode of the problem in each role: the first summed is role 3, then 1, then 2.
    const std::array<unsigned, 3> mode{p.order[1] - 1, p.order[2] - 1, p.order[0] - 1};
    const auto in_roles = [&](const auto& by_mode) {
        std::array<std::uint32_t, 3> by_role{};
        for (unsigned role = 0; role < 3; ++role) { by_role[role] = static_cast<std::uint32_t>(by_mode[mode[role]]); }
        return by_role;
    };
    const auto from = in_roles(p.input->shape), to = in_roles(p.sizes);
    std::array<std::uint32_t, 3> padded_from{}, padded_to{};
    for (unsigned role = 0; role < 3; ++role) {
        padded_from[role] = blocks_of(from[role], side) * side;
        padded_to[role] = blocks_of(to[role], side) * side;
    }
    const auto by_mode = [&](const std::array<std::uint32_t, 3>& i, const auto& shape) {
        std::array<std::size_t, 3> at{};
        for (unsigned role = 0; role < 3; ++role) { at[mode[role]] = i[role]; }
        return (at[0] * shape[1] + at[1]) * shape[2] + at[2];
    };
    padded_tensor<T> operand(padded_from);
    for_each_index(from, [&](const auto& i) { operand.at(i) = p.input->data[by_mode(i, p.input->shape)]; });
    unsigned last = 0; // of the stages that run
    for (unsigned stage = 0; stage < 3; ++stage) {
        if (p.matrices[mode[order_of(p.way, stage, p.vector.sign).role]] != nullptr) { last = stage; }
    }
    for (unsigned stage = 0; stage < 3; ++stage) {
        const auto order = order_of(p.way, stage, p.vector.sign);
        const unsigned role = order.role;
        if (p.matrices[mode[role]] == nullptr) { continue; }
        auto size = operand.size;
        size[role] = padded_to[role];
        std::array<std::uint32_t, 3> block{};
        for (unsigned r = 0; r < 3; ++r) { block[r] = size[r] / side; }
        const std::uint32_t depth = operand.size[role] / side, terms = from[role], results = to[role];
        const auto& matrix = *p.matrices[mode[role]];
        const auto coefficient = [&](std::uint32_t summed, std::uint32_t made) -> T {
            if (summed >= terms || made >= results) { return T{}; }
            return back ? conjugate(matrix[std::size_t{made} * terms + summed])
                        : matrix[std::size_t{summed} * results + made];
        };
        padded_tensor<T> next(size);
        for_each_index(size, [&](const auto& i) {
            arithmetic::accumulator_of<T> sum{};
            const bool starts = stage == last && p.initial != nullptr;
            if (starts && i[0] < to[0] && i[1] < to[1] && i[2] < to[2]) {
                sum = p.initial->data[by_mode(i, p.initial->shape)];
            }
            for (std::uint32_t t = 0; t < side; ++t) {
                std::int64_t first = std::int64_t{order.step} * t;
                for (unsigned r = 0; r < 3; ++r) { first += order.sign[r] * std::int64_t{i[r] / block[r]}; }
                const std::int64_t p_side = side;
                const auto summed_block = static_cast<std::uint32_t>(((order.all * first) % p_side + p_side) % p_side);
                for (std::uint32_t j = 0; j < depth; ++j) {
                    auto at = i;
                    at[role] = summed_block * depth + j;
                    sum = arithmetic::mac(sum, operand.at(at), coefficient(at[role], i[role]));
                }
            }
            next.at(i) = arithmetic::narrowed<T>(sum, p.shifts[stage]).value;
        });
        operand = std::move(next);
    }
    tensor<T> result({p.sizes[0], p.sizes[1], p.sizes[2]});
    for_each_index(to, [&](const auto& i) { result.data[by_mode(i, result.shape)] = operand.at(i); });
    return result;
}

template tensor<double> ordered_transform(const orbital_problem<double>&);
template tensor<float> ordered_transform(const orbital_problem<float>&);
template tensor<std::complex<double>> ordered_transform(const orbital_problem<std::complex<double>>&);
template tensor<std::complex<float>> ordered_transform(const orbital_problem<std::complex<float>>&);
template tensor<arithmetic::bfloat16> ordered_transform(const orbital_problem<arithmetic::bfloat16>&);
template tensor<std::int8_t> ordered_transform(const orbital_problem<std::int8_t>&);

} // namespace tensorloom::workloads
