#include <tensorloom/workloads/training/model.h>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/values/number_text.h>

namespace tensorloom::workloads {
namespace {

void check_number(const char* what, double value, double least, double most)
{
    if (value >= least && value <= most) { return; } // not of what is not a number
    throw arch::input_error(std::string("model: ") + what + " is " + arch::shortest_text(value) +
                            ", expected a number" + arch::range_text(least, most));
}

void check_count(const char* what, std::uint64_t value, std::uint64_t most)
{
    if (value >= 1 && value <= most) { return; }
    throw arch::input_error(std::string("model: ") + what + " is " + std::to_string(value) +
                            ", expected a whole number" + arch::range_text(std::uint64_t{1}, most));
}

} // namespace

std::uint64_t model_description::parameters() const
{
    std::uint64_t sum = 0;
    for (const auto& l : layers) { sum += workloads::parameters(l.shape) + (l.bias ? row_count(l.shape) : 0); }
    return sum;
}

std::uint64_t model_description::dense_parameters() const
{
    std::uint64_t sum = 0;
    for (const auto& l : layers) {
        sum += row_count(l.shape) * column_count(l.shape) + (l.bias ? row_count(l.shape) : 0);
    }
    return sum;
}

void check_model(const model_description& model)
{
    if (model.layers.empty()) { throw arch::input_error("model: no layer, expected at least one"); }
    check_count("epochs", model.epochs, most_epochs);
    check_count("batch", model.batch, most_batch_samples);
    const auto& o = model.optimizer;
    check_number("rate", o.rate, 0, 1e6);
    check_number("momentum", o.momentum, 0, 1);
    check_number("first_decay", o.first_decay, 0, 0.999999);
    check_number("second_decay", o.second_decay, 0, 0.999999);
    check_number("epsilon", o.epsilon, 1e-30, 1);
    check_number("rate_decay", o.rate_decay, 0, 1);
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        const auto& layer = model.layers[l];
        check_layer(layer.shape);
        if (l == 0) { continue; }
        const auto& before = model.layers[l - 1];
        if (row_count(before.shape) != column_count(layer.shape)) {
            throw arch::input_error("model: layer " + layer.name + " has " + std::to_string(column_count(layer.shape)) +
                                    " inputs, expected the " + std::to_string(row_count(before.shape)) +
                                    " outputs of " + before.name);
        }
    }
}

} // namespace tensorloom::workloads
