#include <tensorloom/workloads/chain.h>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/npy_file.h>

namespace tensorloom::workloads {
namespace {

std::string transforms_of(const chain_step& step)
{
    std::string text;
    for (const auto& t : step.transforms) {
        const bool is_file = t.kind == transform_kind::file;
        text += (text.empty() ? "" : ",") +
                (is_file ? "file:" + std::filesystem::path(t.path).filename().string() : transform_name(t));
    }
    return text;
}

// " (norm backward, shift 0,0,7)"; empty if all is as usual.
std::string details_of(const chain_step& step)
{
    std::vector<std::string> details;
    const auto three = [](const std::array<unsigned, 3>& numbers, const char* between) {
        return std::to_string(numbers[0]) + between + std::to_string(numbers[1]) + between + std::to_string(numbers[2]);
    };
    if (!step.back_of) { // whose matrices and order are given by the step that it goes back from
        if (step.scaling == normalization::backward) { details.emplace_back("norm backward"); }
        if (step.order != chain_step{}.order) { details.push_back("order " + three(step.order, "")); }
    }
    if (step.resident) { details.emplace_back("resident"); }
    if (step.shift != 0) { details.push_back("shift " + std::to_string(step.shift)); }
    if (step.shifts != chain_step{}.shifts) { details.push_back("shift " + three(step.shifts, ",")); }
    std::string text;
    for (const auto& detail : details) { text += (text.empty() ? " (" : ", ") + detail; }
    return text + (text.empty() ? "" : ")");
}

std::string number_text(const std::complex<double>& value)
{
    if (value.imag() == 0) { return base::shortest_text(value.real()); }
    return "[" + base::shortest_text(value.real()) + ", " + base::shortest_text(value.imag()) + "]";
}

template <class T> T conjugate(const T& x) { return x; }
template <class R> std::complex<R> conjugate(const std::complex<R>& x) { return std::conj(x); }

// A part of a value as that of an element.
double rounded_to_part(base::element_type format, double value)
{
    using base::element_type;
    return rounded_to(format == element_type::c64 ? element_type::f32 : format, value);
}

void check_step(const chain_step& step, base::element_type format)
{
    const std::string of_format = " of format " + std::string(base::element_type_name(format));
    if (needs_complex(step) && !base::is_complex(format)) {
        throw base::input_error("complex numbers found, expected numbers" + of_format);
    }
    if (step.what == chain_operation::relu && base::is_complex(format)) {
        throw base::input_error("relu of complex numbers found, expected a real format");
    }
    const std::string found =
        chain_operation_values[static_cast<std::size_t>(step.what)].name + (" " + number_text(step.value));
    const auto re = step.value.real(), im = step.value.imag();
    if (!std::isfinite(rounded_to_part(format, re)) || !std::isfinite(rounded_to_part(format, im))) {
        throw base::input_error(found + " found, expected a number" + of_format);
    }
    if (base::is_integer(format)) {
        const bool compares = step.what == chain_operation::threshold;
        const double least = compares ? 0 : -128;
        constexpr double most = 127;
        if (re != std::nearbyint(re) || re < least || re > most) {
            throw base::input_error(found + " found, expected an integer" + base::range_text(least, most) + of_format);
        }
    } else if (step.shift != 0 || step.shifts != std::array<unsigned, 3>{}) {
        throw base::input_error("a shift found, expected none" + of_format);
    }
}

std::string operation_text(const chain_step& step)
{
    const std::string name = chain_operation_values[static_cast<std::size_t>(step.what)].name;
    switch (step.what) {
    case chain_operation::transform:
        if (step.back_of) { return "conjugate transpose of step " + std::to_string(*step.back_of + 1); }
        return (step.inverse ? "inverse " : "") + name + " " + transforms_of(step) +
               (step.out_shape != step.in_shape ? " to " + shape_text(step.out_shape) : "");
    case chain_operation::multiply: return name + " " + std::filesystem::path(step.path).filename().string();
    case chain_operation::add:
        return name + " " + std::filesystem::path(step.path).filename().string() +
               (step.value != 1.0 ? " times " + number_text(step.value) : "");
    case chain_operation::relu: break;
    case chain_operation::scale:
    case chain_operation::threshold: return name + " " + number_text(step.value);
    }
    return name;
}

} // namespace

std::string step_text(const chain_step& step) { return operation_text(step) + details_of(step); }

std::string place_text(const std::vector<chain_step>& chain, std::size_t step)
{
    return "step " + std::to_string(step + 1) + (chain[step].place.empty() ? "" : ": " + chain[step].place);
}

double multiply_adds(const chain_step& step)
{
    if (!step.is_transform()) {
        const bool compares = step.what == chain_operation::threshold || step.what == chain_operation::relu;
        return compares ? 0 : static_cast<double>(volume_of(step.in_shape));
    }
    double total = 0;
    shape3 shape = step.in_shape;
    for (const unsigned mode : step.order) {
        if (!step.sums(mode - 1)) { continue; }
        const auto rows = static_cast<double>(shape[mode - 1]);
        shape[mode - 1] = step.out_shape[mode - 1];
        total += rows * static_cast<double>(volume_of(shape));
    }
    return total;
}

void sum_in_order(chain_step& transform, const std::array<unsigned, 3>& order)
{
    const auto runs = [&](unsigned mode) { return transform.sums(mode - 1); };
    std::array<unsigned, 3> shifts{};
    std::size_t stage = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!runs(order[i])) { continue; }
        while (!runs(transform.order[stage])) { ++stage; }
        shifts[i] = transform.shifts[stage++];
    }
    transform.order = order;
    transform.shifts = shifts;
}

std::vector<chain_step> there_and_back(const chain_step& transform, const std::optional<double>& threshold)
{
    std::vector<chain_step> chain{transform};
    if (threshold) {
        if (!(*threshold >= 0)) {
            throw base::input_error("threshold " + base::shortest_text(*threshold) +
                                    " found, expected a number that is not negative");
        }
        chain_step between;
        between.what = chain_operation::threshold;
        between.in_shape = between.out_shape = transform.out_shape;
        between.value = *threshold;
        chain.push_back(between);
    }
    chain_step back = transform;
    back.in_shape = transform.out_shape;
    back.out_shape = transform.in_shape;
    back.inverse = !transform.inverse;
    sum_in_order(back, {transform.order[2], transform.order[1], transform.order[0]});
    back.back_of = 0;
    chain.push_back(back);
    return chain;
}

bool needs_complex(const chain_step& step)
{
    if (step.value.imag() != 0) { return true; }
    if (step.has_operand()) { return read_npy_header(step.path).is_complex(); }
    if (!step.is_transform()) { return false; }
    for (const auto& t : step.transforms) {
        if (needs_complex(t)) { return true; }
    }
    return false;
}

void check_chain(const std::vector<chain_step>& chain, base::element_type format)
{
    for (std::size_t s = 0; s < chain.size(); ++s) {
        base::complaining_of(place_text(chain, s), [&] { check_step(chain[s], format); });
    }
}

template <class T> std::vector<T> conjugate_transpose(const std::vector<T>& matrix, std::size_t rows)
{
    const std::size_t columns = matrix.size() / rows;
    std::vector<T> result(matrix.size());
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) { result[c * rows + r] = conjugate(matrix[r * columns + c]); }
    }
    return result;
}

template <class T> chain_data<T> chain_data<T>::of(const std::vector<chain_step>& chain)
{
    chain_data<T> data;
    data.matrices.resize(chain.size());
    data.operands.resize(chain.size());
    for (std::size_t s = 0; s < chain.size(); ++s) {
        const auto& step = chain[s];
        base::complaining_of(place_text(chain, s), [&] {
            if (step.has_operand()) { data.operands[s] = load_npy_as<T>(step.path); }
            for (std::size_t m = 0; step.is_transform() && m < 3; ++m) {
                if (!step.sums(m)) { continue; }
                data.matrices[s][m] = step.back_of
                                          ? conjugate_transpose(data.matrices[*step.back_of][m], step.out_shape[m])
                                          : transform_matrix<T>(step.transforms[m], step.in_shape[m], step.out_shape[m],
                                                                step.scaling, step.inverse);
            }
        });
    }
    return data;
}

template std::vector<double> conjugate_transpose(const std::vector<double>&, std::size_t);
template std::vector<float> conjugate_transpose(const std::vector<float>&, std::size_t);
template std::vector<std::complex<double>> conjugate_transpose(const std::vector<std::complex<double>>&, std::size_t);
template std::vector<std::complex<float>> conjugate_transpose(const std::vector<std::complex<float>>&, std::size_t);
template std::vector<arithmetic::bfloat16> conjugate_transpose(const std::vector<arithmetic::bfloat16>&, std::size_t);
template std::vector<std::int8_t> conjugate_transpose(const std::vector<std::int8_t>&, std::size_t);

template struct chain_data<double>;
template struct chain_data<float>;
template struct chain_data<std::complex<double>>;
template struct chain_data<std::complex<float>>;
template struct chain_data<arithmetic::bfloat16>;
template struct chain_data<std::int8_t>;

} // namespace tensorloom::workloads
