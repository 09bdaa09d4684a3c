#include <tensorloom/models/fetta/fast_contraction_unit.h>
#include <algorithm>
#include <cstring>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::fetta {

using arch::element_type;
using arch::fetta::contract_command;

namespace {

// Most runs are rows of the paper's four elements.
constexpr std::size_t short_run = 4;

void widen(const unsigned char* from, std::size_t elements, float* to)
{
    elements == short_run ? arithmetic::widen_four(from, to) : arithmetic::widen_row(from, elements, to);
}

void narrow(const float* from, std::size_t elements, unsigned char* to)
{
    elements == short_run ? arithmetic::narrow_four(from, to) : arithmetic::narrow_row(from, elements, to);
}

template <class To, class From> void copy_words(const From* from, std::size_t elements, To* to)
{
    if (elements == short_run) {
        std::memcpy(to, from, short_run * sizeof(float));
    } else {
        std::memcpy(to, from, elements * sizeof(float));
    }
}

} // namespace

fast_contraction_unit::fast_contraction_unit(sc_core::sc_module_name name, const config& config,
                                             const bus::stop_request& stop)
    : tensor_contraction_unit(name, config, stop)
{}

contract_outcome fast_contraction_unit::run(const contract_command& command)
{
    const placed_contraction placed = m_prepared.of(command, settings().geometry, result->layout());
    const prepared_contraction& c = *placed.prepared;
    const std::uint64_t passed = bus::wait_cycles(c.cycles, settings().clock_period, stop());
    contract_outcome done = after(passed, c.ideal);
    done.stopped = passed < c.cycles;
    if (done.stopped) { return done; }
    compute(placed);
    done.counts = c.counts;
    return done;
}

// ---- values ----

void fast_contraction_unit::compute(const placed_contraction& placed)
{
    const prepared_contraction& c = *placed.prepared;
    const auto room = [](std::vector<float>& values, const dense_matrices& shape) {
        if (values.size() < shape.elements) { values.resize(shape.elements); }
    };
    room(m_ia, c.ia), room(m_ib, c.ib), room(m_sums, c.sums);
    if (c.columns != c.command.ib_free) { clear_columns(c); }
    const auto [ia_byte, ib_byte, result_byte] = placed.byte;
    read(c.ia_runs, *ia.operator->(), ia_byte, m_ia.data());
    read(c.ib_runs, *ib.operator->(), ib_byte, m_ib.data());
    if (c.command.has(contract_command::flag_accumulate)) { restore_sums(c); }
    if (settings().geometry.psum == element_type::bf16) {
        multiply(c, m_product_bf16);
    } else {
        multiply(c, m_product_f32);
    }
    put_sums(c, result_byte);
}

/// Columns of IB beyond its own are zeros: accumulators keep what they give, too.
void fast_contraction_unit::clear_columns(const prepared_contraction& c)
{
    const std::size_t first = c.command.ib_free, missing = c.columns - first, terms = c.command.contracted;
    const auto [batch, middle, free] = c.ib.stride;
    // Either the columns or the contracted indices are neighbours.
    const bool by_columns = middle == 1;
    const std::size_t runs = by_columns ? missing : terms;
    for (std::uint32_t b = 0; b < c.command.batch; ++b) {
        float* const from = m_ib.data() + b * batch + static_cast<std::ptrdiff_t>(first) * free;
        for (std::size_t run = 0; run < runs; ++run) {
            std::fill_n(from + static_cast<std::ptrdiff_t>(run) * (by_columns ? free : middle),
                        by_columns ? terms : missing, 0.0f);
        }
    }
}

void fast_contraction_unit::read(const std::vector<memory_run>& runs, const bank_read_if& banks, std::uint64_t first,
                                 float* to) const
{
    const unsigned char* const memory = banks.bytes();
    if (settings().geometry.operand == element_type::bf16) {
        for (const memory_run& r : runs) { widen(memory + (first + r.byte), r.elements, to + r.at); }
        return;
    }
    for (const memory_run& r : runs) { copy_words(memory + (first + r.byte), r.elements, to + r.at); }
}

template <class Psum>
void fast_contraction_unit::multiply(const prepared_contraction& c, arithmetic::ordered_product<Psum>& product)
{
    typename arithmetic::ordered_product<Psum>::problem p;
    p.rows = c.command.ia_free;
    p.columns = c.columns;
    p.terms = c.command.contracted;
    p.parts = arch::fetta::parts(c.command.mask_contracted);
    p.length = arch::fetta::is_output_stationary(c.command.mapped()) ? (p.terms + p.parts - 1) / p.parts
                                                                     : settings().geometry.side;
    p.a_row = c.ia.stride[2];
    p.a_term = c.ia.stride[1];
    p.b_term = c.ib.stride[1];
    p.b_column = c.ib.stride[2];
    p.y_row = c.sums.stride[1];
    p.accumulate = c.command.has(contract_command::flag_accumulate);
    for (std::uint32_t b = 0; b < c.command.batch; ++b) {
        p.a = m_ia.data() + b * c.ia.stride[0];
        p.b = m_ib.data() + b * c.ib.stride[0];
        p.y = m_sums.data() + b * c.sums.stride[0];
        product.run(p);
    }
}

void fast_contraction_unit::restore_sums(const prepared_contraction& c)
{
    for (const accumulator_run& r : c.accumulator_runs) {
        std::copy_n(accumulators().row(r.port, r.row), r.elements, m_sums.data() + r.at);
    }
}

/// Into the accumulators, or to the unified memory.
void fast_contraction_unit::put_sums(const prepared_contraction& c, std::uint64_t first)
{
    const auto& g = settings().geometry;
    if (c.command.has(contract_command::flag_keep)) {
        for (const accumulator_run& r : c.accumulator_runs) {
            copy_words(m_sums.data() + r.at, r.elements, accumulators().row(r.port, r.row));
        }
        return;
    }
    if (holds_sums()) {
        for (const accumulator_run& r : c.accumulator_runs) {
            std::fill_n(accumulators().row(r.port, r.row), g.side, 0.0f);
        }
    }
    bank_write_if& banks = *result.operator->();
    unsigned char* const memory = banks.bytes();
    for (const memory_run& r : c.result_runs) {
        const float* const values = m_sums.data() + r.at;
        if (c.command.result_type() == element_type::bf16) {
            narrow(values, r.elements, memory + (first + r.byte));
        } else {
            copy_words(values, r.elements, memory + (first + r.byte));
        }
    }
    banks.note_written({first + c.written.first, first + c.written.end});
}

} // namespace tensorloom::fetta
