#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <algorithm>
#include <cmath>

namespace tensorloom::workloads {
namespace {

std::uint64_t tiles(std::uint64_t n, std::uint64_t side) { return (n + side - 1) / side; }

tensor_unit_cost times(std::uint64_t n, tensor_unit_cost cost)
{
    return {n * cost.calls, n * cost.rows, n * cost.cpu_ops};
}

tensor_unit_cost operator+(tensor_unit_cost a, const tensor_unit_cost& b) { return a += b; }

// A product of polynomials whose coefficients are squares of these sides; they and the product are copied.
tensor_unit_cost polynomial_product_cost(std::uint64_t x, std::uint64_t y, std::uint64_t side,
                                         const tensor_unit_terms& terms)
{
    const std::uint64_t product = x + y - 1, f = transform_side(product);
    return fourier_squares_cost(2, f, side, terms) + fourier_squares_cost(1, f, side, terms) +
           operations(2 * f * f + charge_of_moves(terms.charges, x * x + y * y + product * product));
}

tensor_unit_cost polynomial_power_cost(std::uint64_t exponent, std::uint64_t side, const tensor_unit_terms& terms)
{
    if (exponent == 1) { return {}; }
    const std::uint64_t even = exponent - exponent % 2;
    auto cost = polynomial_power_cost(exponent / 2, side, terms);
    cost += polynomial_product_cost(even + 1, even + 1, side, terms);
    if (even != exponent) { cost += polynomial_product_cost(2 * even + 1, 3, side, terms); }
    return cost;
}

// A division of Karatsuba's recursion: operations on limbs; two products of halves are copied, and, of an odd number of
// limbs, the upper halves.
tensor_unit_cost division_cost(std::uint64_t limbs, charge_table charges)
{
    const std::uint64_t half = (limbs + 1) / 2, upper = limbs % 2 != 0 ? limbs - half : 0;
    return operations(8 * limbs + charge_of_moves(charges, 4 * half + 2 * upper));
}

tensor_unit_cost distances_by(const tensor_unit_cost& product, std::uint64_t vertices)
{
    const std::uint64_t levels = distance_levels(vertices);
    return times(2 * levels, product) + operations(6 * levels * vertices * vertices);
}

} // namespace

tensor_unit_cost product_cost(const product_size& size, std::uint64_t side, call_shape shape)
{
    const std::uint64_t inner = tiles(size.inner, side), columns = tiles(size.columns, side);
    return calls_of(inner * columns, size.rows, side, shape) + operations((inner - 1) * columns * size.rows * side);
}

tensor_unit_cost recursive_cost(const product_scheme& scheme, std::uint64_t size, std::uint64_t cutoff,
                                std::uint64_t side, call_shape shape)
{
    std::uint64_t nodes = 1, cpu_ops = 0;
    while (size > std::max(cutoff, side)) {
        size /= scheme.parts;
        cpu_ops += nodes * scheme.sums() * size * size;
        nodes *= scheme.products.size();
    }
    return times(nodes, product_cost({size, size, size}, side, shape)) + operations(cpu_ops);
}

std::uint64_t best_leaf(const product_scheme& scheme, std::uint64_t size, std::uint64_t side, call_shape shape,
                        std::uint64_t latency)
{
    const auto time = [&](std::uint64_t leaf) {
        return recursive_cost(scheme, size, leaf, side, shape).time(side, latency);
    };
    std::uint64_t best = size;
    for (std::uint64_t leaf = size; leaf >= side && leaf % side == 0; leaf /= scheme.parts) {
        if (time(leaf) <= time(best)) { best = leaf; }
    }
    return best;
}

tensor_unit_cost sparse_cost(std::uint64_t size, std::uint64_t side, call_shape shape, std::uint64_t nonzeros,
                             std::uint64_t nonzeros_of_operands, std::uint64_t rounds, std::uint64_t known)
{
    const std::uint64_t k = sketch_side(nonzeros, side);
    const auto round = product_cost({2 * k, size, k}, side, shape) + times(2, product_cost({k, size, k}, side, shape)) +
                       operations(6 * nonzeros_of_operands + 6 * k * k);
    return times(rounds, round) + operations(8 * known);
}

tensor_unit_cost elimination_cost(std::uint64_t size, std::uint64_t side, call_shape shape)
{
    const std::uint64_t k = size / side, q = side, pairs = k * (k - 1) / 2;
    tensor_unit_cost cost = operations(3 * k * elimination_updates(q) + pairs * (3 * q * q * (q - 1) + 2 * q * q) +
                                       q * q * elimination_updates(k));
    for (std::uint64_t rest = 1; rest < k; ++rest) { cost += calls_of(rest, rest * q, side, shape); }
    return cost;
}

std::uint64_t back_substitution_operations(std::uint64_t unknowns) { return unknowns * (unknowns + 2); }

tensor_unit_cost solution_cost(std::uint64_t unknowns, std::uint64_t side, call_shape shape)
{
    return elimination_cost(side * tiles(unknowns + 1, side), side, shape) +
           operations(back_substitution_operations(unknowns));
}

tensor_unit_cost closure_cost(std::uint64_t vertices, std::uint64_t side, const tensor_unit_terms& terms)
{
    const std::uint64_t k = tiles(vertices, side), q = side;
    return calls_of(k * (k - 1), (k - 1) * q, side, terms.shape) +
           operations(2 * q * q * q * k * (2 * k - 1) + 2 * q * q * k * (k - 1) * (k - 1) +
                      charge_of_moves(terms.charges, q * q * k * (k - 1)));
}

tensor_unit_cost distances_cost(std::uint64_t vertices, std::uint64_t side, call_shape shape)
{
    return distances_by(product_cost({vertices, vertices, vertices}, side, shape), vertices);
}

tensor_unit_cost recursive_distances_cost(const product_scheme& scheme, std::uint64_t vertices, std::uint64_t cutoff,
                                          std::uint64_t side, call_shape shape)
{
    return distances_by(recursive_cost(scheme, vertices, cutoff, side, shape), vertices);
}

tensor_unit_cost fourier_cost(std::uint64_t batch, std::uint64_t points, std::uint64_t side,
                              const tensor_unit_terms& terms, fourier_direction direction)
{
    const std::uint64_t levels = fourier_levels(points, side), numbers = batch * points;
    const std::uint64_t divided = levels > 0 ? numbers * (levels - 1) : 0;
    const std::uint64_t moves = levels > 1 ? numbers * (levels + 1) : 0;
    return calls_of(levels, tiles(numbers, side), side, terms.shape) +
           operations(divided + charge_of_moves(terms.charges, moves, 2 * divided) +
                      (direction == fourier_direction::inverse ? numbers : 0));
}

tensor_unit_cost fourier_squares_cost(std::uint64_t batch, std::uint64_t points, std::uint64_t side,
                                      const tensor_unit_terms& terms)
{
    const std::uint64_t numbers = batch * points * points;
    return times(2, fourier_cost(batch * points, points, side, terms, fourier_direction::forward) +
                        operations(charge_of_moves(terms.charges, numbers, numbers)));
}

tensor_unit_cost stencil_cost(std::uint64_t size, std::uint64_t sweeps, std::uint64_t side,
                              const tensor_unit_terms& terms)
{
    const std::uint64_t blocks = (size / sweeps) * (size / sweeps), p = transform_side(3 * sweeps);
    const std::uint64_t kernel = (2 * sweeps + 1) * (2 * sweeps + 1);
    return polynomial_power_cost(sweeps, side, terms) + fourier_squares_cost(1, p, side, terms) +
           times(2, fourier_squares_cost(blocks, p, side, terms)) +
           operations(2 * blocks * p * p + charge_of_moves(terms.charges, kernel + 10 * size * size));
}

tensor_unit_cost long_product_cost(std::uint64_t limbs, std::uint64_t side, const tensor_unit_terms& terms)
{
    const std::uint64_t columns = tiles(limbs, side), rows = limbs + side - 1;
    return calls_of(tiles(columns, side), rows, side, terms.shape) +
           operations(columns * rows + 6 * limbs + charge_of_moves(terms.charges, 2 * limbs));
}

tensor_unit_cost karatsuba_cost(std::uint64_t limbs, std::uint64_t cutoff, std::uint64_t side,
                                const tensor_unit_terms& terms)
{
    if (limbs <= cutoff) { return long_product_cost(limbs, side, terms); }
    return times(3, karatsuba_cost((limbs + 1) / 2, cutoff, side, terms)) + division_cost(limbs, terms.charges);
}

tensor_unit_cost radix_2_cost(std::uint64_t points, fourier_direction direction, charge_table charges)
{
    std::uint64_t levels = 0;
    while ((std::uint64_t{1} << levels) < points) { ++levels; }
    return operations(3 * (points / 2) * levels + charge_of_moves(charges, points) +
                      (direction == fourier_direction::inverse ? points : 0));
}

tensor_unit_cost scalar_karatsuba_cost(std::uint64_t limbs, std::uint64_t cutoff, charge_table charges)
{
    if (limbs <= cutoff) { return operations(2 * limbs * limbs + 6 * limbs); }
    return times(3, scalar_karatsuba_cost((limbs + 1) / 2, cutoff, charges)) + division_cost(limbs, charges);
}

std::uint64_t best_scalar_karatsuba_cutoff(std::uint64_t limbs, charge_table charges, std::uint64_t kappa)
{
    const auto operations_with = [&](std::uint64_t cutoff) {
        return scalar_karatsuba_cost(limbs, cutoff, charges).cpu_ops;
    };
    std::uint64_t best = limbs;
    while (best > most_limb_products(kappa)) { best = (best + 1) / 2; }
    for (std::uint64_t cutoff = best; cutoff > 1; cutoff = (cutoff + 1) / 2) {
        if (operations_with(cutoff) < operations_with(best)) { best = cutoff; }
    }
    return best;
}

tensor_unit_cost polynomial_cost(std::uint64_t coefficients, std::uint64_t points, std::uint64_t side,
                                 const tensor_unit_terms& terms)
{
    const std::uint64_t columns = tiles(coefficients, side);
    return calls_of(tiles(columns, side), points, side, terms.shape) +
           operations(points * side + 3 * points * columns + charge_of_moves(terms.charges, coefficients));
}

tensor_unit_cost plain_polynomial_cost(std::uint64_t coefficients, std::uint64_t points, std::uint64_t side,
                                       const tensor_unit_terms& terms)
{
    const std::uint64_t columns = tiles(coefficients, side);
    const std::uint64_t powers = std::min(coefficients, side) - 1 + (columns > 1 ? 1 : 0);
    return calls_of(tiles(columns, side), points, side, terms.shape) +
           operations(points * (powers + 2 * columns) + charge_of_moves(terms.charges, coefficients));
}

std::uint64_t elimination_updates(std::uint64_t n) { return n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6; }

std::uint64_t distance_levels(std::uint64_t vertices)
{
    std::uint64_t levels = 1;
    while ((std::uint64_t{1} << levels) < vertices) { ++levels; }
    return levels;
}

std::uint64_t sketch_side(std::uint64_t nonzeros, std::uint64_t side)
{
    auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(3 * nonzeros)));
    while (root * root < 3 * nonzeros) { ++root; }
    while (root > 0 && (root - 1) * (root - 1) >= 3 * nonzeros) { --root; }
    return std::max(side, side * tiles(root, side));
}

std::uint64_t transform_side(std::uint64_t n)
{
    std::uint64_t side = 1;
    while (side < n) { side *= 2; }
    return side;
}

bool is_fourier_size(std::uint64_t points, std::uint64_t side)
{
    while (points > side && points % side == 0) { points /= side; }
    return points > 0 && side % points == 0;
}

std::uint64_t fourier_levels(std::uint64_t points, std::uint64_t side)
{
    std::uint64_t levels = 0;
    for (std::uint64_t reached = 1; reached < points; reached *= side) { ++levels; }
    return levels;
}

} // namespace tensorloom::workloads
