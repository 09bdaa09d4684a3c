#include "dxt/ranks/slab_transform.h"
#include <algorithm>
#include <cstring>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/workloads/gemt_order.h>
#include <tensorloom/workloads/npy_file.h>

namespace tensorloom::testbench {
namespace {

blocks::shape3 sizes_of(const workloads::box3& part)
{
    return {static_cast<std::uint32_t>(part.size[0]), static_cast<std::uint32_t>(part.size[1]),
            static_cast<std::uint32_t>(part.size[2])};
}

std::uint64_t offset_of(const workloads::box3& piece, const workloads::box3& part)
{
    return (piece.first[0] - part.first[0]) * part.size[1] * part.size[2];
}

std::string from_text(const workloads::box3& part)
{
    return "from (" + std::to_string(part.first[0]) + "," + std::to_string(part.first[1]) + "," +
           std::to_string(part.first[2]) + ") on: ";
}

} // namespace

template <class T>
slab_transform<T>::slab_transform(const dxt_options& options, const rank_plan& plan, unsigned ranks, unsigned rank)
    : m_options(options), m_plan(plan), m_ranks(ranks), m_rank(rank), m_rows(plan.stages.size()),
      m_driven(plan.stages.size()), m_product(options.device.config.threads)
{}

template <class T> void slab_transform<T>::make_matrices()
{
    m_problem.make_matrices(m_options);
    const auto box = m_options.box();
    for (std::size_t s = 0; s < m_plan.stages.size(); ++s) {
        const unsigned mode = m_plan.stages[s].mode;
        const auto& matrix = m_problem.matrices[mode];
        const std::size_t columns = m_options.result_shape()[mode];
        const auto order = workloads::row_order(m_options.tags, m_options.shape[mode], m_options.seed + mode);
        for (const std::uint32_t row : order) {
            const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(row * columns);
            streamed_row streamed;
            streamed.row = row;
            streamed.nonzeros =
                static_cast<std::uint32_t>(std::count_if(first, first + static_cast<std::ptrdiff_t>(columns),
                                                         [](const T& c) { return !arithmetic::is_zero(c); }));
            const bool zero_at_tag = row >= columns || arithmetic::is_zero(first[row]);
            if (!m_options.esop || streamed.nonzeros > 0) {
                streamed.sent = triada::coefficients_sent(m_options.esop, streamed.nonzeros, zero_at_tag,
                                                          static_cast<std::uint32_t>(box[mode]));
            }
            m_rows[s].push_back(streamed);
        }
    }
}

// The part of a slab that lies within a tensor: a dense stream's slab may be larger.
template <class T>
workloads::box3 slab_transform<T>::clipped(const workloads::shape3& whole, unsigned split, const mode_range& part) const
{
    workloads::box3 box{{}, whole};
    box.first[split] = std::min<std::size_t>(part.first, whole[split]);
    box.size[split] = std::min<std::size_t>(part.first + part.size, whole[split]) - box.first[split];
    return box;
}

template <class T> void slab_transform<T>::load()
{
    const auto& first = m_plan.stages.front();
    const auto part = clipped(m_options.shape, first.split, part_of(0));
    operand().clear(first.slab_of_input(part_of(0)));
    const auto write = [&](const workloads::box3& piece, const workloads::tensor<T>& elements) {
        operand().write(sizes_of(part), offset_of(piece, part),
                        reinterpret_cast<const unsigned char*>(elements.data.data()), elements.data.size());
    };
    if (!m_options.input) {
        const auto x = workloads::fill_box<T>(m_options.fill, m_options.shape, part, m_options.zeros, m_options.seed);
        return write(part, x);
    }
    for_each_piece(part, sizeof(T), [&](const workloads::box3& piece) {
        const auto x = workloads::load_npy_box_as<T>(*m_options.input, piece);
        if (!m_options.allow_nonfinite) {
            require_finite_elements(x.data, x.shape, "--input: " + *m_options.input + ", " + from_text(piece));
        }
        write(piece, x);
    });
}

template <class T> void slab_transform<T>::load_initial()
{
    const auto& last = m_plan.stages.back();
    const auto range = part_of(m_plan.stages.size() - 1);
    const auto part = clipped(m_options.result_shape(), last.split, range);
    other().clear(last.slab_of_output(range));
    for_each_piece(part, sizeof(sum), [&](const workloads::box3& piece) {
        const auto y = workloads::load_npy_box_as<sum>(*m_options.initial, piece);
        if (!m_options.allow_nonfinite) {
            require_finite_elements(y.data, y.shape, "--initial: " + *m_options.initial + ", " + from_text(piece));
        }
        other().write_sums(sizes_of(part), offset_of(piece, part),
                           reinterpret_cast<const unsigned char*>(y.data.data()), y.data.size());
    });
}

// The rows that are sent in a stage. `padded` holds them where the slab has more columns than they have elements (a
// dense stream).
template <class T>
std::vector<arithmetic::product_term> slab_transform<T>::terms_of(std::size_t stage, std::vector<T>& padded) const
{
    const auto& s = m_plan.stages[stage];
    const std::size_t columns = m_options.result_shape()[s.mode], wide = s.output[s.mode];
    const T* matrix = m_problem.matrices[s.mode].data();
    if (columns != wide) {
        padded.assign(m_options.shape[s.mode] * wide, T{});
        for (std::size_t n = 0; n < m_options.shape[s.mode]; ++n) {
            std::copy_n(matrix + n * columns, columns, padded.data() + n * wide);
        }
        matrix = padded.data();
    }
    std::vector<arithmetic::product_term> terms;
    for (const auto& row : m_rows[stage]) {
        if (row.sent == 0) { continue; }
        terms.push_back({reinterpret_cast<const unsigned char*>(matrix + row.row * wide), row.row, row.nonzeros});
    }
    return terms;
}

// The shift of the sums that are the operands of a stage.
template <class T> unsigned slab_transform<T>::shift_before(std::size_t stage) const
{
    return stage == 0 ? 0 : m_options.shifts[m_plan.stages[stage - 1].position];
}

template <class T> void slab_transform<T>::run_stage(std::size_t stage, const std::function<void(double)>& progress)
{
    const auto& s = m_plan.stages[stage];
    const auto in = s.slab_of_input(part_of(stage)), out = s.slab_of_output(part_of(stage));
    const bool starts_from_initial = m_options.initial && stage + 1 == m_plan.stages.size();
    std::vector<T> padded;
    const auto terms = terms_of(stage, padded);
    auto& counts = m_driven[stage];
    counts.resize(terms.size());

    typename product::problem p;
    p.outer = p.inner = 1;
    for (unsigned m = 0; m < s.mode; ++m) { p.outer *= in[m]; }
    for (unsigned m = s.mode + 1; m < 3; ++m) { p.inner *= in[m]; }
    p.rows = in[s.mode];
    p.columns = out[s.mode];
    p.x = operand().values();
    p.accumulate = starts_from_initial;
    p.y = starts_from_initial ? other().values() : other().overwritten(out);
    p.skip_zeros = m_options.esop;
    p.zero_threshold = m_options.zero_threshold;
    p.shift = shift_before(stage);
    if (terms.empty() && !starts_from_initial) { std::fill_n(p.y, registers::parts * isa::volume_of(out), real(0)); }
    // While progress is shown, no part of a stage takes longer than about a second.
    constexpr std::uint64_t watched_macs = 20'000'000'000;
    const std::uint64_t macs = std::uint64_t{p.outer} * p.columns * p.inner;
    const std::size_t most = progress ? std::clamp<std::size_t>(watched_macs / macs, 1, 1u << 20) : terms.size();
    for (std::size_t first = 0; first < terms.size(); first += most) {
        p.terms = terms.data() + first;
        p.term_count = std::min(most, terms.size() - first);
        m_product.run(p, counts.data() + first);
        p.accumulate = true;
        if (progress) { progress(static_cast<double>(first + p.term_count) / static_cast<double>(terms.size())); }
    }
    operand().clear({});
    m_operand = 1 - m_operand;
}

template <class T> void slab_transform<T>::exchange(std::size_t next_stage, const cut_function& cut)
{
    const auto& s = m_plan.stages[next_stage];
    const auto slab = s.slab_of_input(part_of(next_stage));
    const std::uint64_t before = isa::volume_of(operand().shape());
    const std::uint64_t after = isa::volume_of(slab);
    const real* from = operand().values();
    real* to = other().overwritten(slab);
    for (unsigned p = 0; p < registers::parts; ++p) {
        cut(sizeof(real), reinterpret_cast<const unsigned char*>(from + p * before),
            reinterpret_cast<unsigned char*>(to + p * after));
    }
    operand().clear({});
    m_operand = 1 - m_operand;
}

template <class T> void slab_transform<T>::write_state(base::state_writer& state)
{
    for (const auto& stage : m_driven) {
        for (const auto& c : stage) {
            state.put(c.operands);
            state.put(c.saturated);
            state.put(c.overflowed);
        }
    }
    state.put_bytes(reinterpret_cast<const unsigned char*>(operand().values()),
                    registers::parts * isa::volume_of(operand().shape()) * sizeof(real));
}

template <class T> void slab_transform<T>::read_state(base::state_reader& state, std::size_t stages_done)
{
    for (std::size_t s = 0; s < stages_done; ++s) {
        for (const auto& row : m_rows[s]) {
            if (row.sent == 0) { continue; }
            auto& c = m_driven[s].emplace_back();
            c.operands = state.take<std::uint64_t>();
            c.saturated = state.take<std::uint64_t>();
            c.overflowed = state.take<std::uint64_t>();
        }
    }
    const auto slab = m_plan.stages[stages_done - 1].slab_of_output(part_of(stages_done - 1));
    const std::size_t bytes = registers::parts * isa::volume_of(slab) * sizeof(real);
    std::memcpy(operand().overwritten(slab), state.take_bytes(bytes), bytes);
    state.finish();
}

template <class T>
std::uint64_t slab_transform<T>::bytes(const dxt_options& options, const rank_plan& plan, unsigned ranks)
{
    std::uint64_t most = 0;
    for (const auto& s : plan.stages) {
        const auto part = range_of(s.input[s.split], ranks, 0);
        most = std::max(most, isa::volume_of(s.slab_of_input(part)) + isa::volume_of(s.slab_of_output(part)));
    }
    std::uint64_t matrices = 0;
    for (const auto& s : plan.stages) { matrices += std::uint64_t{s.input[s.mode]} * s.output[s.mode] * sizeof(T); }
    return most * registers::parts * sizeof(real) * (options.initial ? 3 : 2) / 2 + matrices;
}

template class slab_transform<double>;
template class slab_transform<float>;
template class slab_transform<std::complex<double>>;
template class slab_transform<std::complex<float>>;
template class slab_transform<arithmetic::bfloat16>;
template class slab_transform<std::int8_t>;

} // namespace tensorloom::testbench
