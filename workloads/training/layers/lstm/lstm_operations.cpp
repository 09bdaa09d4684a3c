#include <tensorloom/workloads/training/layers/lstm/lstm_layer.h>
#include <algorithm>
#include <tensorloom/workloads/training/layers/layer_operations.h>
#include <tensorloom/workloads/training/layers/lstm/recurrent_map.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using isa::vector::opcode;

// Of all frames there are gates, c and h. Gates lie where W x of the frame was, and their gradients where they were.
//
// Of a sample X and dX lie frame by frame, and h of all frames; within the layer all lies frame by frame, of each frame
// the samples of the batch. Gates of a frame lie one behind the other, of each the samples; what contractions make of
// them and take has the gates of a sample together.
class lstm_operations : public layer_operations {
public:
    lstm_operations(const lstm_layer& layer, std::uint64_t batch, const layer_contractions& contractions,
                    const std::string& name)
        : m_layer(layer), m_batch(batch), m_units(batch * layer.hidden), m_of(" of " + name),
          m_pieces(contractions.maps[0].pieces), m_bias(contractions.maps[0].bias), m_input(contractions.maps[0], m_of),
          m_hidden(contractions.maps[1], layer.frames, " of the hidden state" + m_of)
    {}

    passed_values forward(step_builder& to, passed_values x) override
    {
        const auto y = m_input.products(to, operands_by_frame(to, x));
        m_gates.tensor = y;
        m_gates.pitch = lstm_layer::gates * m_units;
        m_cells = frame_parts(to, "cells" + m_of, m_layer.frames + 1, m_units, element_type::f32);
        to.fill({m_cells.tensor}, to.literal(0), m_units, "cells before the first frame" + m_of);
        m_hidden.begin_forward(to, {m_cells.tensor});
        std::optional<std::size_t> bias;
        if (m_bias) { bias = to.repeated(to.master(*m_bias), m_batch, row(), "repeat the bias" + m_of); }
        const bool every = m_layer.output == sequence_output::all;
        const auto all = every ? to.words("h of all frames" + m_of, length()) : 0;
        loop(to);
        const auto sums = m_hidden.forward(to);
        const tensor_part s{sums}, products = m_gates.ascending();
        if (bias) {
            to.vector(opcode::add, products, {products, tensor_part{*bias}, {}}, m_batch * row(),
                      "add the bias" + m_of);
        }
        to.vector(opcode::add, s, {products, s, {}}, m_batch * row(), "add both products" + m_of);
        const auto h = frame(to, sums);
        m_hidden.keep(to, {h}, m_units);
        if (every) {
            to.add("h in its frame" + m_of, copy_operation{{all, 0, hidden()},
                                                           {h},
                                                           {1, m_batch, m_layer.hidden},
                                                           {0, hidden() * frames(), 1},
                                                           {0, hidden(), 1}});
        }
        to.add("end" + m_of, end_operation{});
        return {length(), every ? all : h, std::nullopt, "h" + m_of};
    }

    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        const auto dh = to.words("dh" + m_of, m_units), dc = to.words("dc" + m_of, m_units),
                   ones = to.words("ones" + m_of, m_units);
        to.fill({ones}, to.literal(1), m_units, "ones" + m_of);
        to.fill({dc}, to.literal(0), m_units, "no dc after the last frame" + m_of);
        if (m_layer.output == sequence_output::last) {
            to.add("dh of the last frame" + m_of, copy_operation{{dh}, {dz}, {1, 1, m_units}, {0, 0, 1}, {0, 0, 1}});
        } else {
            to.fill({dh}, to.literal(0), m_units, "no dh after the last frame" + m_of);
        }
        m_hidden.begin_backward(to);
        loop(to);
        if (m_layer.output == sequence_output::all) { add_gradient_of_frame(to, dz, dh); }
        const auto of_frame = m_gates.descending(m_layer.frames - 1);
        const auto gates = gradient_of_gates(to, dh, dc, ones);
        to.add("dY with the gates of a sample together" + m_of,
               copy_operation{of_frame, {gates}, gate_sizes(), by_sample(), by_gate()});
        m_hidden.backward(to, of_frame, {dh});
        to.add("end" + m_of, end_operation{});
        const tensor_part dy{
            to.rounded({m_gates.tensor}, m_layer.frames * m_batch * row(), "dY" + m_of, "round dY" + m_of)};
        m_hidden.end_backward(to, dy);
        const auto dx = m_input.backward(to, dy);
        if (!dx) { return dx; }
        const auto by_sample = to.words("dX" + m_of, m_batch * m_layer.inputs());
        const auto features = static_cast<std::int64_t>(m_layer.features), batch = static_cast<std::int64_t>(m_batch);
        to.add("dX by sample" + m_of, copy_operation{{by_sample},
                                                     {*dx},
                                                     {m_batch, m_layer.frames, m_layer.features},
                                                     {frames() * features, features, 1},
                                                     {features, batch * features, 1}});
        return by_sample;
    }

private:
    using strides = std::array<std::int64_t, 3>;

    std::uint64_t length() const { return m_batch * m_layer.outputs(); }
    std::uint64_t row() const { return lstm_layer::gates * m_layer.hidden; }
    std::int64_t hidden() const { return static_cast<std::int64_t>(m_layer.hidden); }
    std::int64_t frames() const { return static_cast<std::int64_t>(m_layer.frames); }
    // Of a frame: gate, sample, number.
    std::array<std::uint64_t, 3> gate_sizes() const { return {lstm_layer::gates, m_batch, m_layer.hidden}; }
    strides by_gate() const { return {static_cast<std::int64_t>(m_units), hidden(), 1}; }
    strides by_sample() const { return {hidden(), static_cast<std::int64_t>(row()), 1}; }

    void loop(step_builder& to)
    {
        to.add("loop over " + std::to_string(m_layer.frames) + " frames" + m_of, loop_operation{m_layer.frames});
    }

    // Features of several pieces are gathered frame by frame, when a piece needs them. A piece is several frames, or
    // some of the samples of a frame.
    linear_operations::pieces_of_x operands_by_frame(step_builder& to, passed_values& x) const
    {
        if (m_pieces == 1 || !x.are_features()) { return m_input.pieces(to, {operand_by_frame(to, x)}); }
        return [this, &to, name = x.name](std::uint64_t piece) {
            const std::uint64_t rows = m_layer.frames * m_batch / m_pieces, samples = std::min(rows, m_batch);
            const std::uint64_t features = m_layer.features;
            const tensor_part all{to.tensor(name + " of frames", rows * features, element_type::bf16)};
            for (std::uint64_t row = 0; row < rows; row += samples) {
                const std::uint64_t first = piece * rows + row;
                to.gather(bus_array::features, {all.tensor, row * features},
                          {first / m_batch * features, features, first % m_batch, samples},
                          "gather " + name + " of a frame");
            }
            return all;
        };
    }

    std::size_t operand_by_frame(step_builder& to, passed_values& x) const
    {
        const auto by_frame = to.words(x.name + " by frame", x.length);
        const auto features = static_cast<std::int64_t>(m_layer.features), batch = static_cast<std::int64_t>(m_batch);
        to.add(x.name + " by frame", copy_operation{{by_frame},
                                                    {to.words_of(x)},
                                                    {m_layer.frames, m_batch, m_layer.features},
                                                    {batch * features, features, 1},
                                                    {features, frames() * features, 1}});
        return to.rounded(by_frame, x.length, "round " + x.name + " by frame");
    }

    // Gate number `gate` of what begins here.
    tensor_part gate(tensor_part first, std::uint64_t gate) const
    {
        first.offset += gate * m_units;
        return first;
    }
    enum : std::uint64_t { in, forget, cell, out };

    // h of a frame, of the sums that make its gates; gates and c stay.
    std::size_t frame(step_builder& to, std::size_t sums)
    {
        const auto by = [&](opcode code, tensor_part z, const step_builder::operands& of, const char* what) {
            to.vector(code, z, of, m_units, what + m_of);
        };
        const tensor_part gates = m_gates.ascending(), i = gate(gates, in), f = gate(gates, forget),
                          g = gate(gates, cell), o = gate(gates, out), before = m_cells.ascending(),
                          c = m_cells.ascending(1), free{sums}; // once they are together
        to.add("sums of a gate together" + m_of, copy_operation{gates, {sums}, gate_sizes(), by_gate(), by_sample()});
        to.vector(opcode::sigmoid, i, {i, {}, {}}, 2 * m_units, "input and forget gates" + m_of);
        by(opcode::tanh, g, {g, {}, {}}, "cell gate");
        by(opcode::sigmoid, o, {o, {}, {}}, "output gate");
        by(opcode::mul, free, {i, g, {}}, "new part of the cells");
        by(opcode::mul, c, {f, before, {}}, "kept part of the cells");
        by(opcode::add, c, {c, free, {}}, "cells");
        by(opcode::tanh, free, {c, {}, {}}, "tanh of cells");
        return to.made_of(opcode::mul, "h" + m_of, {o, free, {}}, m_units);
    }

    void add_gradient_of_frame(step_builder& to, std::size_t dz, std::size_t dh)
    {
        const tensor_part added{to.words("dh of a frame" + m_of, m_units)};
        to.add("dh of a frame" + m_of, copy_operation{added,
                                                      {dz, (m_layer.frames - 1) * m_layer.hidden, -hidden()},
                                                      {1, m_batch, m_layer.hidden},
                                                      {0, hidden(), 1},
                                                      {0, frames() * hidden(), 1}});
        to.vector(opcode::add, {dh}, {tensor_part{dh}, added, {}}, m_units, "dh and that of the frame" + m_of);
    }

    // Of the sums that make the gates of a frame, of dh and dc; dc becomes that of the frame before.
    std::size_t gradient_of_gates(step_builder& to, std::size_t dh, std::size_t dc, std::size_t ones)
    {
        const std::uint64_t last = m_layer.frames - 1;
        const auto by = [&](opcode code, tensor_part z, tensor_part a, tensor_part b, const char* what,
                            std::uint64_t gates = 1) {
            to.vector(code, z, {a, b, {}}, gates * m_units, what + m_of);
        };
        const tensor_part d{to.words("gradients of gates" + m_of, lstm_layer::gates * m_units)},
            slope{to.words("slopes of gates" + m_of, lstm_layer::gates * m_units)},
            gates = m_gates.descending(last), i = gate(gates, in), f = gate(gates, forget), g = gate(gates, cell),
            o = gate(gates, out), before = m_cells.descending(last), bent = m_cells.descending(last + 1), h{dh}, c{dc};
        to.vector(opcode::tanh, bent, {bent, {}, {}}, m_units, "tanh of cells" + m_of); // no other frame needs them
        by(opcode::mul, d, h, o, "dh times the output gate"); // dc + (d - d bent bent), d = dh o
        by(opcode::add, c, c, d, "dc of h, linear");
        by(opcode::mul, d, d, bent, "times tanh of cells");
        by(opcode::mul, d, d, bent, "times its square");
        by(opcode::sub, c, c, d, "dc of h");
        by(opcode::mul, gate(d, in), c, g, "gradient of the input gate");
        by(opcode::mul, gate(d, forget), c, before, "gradient of the forget gate");
        by(opcode::mul, gate(d, cell), c, i, "gradient of the cell gate");
        by(opcode::mul, gate(d, out), h, bent, "gradient of the output gate");
        by(opcode::mul, c, c, f, "dc of the frame before");
        by(opcode::mul, slope, gates, gates, "squares of gates", lstm_layer::gates); // z - z z, of tanh 1 - z z
        by(opcode::sub, gate(slope, in), i, gate(slope, in), "slopes of input and forget gates", 2);
        by(opcode::sub, gate(slope, cell), {ones}, gate(slope, cell), "slope of the cell gate");
        by(opcode::sub, gate(slope, out), o, gate(slope, out), "slope of the output gate");
        by(opcode::mul, d, d, slope, "gradients inside of the gates", lstm_layer::gates);
        return d.tensor;
    }

    lstm_layer m_layer;
    std::uint64_t m_batch, m_units; // numbers of h of a batch
    std::string m_of;
    std::uint64_t m_pieces;
    std::optional<std::size_t> m_bias;
    linear_operations m_input;
    recurrent_operations m_hidden;
    frame_parts m_gates, m_cells;
};

} // namespace

void lstm_layer::declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const
{
    declaration.add_map(weights, batch * frames, with_dx, {}, row_pitch::none, batch);
    declaration.add_recurrent_map(hidden_weights, batch, frames, "hidden weights");
}

std::unique_ptr<layer_operations> lstm_layer::operations(const layer_contractions& contractions,
                                                         const std::string& name) const
{
    return std::make_unique<lstm_operations>(*this, contractions.maps[1].rows, contractions, name);
}

} // namespace tensorloom::workloads
