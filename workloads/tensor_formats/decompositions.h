#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/tensor_formats/layer_values.h>

namespace tensorloom::workloads {

/// Decomposes a dense matrix W, M x N, into the cores of a layer with the layer's ranks, by singular value
/// decompositions. Ranks above that of an unfolding are padded with zeros. Throws base::input_error: a matrix of
/// another shape or not finite, a layer in the format bt (see fit_cores()).
///
/// tt, ttm    core by core (TT-SVD). Exact when every unfolding has at most the rank; otherwise the squared error is at
///            most the sum of the squared errors of the unfoldings. Source: Oseledets, SIAM J. Sci. Comput. 33 (2011)
/// tr         the first unfolding gives r_0 r_1, then as tt. Exact for full ranks, not for any ranks of a ring.
///            Source: Zhao and others, arXiv 1606.05535
/// ht         from the leaves to the root, each on the remaining tensor (hierarchical SVD). Source: Grasedyck, SIAM J.
///            Matrix Anal. Appl. 31 (2010)
layer_values decompose(const tensor<double>& matrix, const tensorized_layer& layer);

/// Stopping criteria of a fit.
struct fit_request {
    unsigned max_sweeps = 50;   ///< over all cores
    double error_change = 1e-6; ///< a sweep that lowers the relative error by less ends the fit
};

struct fitted_cores {
    layer_values values;
    std::vector<double> errors; ///< |W - W~| / |W| at the start and after each sweep; not increasing but for rounding
    bool converged = false;     ///< the last sweep lowered the error by less than error_change
};

/// Alternating least squares, for every format: each core in turn (bt: in all blocks at once) minimizes the error with
/// the others fixed, by an orthogonal decomposition. Converges to a local optimum, which depends on the start. Source
/// for bt: De Lathauwer and Nion, SIAM J. Matrix Anal. Appl. 30 (2008). Needs memory for the product of all other
/// cores: (ranks of the core) x M N / (its m n) numbers; for S of bt, M N per element of S. Throws base::input_error: a
/// matrix of another shape, not finite, or zero.
fitted_cores fit_cores(const tensor<double>& matrix, const tensorized_layer& layer, const layer_values& start,
                       const fit_request& request = {});

} // namespace tensorloom::workloads
