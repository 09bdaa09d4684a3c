#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/tensor_formats/layer_values.h>

namespace tensorloom::workloads {

/// The cores of a layer that stand for a dense matrix W, M x N, by singular value decompositions, in the ranks of the
/// layer; ranks that an unfolding cannot have are filled up with zeros. Throws base::input_error: a matrix of another
/// shape or not finite, a layer of bt (see fit_cores()).
///
/// tt, ttm    one core after the other (TT-SVD). Exact when every unfolding has at most the rank; else the squares of
///            the errors of the unfoldings add up at most. Source: Oseledets, SIAM J. Sci. Comput. 33 (2011)
/// tr         the first unfolding gives r_0 r_1, then as tt. Exact for full ranks; a ring's ranks do not make it so.
///            Source: Zhao and others, arXiv 1606.05535
/// ht         from the leaves to the root, each on what is left (hierarchical SVD). Source: Grasedyck, SIAM J. Matrix
///            Anal. Appl. 31 (2010)
layer_values decompose(const tensor<double>& matrix, const tensorized_layer& layer);

/// How far cores are fitted.
struct fit_request {
    unsigned max_sweeps = 50;   ///< over all cores
    double error_change = 1e-6; ///< a sweep that lowers the relative error by less ends the fit
};

/// Cores that were fitted.
struct fitted_cores {
    layer_values values;
    std::vector<double> errors; ///< |W - W~| / |W| of the start and after each sweep; not rising but for rounding
    bool converged = false;     ///< the last sweep lowered the error by less than asked for
};

/// Alternating least squares, for every format: each core in turn (of bt in all blocks at once) is what makes the error
/// smallest while the others stay, by an orthogonal decomposition. It ends in a local optimum; another start may find
/// another one. Source for bt: De Lathauwer and Nion, SIAM J. Matrix Anal. Appl. 30 (2008).
///
/// Takes memory for the product of all other cores: (its ranks) x M N / (its m n) numbers, of S of bt M N for each of
/// its elements. Throws base::input_error: a matrix of another shape, not finite, or zero.
fitted_cores fit_cores(const tensor<double>& matrix, const tensorized_layer& layer, const layer_values& start,
                       const fit_request& request = {});

} // namespace tensorloom::workloads
