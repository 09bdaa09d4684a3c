#include <tensorloom/workloads/training/losses/loss_operations.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

// Softmax over the classes of each sample, with its maximum taken off; loss = log(sum) + max - x[label]. Rows
// without a label, which fill a batch up, do not count.
class cross_entropy_operations : public loss_operations {
public:
    explicit cross_entropy_operations(std::uint64_t classes) : m_classes(classes) {}

    void measure(step_builder& to, std::size_t x) override
    {
        const std::uint64_t all = to.batch() * m_classes;
        m_labels = to.words("labels", all);
        to.gather(bus_array::labels, {m_labels}, m_classes, "gather the labels");
        const auto most = to.by_block(opcode::max_block, "largest outputs", x, to.batch(), m_classes);
        const auto wide = to.spread({most}, to.batch(), m_classes, "repeat the largest outputs");
        m_differences =
            to.made_of(opcode::sub, "outputs less the largest", {tensor_part{x}, tensor_part{wide}, {}}, all);
        m_powers = to.made_of(opcode::exp, "powers of e", {tensor_part{m_differences}, {}, {}}, all);
        m_power_sums = to.by_block(opcode::sum_block, "sums of powers", m_powers, to.batch(), m_classes);
        m_weights = to.by_block(opcode::sum_block, "labels of a sample", m_labels, to.batch(), m_classes);
        to.vector(opcode::sum_block, to.metric(step_metric::samples), {tensor_part{m_weights}, {}, {}}, to.batch(),
                  "count the samples", to.batch());
        const auto logs =
            to.made_of(opcode::log, "logarithms of sums", {tensor_part{m_power_sums}, {}, {}}, to.batch());
        to.vector(opcode::mul, {logs}, {tensor_part{logs}, tensor_part{m_weights}, {}}, to.batch(),
                  "logarithms of labelled samples");
        const auto of_label = to.made_of(opcode::mul, "differences at the labels",
                                         {tensor_part{m_differences}, tensor_part{m_labels}, {}}, all);
        const auto picked = to.by_block(opcode::sum_block, "difference at the label", of_label, to.batch(), m_classes);
        to.vector(opcode::sub, {logs}, {tensor_part{logs}, tensor_part{picked}, {}}, to.batch(), "losses");
        to.vector(opcode::sum_block, to.metric(step_metric::loss), {tensor_part{logs}, {}, {}}, to.batch(),
                  "sum of the losses", to.batch());
        const auto best = to.made_of(opcode::is_zero, "largest output", {tensor_part{m_differences}, {}, {}}, all);
        to.vector(opcode::mul, {best}, {tensor_part{best}, tensor_part{m_labels}, {}}, all, "largest at the label");
        to.vector(opcode::sum_block, to.metric(step_metric::correct), {tensor_part{best}, {}, {}}, all,
                  "count the correct answers", all);
    }

    // (softmax - label) / samples
    std::size_t gradient(step_builder& to) override
    {
        const std::uint64_t all = to.batch() * m_classes;
        const auto sums = to.spread({m_power_sums}, to.batch(), m_classes, "repeat the sums of powers");
        const auto p = to.made_of(opcode::div, "softmax", {tensor_part{m_powers}, tensor_part{sums}, {}}, all);
        const auto weights = to.spread({m_weights}, to.batch(), m_classes, "repeat the labels of a sample");
        to.vector(opcode::mul, {p}, {tensor_part{p}, tensor_part{weights}, {}}, all, "softmax of samples with a label");
        to.vector(opcode::sub, {p}, {tensor_part{p}, tensor_part{m_labels}, {}}, all, "softmax less label");
        to.vector(opcode::div, {p}, {tensor_part{p}, to.counted_samples(), {}}, all, "gradient of the loss", 0, true);
        return p;
    }

private:
    std::uint64_t m_classes;
    std::size_t m_labels = 0, m_differences = 0, m_powers = 0, m_power_sums = 0, m_weights = 0;
};

// A mean over the outputs of a function of the difference from the target. The difference of a sample that fills a
// batch up is 0.
class difference_operations : public loss_operations {
public:
    explicit difference_operations(std::uint64_t outputs) : m_outputs(outputs) {}

    void measure(step_builder& to, std::size_t y) override
    {
        const std::uint64_t batch = to.batch(), all = batch * m_outputs;
        m_share = 1 / static_cast<float>(m_outputs);
        const auto row = static_cast<std::int64_t>(m_outputs);
        const auto answers = to.words("targets and weights", all + batch);
        to.gather(bus_array::labels, {answers}, m_outputs + 1, "gather the targets");
        const auto targets = to.words("targets", all), weights = to.words("weights", batch);
        to.add("pick the targets",
               copy_operation{{targets}, {answers}, {1, batch, m_outputs}, {0, row, 1}, {0, row + 1, 1}});
        to.add("pick the weights",
               copy_operation{{weights}, {answers, m_outputs}, {1, 1, batch}, {0, 0, 1}, {0, 0, row + 1}});
        to.vector(opcode::sum_block, to.metric(step_metric::samples), {tensor_part{weights}, {}, {}}, batch,
                  "count the samples", batch);
        m_differences =
            to.made_of(opcode::sub, "outputs less targets", {tensor_part{y}, tensor_part{targets}, {}}, all);
        const auto wide = to.spread({weights}, batch, m_outputs, "repeat the weights");
        to.vector(opcode::mul, {m_differences}, {tensor_part{m_differences}, tensor_part{wide}, {}}, all,
                  "differences of samples with targets");
        const auto sums = to.by_block(opcode::sum_block, "losses", losses(to, m_differences, all), batch, m_outputs);
        to.by_word(opcode::mul, {sums}, {sums}, to.literal(m_share), batch, "means over the outputs");
        to.vector(opcode::sum_block, to.metric(step_metric::loss), {tensor_part{sums}, {}, {}}, batch,
                  "sum of the losses", batch);
        to.clear(to.metric(step_metric::correct), 1, "no correct answers");
    }

    std::size_t gradient(step_builder& to) override
    {
        const std::uint64_t all = to.batch() * m_outputs;
        const auto g = slopes(to, m_differences, all, m_share);
        to.vector(opcode::div, {g}, {tensor_part{g}, to.counted_samples(), {}}, all, "gradient of the loss", 0, true);
        return g;
    }

protected:
    /// The function of each difference.
    virtual std::size_t losses(step_builder& to, std::size_t e, std::uint64_t all) = 0;
    /// Its derivative times `share`.
    virtual std::size_t slopes(step_builder& to, std::size_t e, std::uint64_t all, float share) = 0;

    static std::size_t scaled(step_builder& to, std::size_t a, float by, std::uint64_t all, const std::string& called)
    {
        const auto z = to.words(called, all);
        to.by_word(opcode::mul, {z}, {a}, to.literal(by), all, called);
        return z;
    }

private:
    std::uint64_t m_outputs;
    float m_share = 1;
    std::size_t m_differences = 0;
};

class mse_operations : public difference_operations {
public:
    using difference_operations::difference_operations;

private:
    std::size_t losses(step_builder& to, std::size_t e, std::uint64_t all) override
    {
        return to.made_of(opcode::mul, "squares of differences", {tensor_part{e}, tensor_part{e}, {}}, all);
    }
    std::size_t slopes(step_builder& to, std::size_t e, std::uint64_t all, float share) override
    {
        return scaled(to, e, 2 * share, all, "slopes of squares");
    }
};

class l1_operations : public difference_operations {
public:
    using difference_operations::difference_operations;

private:
    std::size_t losses(step_builder& to, std::size_t e, std::uint64_t all) override
    {
        m_opposite = scaled(to, e, -1, all, "targets less outputs");
        return to.made_of(opcode::max, "sizes of differences", {tensor_part{e}, tensor_part{m_opposite}, {}}, all);
    }
    // 0 where there is no difference.
    std::size_t slopes(step_builder& to, std::size_t e, std::uint64_t all, float share) override
    {
        const auto slope = to.words("slope", all);
        to.fill({slope}, to.literal(share), all, "slope");
        const auto above =
            to.made_of(opcode::relu_gradient, "slopes above targets", {tensor_part{slope}, tensor_part{e}, {}}, all);
        const auto below = to.made_of(opcode::relu_gradient, "slopes below targets",
                                      {tensor_part{slope}, tensor_part{m_opposite}, {}}, all);
        return to.made_of(opcode::sub, "slopes of sizes", {tensor_part{above}, tensor_part{below}, {}}, all);
    }

    std::size_t m_opposite = 0;
};

// c (e - c / 2) with c the difference within delta.
class huber_operations : public difference_operations {
public:
    huber_operations(std::uint64_t outputs, float delta) : difference_operations(outputs), m_delta(delta) {}

private:
    std::size_t losses(step_builder& to, std::size_t e, std::uint64_t all) override
    {
        m_within = to.words("differences within delta", all);
        to.by_word(opcode::min, {m_within}, {e}, to.literal(m_delta), all, "differences up to delta");
        to.by_word(opcode::max, {m_within}, {m_within}, to.literal(-m_delta), all, "differences within delta");
        const auto z = scaled(to, m_within, 0.5f, all, "half of them");
        to.vector(opcode::sub, {z}, {tensor_part{e}, tensor_part{z}, {}}, all, "differences less half");
        to.vector(opcode::mul, {z}, {tensor_part{z}, tensor_part{m_within}, {}}, all, "losses of differences");
        return z;
    }
    std::size_t slopes(step_builder& to, std::size_t /*e*/, std::uint64_t all, float share) override
    {
        return scaled(to, m_within, share, all, "slopes within delta");
    }

    float m_delta;
    std::size_t m_within = 0;
};

} // namespace

std::unique_ptr<loss_operations> operations_of(const loss_settings& loss, std::uint64_t outputs)
{
    switch (loss.kind) {
    case loss_kind::cross_entropy: break;
    case loss_kind::mse: return std::make_unique<mse_operations>(outputs);
    case loss_kind::l1: return std::make_unique<l1_operations>(outputs);
    case loss_kind::huber: return std::make_unique<huber_operations>(outputs, loss.delta);
    }
    return std::make_unique<cross_entropy_operations>(outputs);
}

} // namespace tensorloom::workloads
