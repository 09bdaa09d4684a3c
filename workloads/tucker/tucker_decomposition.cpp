#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tucker/tucker_decomposition.h>
#include <tensorloom/workloads/tucker/unfolding_svd.h>
#include <algorithm>
#include <cmath>
#include <sstream>

namespace tensorloom::workloads {
namespace {

std::string text_of(const shape3& s)
{
    return std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]);
}

std::string text_of(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

// One decomposition.
class decomposer {
public:
    decomposer(const tensor<double>& x, const tucker_request& request, ttm_engine& engine, tucker_observer& observer)
        : m_x(x), m_request(request), m_engine(engine), m_observer(observer), m_energy(squared_norm(x))
    {}

    tucker_decomposition run()
    {
        if (m_request.method == tucker_method::hosvd) {
            truncate_all();
        } else {
            truncate_in_turn();
        }
        end_iteration();
        if (m_request.method == tucker_method::hooi) {
            const shape3 ranks = iterated_ranks();
            m_found.converged = false;
            for (unsigned i = 0; i < m_request.max_iterations && !m_found.converged; ++i) { iterate(ranks); }
        }
        return std::move(m_found);
    }

private:
    // As few vectors as cut off no more than a third of the energy that may be lost.
    std::size_t sufficient_rank(const unfolding_svd& svd) const
    {
        const double may_lose = m_request.tolerance * m_request.tolerance * m_energy / 3;
        std::size_t rank = svd.size();
        while (rank > 1 && svd.truncated_energy(rank - 1) <= may_lose) { --rank; }
        return rank;
    }

    unfolding_svd singular_vectors(const tensor<double>& y, std::size_t mode)
    {
        m_observer.truncating(mode);
        return decompose_unfolding(y, mode);
    }

    void truncate(const tensor<double>& y, std::size_t mode)
    {
        const auto svd = singular_vectors(y, mode);
        const std::size_t rank = m_request.ranks ? (*m_request.ranks)[mode] : sufficient_rank(svd);
        m_found.truncated_energies[mode] = svd.truncated_energy(rank);
        m_found.singular_values[mode] = svd.values;
        take(svd, rank, y, mode);
    }

    void take(const unfolding_svd& svd, std::size_t rank, const tensor<double>& y, std::size_t mode)
    {
        m_found.form.factors[mode] = svd.leading(rank);
        m_observer.truncated(y, mode, m_found.form.factors[mode]);
    }

    void truncate_all()
    {
        for (std::size_t m = 0; m < 3; ++m) { truncate(m_x, m); }
        m_found.form.core = compress(m_x, m_found.form.factors, m_engine);
    }

    void truncate_in_turn()
    {
        for (std::size_t m = 0; m < 3; ++m) {
            const tensor<double>& left = m == 0 ? m_x : m_found.form.core;
            truncate(left, m);
            m_found.form.core = multiply_along({m}, left);
        }
    }

    // Every rank at most the product of the other two: more vectors would find nothing left in the other modes.
    shape3 iterated_ranks() const
    {
        shape3 ranks = m_found.form.ranks();
        for (std::size_t m = 0; m < 3; ++m) { ranks[m] = std::min(ranks[m], ranks[(m + 1) % 3] * ranks[(m + 2) % 3]); }
        return ranks;
    }

    void iterate(const shape3& ranks)
    {
        tensor<double> y;
        for (std::size_t m = 0; m < 3; ++m) {
            y = multiply_along({(m + 1) % 3, (m + 2) % 3}, m_x);
            take(singular_vectors(y, m), ranks[m], y, m);
        }
        m_found.form.core = multiply_along({2}, y);
        const double before = m_found.fits.back();
        end_iteration();
        m_found.converged = m_request.fit_change && m_found.fits.back() - before <= *m_request.fit_change;
    }

    tensor<double> multiply_along(std::initializer_list<std::size_t> modes, const tensor<double>& y)
    {
        ttm_chain chain{};
        for (const std::size_t m : modes) { chain[m] = &m_found.form.factors[m]; }
        return m_engine.multiply(y, chain);
    }

    // By subtraction, in double precision whatever the engine has: |X|^2 - |core|^2 would lose half of the engine's
    // digits.
    void end_iteration()
    {
        m_found.fits.push_back(1 - relative_error(m_x, expand(m_found.form, m_host)));
        m_observer.iterated(static_cast<unsigned>(m_found.fits.size() - 1), m_found.fits.back());
    }

    const tensor<double>& m_x;
    const tucker_request& m_request;
    ttm_engine& m_engine;
    host_ttm m_host;
    tucker_observer& m_observer;
    double m_energy;
    tucker_decomposition m_found;
};

} // namespace

tucker_method parse_tucker_method(const std::string& name)
{
    for (const auto method : {tucker_method::hosvd, tucker_method::st_hosvd, tucker_method::hooi}) {
        if (name == tucker_method_name(method)) { return method; }
    }
    throw base::input_error("method " + base::in_quotes(name) + " found, expected one of hosvd, st-hosvd, hooi");
}

std::string tucker_method_name(tucker_method method)
{
    switch (method) {
    case tucker_method::hosvd: return "hosvd";
    case tucker_method::st_hosvd: return "st-hosvd";
    case tucker_method::hooi: break;
    }
    return "hooi";
}

void tucker_observer::truncating(std::size_t) {}
void tucker_observer::truncated(const tensor<double>&, std::size_t, const tensor<double>&) {}
void tucker_observer::iterated(unsigned, double) {}

void check_ranks(const shape3& ranks, const shape3& shape)
{
    for (std::size_t m = 0; m < 3; ++m) {
        if (ranks[m] < 1 || ranks[m] > shape[m]) {
            throw base::input_error("ranks " + text_of(ranks) + " found, expected that of mode " +
                                    std::to_string(m + 1) + " from 1 to the mode's size " + std::to_string(shape[m]));
        }
    }
    for (std::size_t m = 0; m < 3; ++m) {
        const std::size_t others = ranks[(m + 1) % 3] * ranks[(m + 2) % 3];
        if (ranks[m] > others) {
            throw base::input_error("ranks " + text_of(ranks) + " found, expected that of mode " +
                                    std::to_string(m + 1) + " to be at most the product of the other two, " +
                                    std::to_string(others));
        }
    }
}

void check_decomposable(const tensor<double>& x)
{
    if (x.shape.size() != 3) {
        throw base::input_error("tensor of " + std::to_string(x.shape.size()) + " modes found, expected 3");
    }
    const shape3 shape{x.shape[0], x.shape[1], x.shape[2]};
    if (x.data.empty()) {
        throw base::input_error("tensor of " + text_of(shape) + " found, expected at least 1 element in every mode");
    }
    double largest = 0;
    for (std::size_t i = 0; i < x.data.size(); ++i) {
        if (!std::isfinite(x.data[i])) {
            throw base::input_error("element (" + std::to_string(i / shape[2] / shape[1]) + "," +
                                    std::to_string(i / shape[2] % shape[1]) + "," + std::to_string(i % shape[2]) +
                                    ") is " + text_of(x.data[i]) + ", expected finite elements");
        }
        largest = std::max(largest, std::abs(x.data[i]));
    }
    if (largest == 0) { throw base::input_error("the tensor is zero, expected an element that is not"); }
    if (largest < 1e-140 || largest > 1e140) {
        throw base::input_error("the largest modulus is " + text_of(largest) + ", expected 1e-140 to 1e140");
    }
}

void check_tucker(const tucker_request& request, const shape3& shape)
{
    if (request.ranks) {
        check_ranks(*request.ranks, shape);
    } else if (!(request.tolerance > 0 && request.tolerance < 1)) {
        throw base::input_error("tolerance " + text_of(request.tolerance) +
                                " found, expected a number above 0 and below 1");
    }
    if (request.max_iterations < 1) { throw base::input_error("0 iterations found, expected at least 1"); }
    if (request.fit_change && !(*request.fit_change >= 0 && *request.fit_change <= 1)) {
        throw base::input_error("change of fit " + text_of(*request.fit_change) + " found, expected 0 to 1");
    }
}

tucker_decomposition decompose(const tensor<double>& x, const tucker_request& request, ttm_engine& engine,
                               tucker_observer& observer)
{
    check_decomposable(x);
    check_tucker(request, {x.shape[0], x.shape[1], x.shape[2]});
    return decomposer(x, request, engine, observer).run();
}

tucker_decomposition decompose(const tensor<double>& x, const tucker_request& request, ttm_engine& engine)
{
    tucker_observer nobody;
    return decompose(x, request, engine, nobody);
}

} // namespace tensorloom::workloads
