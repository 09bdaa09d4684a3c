#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/fourier_transform.h>
#include <tensorloom/workloads/tensor_unit/gaussian_elimination.h>
#include <tensorloom/workloads/tensor_unit/graph_paths.h>
#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <tensorloom/workloads/tensor_unit/polynomials.h>
#include <tensorloom/workloads/tensor_unit/problems.h>
#include <tensorloom/workloads/tensor_unit/recursive_product.h>
#include <tensorloom/workloads/tensor_unit/sparse_product.h>
#include <tensorloom/workloads/tensor_unit/stencil.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using problem = tensor_unit_problem;
using option = tensor_unit_option;
using cost = std::optional<tensor_unit_cost>;

const std::vector<element_type> recursive_formats{element_type::int64, element_type::int32, element_type::f64,
                                                  element_type::f32, element_type::c128};
const std::vector<element_type> graph_formats{element_type::int64, element_type::int32, element_type::f64,
                                              element_type::f32};
const std::vector<element_type> elimination_formats{element_type::f64, element_type::f32};
const std::vector<element_type> polynomial_formats{element_type::f64, element_type::f32, element_type::int64};

tensor_unit_cost multiply_adds(const product_size& s) { return operations(2 * s.rows * s.inner * s.columns); }

std::uint64_t swept_points(const problem& p)
{
    std::uint64_t points = 0;
    for (std::uint64_t margin = 0; margin < p.sweeps; ++margin) {
        points += (p.size + 2 * margin) * (p.size + 2 * margin);
    }
    return points;
}

// Numbers of operands and result.
std::uint64_t square_and_two_rows(const problem& p) { return (p.size + 2) * p.size; }
std::uint64_t two_squares(const problem& p) { return 2 * p.size * p.size; }
std::uint64_t three_squares(const problem& p) { return 3 * p.size * p.size; }
std::uint64_t rectangles(const problem& p) { return 2 * p.size * p.inner + p.size * p.size; }
std::uint64_t two_rows(const problem& p) { return 2 * p.size; }
std::uint64_t four_rows(const problem& p) { return 4 * p.size; }
std::uint64_t grids_and_weights(const problem& p) { return 2 * p.size * p.size + 9; }
std::uint64_t coefficients_and_points(const problem& p) { return p.size + 2 * p.points; }

// The sketches of an operand and of a product; the host keeps the matrices themselves.
std::uint64_t sketches(const problem& p, std::uint64_t q)
{
    const std::uint64_t k = sketch_side(p.nonzeros, q);
    return k * p.size + k * k;
}

void require_directed_edges(const problem& p, std::uint64_t)
{
    if (p.edges > p.size * p.size) {
        base::refuse("edges of a directed graph", std::to_string(p.edges),
                     "at most " + std::to_string(p.size * p.size) + ", one from every vertex to every one");
    }
}

void require_undirected_edges(const problem& p, std::uint64_t)
{
    const std::uint64_t least = p.size - 1, most = p.size * least / 2;
    if (p.edges != 0 && (p.edges < least || p.edges > most)) {
        base::refuse("edges of a connected undirected graph", std::to_string(p.edges),
                     std::to_string(least) + " to " + std::to_string(most) + " between " + std::to_string(p.size) +
                         " vertices");
    }
}

void require_schoolbook_limbs(const problem& p, std::uint64_t) { require_limbs(p.size, p.size, p.kappa); }
void require_divided_limbs(const problem& p, std::uint64_t) { require_limbs(p.size, p.cutoff, p.kappa); }

// Where the result takes the operand's place, or operands are as sparse as they like.
std::uint64_t one_square(const problem& p, std::uint64_t) { return p.size * p.size; }

// The window on its plane and the transforms of all blocks.
std::uint64_t plane_and_blocks(const problem& p, std::uint64_t)
{
    const std::uint64_t side = p.size / p.sweeps * transform_side(3 * p.sweeps);
    return side * side + p.size * p.size;
}

tensor_unit_result product_by(const product_scheme& scheme, mmv_session& session, const problem& p,
                              const std::vector<tensor_unit_input>& in)
{
    return recursive_product(session, p.shape, scheme, in[0].values, in[1].values, p.size, p.cutoff);
}

// The result of a batch of one has the shape of its input.
tensor_unit_result as_one_row(tensor_unit_result result)
{
    result.shape.erase(result.shape.begin());
    return result;
}

// What an algorithm and its baseline share: inputs, how many numbers they and the result are, the result.
struct task {
    decltype(tensor_unit_algorithm::inputs) operands;
    decltype(tensor_unit_algorithm::numbers) numbers;
    decltype(tensor_unit_algorithm::reference) reference;
    decltype(tensor_unit_algorithm::edges) edges = nullptr;
};
constexpr task square_product{square_operands, three_squares, product_reference};
constexpr task rectangular_product{rectangular_operands, rectangles, product_reference};
constexpr task product_of_sparse{sparse_operands, three_squares, product_reference};
constexpr task elimination{equations, two_squares, elimination_reference};
constexpr task solution{equations_and_right_side, square_and_two_rows, solution_reference};
constexpr task closure{directed_edges, two_squares, closure_reference, count_directed_edges};
constexpr task all_distances{connected_edges, two_squares, distances_reference, count_undirected_edges};
constexpr task forward_transform{complex_signal, two_rows, fourier_reference};
constexpr task inverse_transform{complex_signal, two_rows, inverse_fourier_reference};
constexpr task swept_grid{grid_and_cross, grids_and_weights, stencil_reference};
constexpr task product_of_limbs{two_long_numbers, four_rows, long_product_reference};
constexpr task evaluation{polynomial_and_points, coefficients_and_points, polynomial_reference};
constexpr task plain_evaluation{plain_polynomial_and_points, coefficients_and_points, plain_polynomial_reference};

struct demands {
    decltype(tensor_unit_algorithm::require_size) size = nullptr;
    decltype(tensor_unit_algorithm::scratchpad_numbers) numbers = nullptr;
    decltype(tensor_unit_algorithm::cutoff) cutoff = nullptr;
};

// An algorithm as the table has it; a baseline has neither theorem nor baseline.
struct table_row {
    struct {
        std::string_view name, theorem, description;
        std::vector<std::string_view> baselines = {};
    } about;
    struct {
        std::vector<option> options;
        std::vector<element_type> formats;
        task what;
    } takes;
    decltype(tensor_unit_algorithm::run) run;
    decltype(tensor_unit_algorithm::cost) expected;
    demands limits = {};
};

std::vector<tensor_unit_algorithm> make_algorithms()
{
    const table_row entries[] = {
        {{"dense", "Theorem 2", "N x N product, a call with N rows per q x q of the right operand", {"dense_scalar"}},
         {{}, product_formats, square_product},
         [](auto& m, auto& p, auto& in) {
             return tensor_product(m, p.shape, in[0].values, in[1].values, square_size(p));
         },
         [](auto& p, auto q) { return cost(product_cost(square_size(p), q, p.shape)); }},
        {{"rect", "Corollary 1", "N x r times r x N", {"rect_scalar"}},
         {{option::inner}, product_formats, rectangular_product},
         [](auto& m, auto& p, auto& in) {
             return tensor_product(m, p.shape, in[0].values, in[1].values, rectangle_size(p));
         },
         [](auto& p, auto q) { return cost(product_cost(rectangle_size(p), q, p.shape)); }},
        {{"strassen", "Theorem 1", "N x N product by 7 products of halves, N = q 2^k", {"dense_scalar"}},
         {{option::cutoff}, recursive_formats, square_product},
         [](auto& m, auto& p, auto& in) { return product_by(strassen_scheme(), m, p, in); },
         [](auto& p, auto q) { return cost(recursive_cost(strassen_scheme(), p.size, p.cutoff, q, p.shape)); },
         {[](auto& p, auto q) { require_recursive_size(p.size, q, 2); }, nullptr,
          [](auto& p, auto q, auto l) { return best_leaf(strassen_scheme(), p.size, q, p.shape, l); }}},
        {{"recursive8", "Theorem 1", "N x N product by 8 products of halves, N = q 2^k", {"dense_scalar"}},
         {{option::cutoff}, recursive_formats, square_product},
         [](auto& m, auto& p, auto& in) { return product_by(eightfold_scheme(), m, p, in); },
         [](auto& p, auto q) { return cost(recursive_cost(eightfold_scheme(), p.size, p.cutoff, q, p.shape)); },
         {[](auto& p, auto q) { require_recursive_size(p.size, q, 2); }, nullptr,
          [](auto& p, auto q, auto l) { return best_leaf(eightfold_scheme(), p.size, q, p.shape, l); }}},
        {{"laderman", "Theorem 1", "N x N product by 23 products of thirds, N = q 3^k", {"dense_scalar"}},
         {{option::cutoff}, recursive_formats, square_product},
         [](auto& m, auto& p, auto& in) { return product_by(laderman_scheme(), m, p, in); },
         [](auto& p, auto q) { return cost(recursive_cost(laderman_scheme(), p.size, p.cutoff, q, p.shape)); },
         {[](auto& p, auto q) { require_recursive_size(p.size, q, 3); }, nullptr,
          [](auto& p, auto q, auto l) { return best_leaf(laderman_scheme(), p.size, q, p.shape, l); }}},
        {{"sparse",
          "Theorem 3",
          "product of sparse N x N matrices with Z non-zeros, by compressed products",
          {"sparse_scalar"}},
         {{option::nonzeros}, {element_type::int64}, product_of_sparse},
         [](auto& m, auto& p, auto& in) {
             return sparse_product(m, p.shape, in[0].values, in[1].values, p.size, p.nonzeros, p.seed);
         },
         [](auto&, auto) { return cost(); },
         {nullptr, sketches}},
        {{"ge_forward", "Theorem 4", "forward elimination of N x N, q divides N", {"ge_forward_scalar"}},
         {{}, elimination_formats, elimination},
         [](auto& m, auto& p, auto& in) { return eliminate_forward(m, p.shape, in[0].values, p.size); },
         [](auto& p, auto q) { return cost(elimination_cost(p.size, q, p.shape)); },
         {[](auto& p, auto q) { require_elimination_size(p.size, q); }, one_square}},
        {{"solve",
          "Theorem 4",
          "N equations: forward elimination, padded to whole tiles, and back-substitution",
          {"solve_scalar"}},
         {{}, elimination_formats, solution},
         [](auto& m, auto& p, auto& in) {
             return solve_by_elimination(m, p.shape, in[0].values, in[1].values, p.size);
         },
         [](auto& p, auto q) { return cost(solution_cost(p.size, q, p.shape)); },
         {nullptr, one_square}},
        {{"tclosure",
          "Theorem 5",
          "transitive closure of a directed graph of N vertices",
          {"tclosure_scalar", "tclosure_words", "tclosure_search", "tclosure_search_stop"}},
         {{option::edges}, graph_formats, closure},
         [](auto& m, auto& p, auto& in) { return transitive_closure(m, p.terms(), in[0].values, p.size); },
         [](auto& p, auto q) { return cost(closure_cost(p.size, q, p.terms())); },
         {require_directed_edges, one_square}},
        {{"apsd",
          "Theorem 6",
          "distances of all pairs in a connected undirected graph of N vertices",
          {"apsd_scalar", "apsd_search", "apsd_search_stop"}},
         {{option::edges}, graph_formats, all_distances},
         [](auto& m, auto& p, auto& in) { return shortest_distances(m, p.shape, in[0].values, p.size); },
         [](auto& p, auto q) { return cost(distances_cost(p.size, q, p.shape)); },
         {require_undirected_edges}},
        {{"apsd_strassen",
          "Theorem 6",
          "distances of all pairs with products by 7 products of halves, N = q 2^k",
          {"apsd_scalar", "apsd_search", "apsd_search_stop"}},
         {{option::cutoff, option::edges},
          {element_type::int64, element_type::int32, element_type::f64},
          all_distances},
         [](auto& m, auto& p, auto& in) {
             return shortest_distances_by_strassen(m, p.shape, in[0].values, p.size, p.cutoff);
         },
         [](auto& p, auto q) {
             return cost(recursive_distances_cost(strassen_scheme(), p.size, p.cutoff, q, p.shape));
         },
         {[](auto& p, auto q) {
              require_undirected_edges(p, q);
              require_recursive_size(p.size, q, strassen_scheme().parts);
          },
          nullptr, [](auto& p, auto q, auto l) { return best_leaf(strassen_scheme(), p.size, q, p.shape, l); }}},
        {{"dft",
          "Theorem 7",
          "discrete Fourier transform of N points, N = q^a r, r divides q",
          {"dft_scalar", "dft_radix2"}},
         {{}, {element_type::c128}, forward_transform},
         [](auto& m, auto& p, auto& in) {
             return as_one_row(fourier_transform(m, p.terms(), fourier_direction::forward, in[0].values, 1, p.size));
         },
         [](auto& p, auto q) { return cost(fourier_cost(1, p.size, q, p.terms(), fourier_direction::forward)); },
         {[](auto& p, auto q) { require_fourier_size(p.size, q); }}},
        {{"dft_inverse", "Theorem 7", "its inverse, divided by N", {"dft_inverse_scalar", "dft_inverse_radix2"}},
         {{}, {element_type::c128}, inverse_transform},
         [](auto& m, auto& p, auto& in) {
             return as_one_row(fourier_transform(m, p.terms(), fourier_direction::inverse, in[0].values, 1, p.size));
         },
         [](auto& p, auto q) { return cost(fourier_cost(1, p.size, q, p.terms(), fourier_direction::inverse)); },
         {[](auto& p, auto q) { require_fourier_size(p.size, q); }}},
        {{"stencil",
          "Theorem 8",
          "k sweeps of 3 x 3 weights over an N x N window, k divides N, q a power of two",
          {"stencil_scalar", "stencil_sparse"}},
         {{option::sweeps}, {element_type::c128}, swept_grid},
         [](auto& m, auto& p, auto& in) {
             return stencil_sweeps(m, p.terms(), in[0].values, in[1].values, p.size, p.sweeps);
         },
         [](auto& p, auto q) { return cost(stencil_cost(p.size, p.sweeps, q, p.terms())); },
         {[](auto& p, auto q) { require_stencil_size(p.size, p.sweeps, q); }, plane_and_blocks}},
        {{"intmul",
          "Theorem 9",
          "product of two integers of N limbs (kappa / 4 bits), schoolbook",
          {"intmul_scalar", "karatsuba_scalar"}},
         {{option::kappa}, {element_type::int64}, product_of_limbs},
         [](auto& m, auto& p, auto& in) {
             return long_product(m, p.terms(), in[0].values, in[1].values, p.size, p.kappa);
         },
         [](auto& p, auto q) { return cost(long_product_cost(p.size, q, p.terms())); },
         {require_schoolbook_limbs}},
        {{"karatsuba",
          "Theorem 10",
          "product of two integers of N limbs by three products of halves",
          {"intmul_scalar", "karatsuba_scalar"}},
         {{option::cutoff, option::kappa}, {element_type::int64}, product_of_limbs},
         [](auto& m, auto& p, auto& in) {
             return karatsuba_product(m, p.terms(), in[0].values, in[1].values, p.size, p.cutoff, p.kappa);
         },
         [](auto& p, auto q) { return cost(karatsuba_cost(p.size, p.cutoff, q, p.terms())); },
         {require_divided_limbs, nullptr,
          [](auto& p, auto q, auto) { return std::min(q * q, most_limb_products(p.kappa)); }}},
        {{"polyeval", "Theorem 11", "polynomial of N coefficients at p points, mod 1009", {"polyeval_scalar"}},
         {{option::points}, {element_type::int64}, evaluation},
         [](auto& m, auto& p, auto& in) { return evaluate_polynomial(m, p.terms(), in[0].values, in[1].values); },
         [](auto& p, auto q) { return cost(polynomial_cost(p.size, p.points, q, p.terms())); }},
        {{"polynomial", "Theorem 11", "real or whole polynomial of N coefficients at p points", {"polynomial_scalar"}},
         {{option::points}, polynomial_formats, plain_evaluation},
         [](auto& m, auto& p, auto& in) { return evaluate_plain_polynomial(m, p.terms(), in[0].values, in[1].values); },
         [](auto& p, auto q) { return cost(plain_polynomial_cost(p.size, p.points, q, p.terms())); }},
        {{"dense_scalar", "", "N x N product by multiply-adds"},
         {{}, product_formats, square_product},
         [](auto& m, auto& p, auto& in) { return scalar_product(m, in[0].values, in[1].values, square_size(p)); },
         [](auto& p, auto) { return cost(multiply_adds(square_size(p))); }},
        {{"rect_scalar", "", "N x r times r x N by multiply-adds"},
         {{option::inner}, product_formats, rectangular_product},
         [](auto& m, auto& p, auto& in) { return scalar_product(m, in[0].values, in[1].values, rectangle_size(p)); },
         [](auto& p, auto) { return cost(multiply_adds(rectangle_size(p))); }},
        {{"sparse_scalar", "", "sparse product by a multiply-add per pair of non-zeros that meet"},
         {{}, {element_type::int64}, product_of_sparse},
         [](auto& m, auto& p, auto& in) { return sparse_product_scalar(m, in[0].values, in[1].values, p.size); },
         [](auto&, auto) { return cost(); },
         {nullptr, one_square}},
        {{"ge_forward_scalar", "", "forward elimination of N x N, unblocked"},
         {{}, elimination_formats, elimination},
         [](auto& m, auto& p, auto& in) { return eliminate_forward_scalar(m, in[0].values, p.size); },
         [](auto& p, auto) { return cost(operations(3 * elimination_updates(p.size))); },
         {nullptr, one_square}},
        {{"solve_scalar", "", "N equations: forward elimination, unblocked, and back-substitution"},
         {{}, elimination_formats, solution},
         [](auto& m, auto& p, auto& in) { return solve_by_elimination_scalar(m, in[0].values, in[1].values, p.size); },
         [](auto& p, auto) {
             return cost(operations(3 * elimination_updates(p.size + 1) + back_substitution_operations(p.size)));
         },
         {nullptr, one_square}},
        {{"tclosure_scalar", "", "transitive closure, unblocked"},
         {{option::edges}, graph_formats, closure},
         [](auto& m, auto& p, auto& in) { return transitive_closure_scalar(m, in[0].values, p.size); },
         [](auto& p, auto) { return cost(operations(2 * p.size * p.size * p.size)); },
         {require_directed_edges, one_square}},
        {{"tclosure_words", "", "transitive closure with 64 flags in a word"},
         {{option::edges}, graph_formats, closure},
         [](auto& m, auto& p, auto& in) { return transitive_closure_words(m, in[0].values, p.size); },
         [](auto&, auto) { return cost(); },
         {require_directed_edges}},
        {{"tclosure_search", "", "transitive closure by a search from every vertex over lists"},
         {{option::edges}, graph_formats, closure},
         [](auto& m, auto& p, auto& in) {
             return transitive_closure_search(m, search_end::lists_read, in[0].values, p.size);
         },
         [](auto&, auto) { return cost(); },
         {require_directed_edges}},
        {{"tclosure_search_stop", "", "the same, a search ends as soon as all vertices are reached"},
         {{option::edges}, graph_formats, closure},
         [](auto& m, auto& p, auto& in) {
             return transitive_closure_search(m, search_end::all_reached, in[0].values, p.size);
         },
         [](auto&, auto) { return cost(); },
         {require_directed_edges}},
        {{"apsd_scalar", "", "distances of all pairs with products by multiply-adds"},
         {{option::edges}, graph_formats, all_distances},
         [](auto& m, auto& p, auto& in) { return shortest_distances_scalar(m, in[0].values, p.size); },
         [](auto& p, auto) {
             const std::uint64_t levels = distance_levels(p.size);
             return cost(operations(levels * (4 * p.size * p.size * p.size + 6 * p.size * p.size)));
         },
         {require_undirected_edges}},
        {{"apsd_search", "", "distances of all pairs by a breadth-first search from every vertex over lists"},
         {{option::edges}, graph_formats, all_distances},
         [](auto& m, auto& p, auto& in) {
             return shortest_distances_search(m, search_end::lists_read, in[0].values, p.size);
         },
         [](auto&, auto) { return cost(); },
         {require_undirected_edges}},
        {{"apsd_search_stop", "", "the same, a search ends as soon as all vertices are reached"},
         {{option::edges}, graph_formats, all_distances},
         [](auto& m, auto& p, auto& in) {
             return shortest_distances_search(m, search_end::all_reached, in[0].values, p.size);
         },
         [](auto&, auto) { return cost(); },
         {require_undirected_edges}},
        {{"dft_scalar", "", "discrete Fourier transform by its definition"},
         {{}, {element_type::c128}, forward_transform},
         [](auto& m, auto& p, auto& in) {
             return as_one_row(fourier_transform_scalar(m, fourier_direction::forward, in[0].values, 1, p.size));
         },
         [](auto& p, auto) { return cost(operations(3 * p.size * p.size)); }},
        {{"dft_inverse_scalar", "", "inverse transform by its definition"},
         {{}, {element_type::c128}, inverse_transform},
         [](auto& m, auto& p, auto& in) {
             return as_one_row(fourier_transform_scalar(m, fourier_direction::inverse, in[0].values, 1, p.size));
         },
         [](auto& p, auto) { return cost(operations(3 * p.size * p.size + p.size)); }},
        {{"dft_radix2", "", "discrete Fourier transform by radix 2, N a power of two"},
         {{}, {element_type::c128}, forward_transform},
         [](auto& m, auto& p, auto& in) {
             return fourier_transform_radix_2(m, fourier_direction::forward, in[0].values, p.size, p.charges);
         },
         [](auto& p, auto) { return cost(radix_2_cost(p.size, fourier_direction::forward, p.charges)); },
         {[](auto& p, auto) { require_radix_2_size(p.size); }}},
        {{"dft_inverse_radix2", "", "inverse transform by radix 2, N a power of two"},
         {{}, {element_type::c128}, inverse_transform},
         [](auto& m, auto& p, auto& in) {
             return fourier_transform_radix_2(m, fourier_direction::inverse, in[0].values, p.size, p.charges);
         },
         [](auto& p, auto) { return cost(radix_2_cost(p.size, fourier_direction::inverse, p.charges)); },
         {[](auto& p, auto) { require_radix_2_size(p.size); }}},
        {{"stencil_scalar", "", "k sweeps over a plane of side N + 2k"},
         {{option::sweeps}, recursive_formats, swept_grid},
         [](auto& m, auto& p, auto& in) {
             return stencil_sweeps_scalar(m, in[0].values, in[1].values, p.size, p.sweeps);
         },
         [](auto& p, auto) { return cost(operations(18 * swept_points(p))); }},
        {{"stencil_sparse", "", "the same, without the products by weights of 0"},
         {{option::sweeps}, recursive_formats, swept_grid},
         [](auto& m, auto& p, auto& in) {
             return stencil_sweeps_scalar(m, in[0].values, in[1].values, p.size, p.sweeps, swept_weights::not_zero);
         },
         [](auto&, auto) { return cost(); }},
        {{"intmul_scalar", "", "product of two integers of N limbs by multiply-adds"},
         {{option::kappa}, {element_type::int64}, product_of_limbs},
         [](auto& m, auto& p, auto& in) { return long_product_scalar(m, in[0].values, in[1].values, p.size, p.kappa); },
         [](auto& p, auto) { return cost(operations(2 * p.size * p.size + 6 * p.size)); },
         {require_schoolbook_limbs}},
        {{"karatsuba_scalar", "", "product of two integers of N limbs by three products of halves and multiply-adds"},
         {{option::cutoff, option::kappa}, {element_type::int64}, product_of_limbs},
         [](auto& m, auto& p, auto& in) {
             return karatsuba_product_scalar(m, in[0].values, in[1].values, p.size, p.cutoff, p.charges, p.kappa);
         },
         [](auto& p, auto) { return cost(scalar_karatsuba_cost(p.size, p.cutoff, p.charges)); },
         {require_divided_limbs, nullptr,
          [](auto& p, auto, auto) { return best_scalar_karatsuba_cutoff(p.size, p.charges, p.kappa); }}},
        {{"polyeval_scalar", "", "polynomial of N coefficients at p points, mod 1009, by Horner's rule"},
         {{option::points}, {element_type::int64}, evaluation},
         [](auto& m, auto&, auto& in) { return evaluate_polynomial_scalar(m, in[0].values, in[1].values); },
         [](auto& p, auto) { return cost(operations(2 * p.size * p.points)); }},
        {{"polynomial_scalar", "", "real or whole polynomial of N coefficients at p points, by Horner's rule"},
         {{option::points}, polynomial_formats, plain_evaluation},
         [](auto& m, auto&, auto& in) { return evaluate_plain_polynomial_scalar(m, in[0].values, in[1].values); },
         [](auto& p, auto) { return cost(operations(2 * p.size * p.points)); }},
    };
    std::vector<tensor_unit_algorithm> all;
    for (const auto& [about, takes, run, expected, limits] : entries) {
        const auto& [operands, numbers, reference, edges] = takes.what;
        auto& algorithm = all.emplace_back();
        algorithm.name = about.name;
        algorithm.theorem = about.theorem;
        algorithm.description = about.description;
        algorithm.baselines = about.baselines;
        algorithm.options = takes.options;
        algorithm.formats = takes.formats;
        algorithm.inputs = operands;
        algorithm.numbers = numbers;
        algorithm.run = run;
        algorithm.reference = reference;
        algorithm.cost = expected;
        algorithm.require_size = limits.size;
        algorithm.scratchpad_numbers = limits.numbers;
        algorithm.edges = edges;
        algorithm.cutoff = limits.cutoff;
    }
    return all;
}

void check_size(std::string_view name, std::uint64_t found)
{
    if (found < 1 || found > largest_problem_size) {
        base::refuse(std::string(name), std::to_string(found), "1 to " + std::to_string(largest_problem_size));
    }
}

// The field of an option, its default and its check.
struct option_field {
    option which;
    std::string_view name;
    std::uint64_t problem::*field;
    /// nullptr: 0 has its own meaning, or the algorithm has a default of its own.
    std::uint64_t (*standard)(const problem&);
    void (*check)(std::string_view name, std::uint64_t found) = check_size;
};
constexpr option_field option_fields[] = {
    {option::inner, "inner", &problem::inner, [](const problem&) -> std::uint64_t { return 16; }},
    {option::sweeps, "sweeps", &problem::sweeps, [](const problem&) -> std::uint64_t { return 4; }},
    {option::nonzeros, "nonzeros", &problem::nonzeros, [](const problem& p) { return p.size; }},
    {option::points, "points", &problem::points, [](const problem&) -> std::uint64_t { return 64; }},
    {option::kappa, "kappa", &problem::kappa, [](const problem&) { return largest_kappa; },
     [](std::string_view, std::uint64_t found) { require_kappa(found); }},
    {option::cutoff, "cutoff", &problem::cutoff, nullptr}, // after kappa, which limits it
    {option::edges, "edges", &problem::edges, nullptr},
};

} // namespace

product_size square_size(const problem& p) { return {p.size, p.size, p.size}; }
product_size rectangle_size(const problem& p) { return {p.size, p.inner, p.size}; }

std::string_view option_name(tensor_unit_option which)
{
    for (const auto& o : option_fields) {
        if (o.which == which) { return o.name; }
    }
    return "?";
}

bool tensor_unit_algorithm::uses(tensor_unit_option which) const
{
    return std::find(options.begin(), options.end(), which) != options.end();
}

std::uint64_t least_scratchpad_bytes(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                                     std::uint64_t side, base::element_type format)
{
    const std::uint64_t numbers = algorithm.scratchpad_numbers != nullptr ? algorithm.scratchpad_numbers(problem, side)
                                                                          : algorithm.numbers(problem);
    return numbers * base::element_bytes(format);
}

const std::vector<tensor_unit_algorithm>& tensor_unit_algorithms()
{
    static const std::vector<tensor_unit_algorithm> all = make_algorithms();
    return all;
}

const tensor_unit_algorithm& find_tensor_unit_algorithm(const std::string& name)
{
    std::string names;
    for (const auto& a : tensor_unit_algorithms()) {
        if (a.name == name) { return a; }
        names += (names.empty() ? "" : ", ") + std::string(a.name);
    }
    base::refuse("algorithm", base::in_quotes(name), "one of " + names);
}

tensor_unit_problem completed_problem(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& found,
                                      std::uint64_t side, std::uint64_t latency)
{
    check_size("size", found.size);
    tensor_unit_problem completed = found;
    for (const auto& o : option_fields) {
        if (!algorithm.uses(o.which)) { continue; }
        if (completed.*o.field == 0) {
            if (o.which == option::cutoff) {
                completed.cutoff = algorithm.cutoff(completed, side, latency);
            } else if (o.standard != nullptr) {
                completed.*o.field = o.standard(found);
            } else {
                continue;
            }
        }
        o.check(o.name, completed.*o.field);
    }
    if (algorithm.require_size != nullptr) { algorithm.require_size(completed, side); }
    return completed;
}

void check_inputs(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& found,
                  const std::vector<tensor_unit_input>& given)
{
    const auto expected = algorithm.inputs(found);
    if (given.size() != expected.size()) {
        base::refuse("inputs of " + std::string(algorithm.name), std::to_string(given.size()),
                     std::to_string(expected.size()));
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i].shape != expected[i].shape) {
            base::refuse("input " + expected[i].name + " of " + std::string(algorithm.name), shape_text(given[i].shape),
                         shape_text(expected[i].shape));
        }
    }
}

} // namespace tensorloom::workloads
