#include <tensorloom/models/fetta/fast_contraction_unit.h>
#include <algorithm>
#include <cstring>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::fetta {

using base::element_type;

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
                                             const bus::clock_source& clock, const bus::stop_request& stop)
    : tensor_contraction_unit(name, config, clock, stop)
{}

contract_outcome fast_contraction_unit::run(const contract_command& command)
{
    const placed_contraction placed = m_prepared.of(command, settings().limits, result->layout(), banks() != nullptr);
    const prepared_contraction& c = *placed.prepared;
    const std::uint64_t passed = bus::wait_cycles(c.cycles, clock().period(), stop());
    contract_outcome done = after(passed, c.ideal);
    done.stopped = passed < c.cycles;
    if (done.stopped) { return done; }
    compute(placed);
    done.counts = c.counts;
    if (banks() != nullptr) { banks()->add(c.banks); }
    return done;
}

// ---- values ----

void fast_contraction_unit::compute(const placed_contraction& placed)
{
    const prepared_contraction& c = *placed.prepared;
    const auto [ia_byte, ib_byte, result_byte] = placed.byte;
    const float* const a = operand(c.ia, *ia.operator->(), ia_byte, m_ia);
    const float* const b = operand(c.ib, *ib.operator->(), ib_byte, m_ib);
    if (c.columns != c.command.ib_free) { clear_columns(c); }
    float* y = nullptr;
    if (c.sums.held == product_tensor::storage::memory) {
        y = reinterpret_cast<float*>(result->bytes() + (result_byte + c.sums.byte));
    } else {
        y = room(m_sums, c.sums);
        if (c.command.has(contract_command::flag_accumulate)) { restore_sums(c); }
    }
    if (settings().limits.psum == element_type::bf16) {
        multiply(c, a, b, y, m_product_bf16);
    } else {
        multiply(c, a, b, y, m_product_f32);
    }
    put_sums(c, result_byte);
}

float* fast_contraction_unit::room(std::vector<float>& values, const product_tensor& tensor)
{
    if (values.size() < tensor.floats) { values.resize(tensor.floats); }
    return values.data();
}

const float* fast_contraction_unit::operand(const product_tensor& tensor, const bank_read_if& banks,
                                            std::uint64_t first, std::vector<float>& values) const
{
    const unsigned char* const from = banks.bytes() + (first + tensor.byte);
    if (tensor.held == product_tensor::storage::memory) { return reinterpret_cast<const float*>(from); }
    float* const to = room(values, tensor);
    if (tensor.held == product_tensor::storage::image) {
        const auto& g = settings().limits;
        arithmetic::widen_layers(from, g.side, g.engines, tensor.floats / (2 * g.side * g.engines), to);
    } else {
        read(tensor.runs, banks, first, to);
    }
    return to;
}

/// Columns beyond those of IB are zeros; their sums are also stored in the accumulators.
void fast_contraction_unit::clear_columns(const prepared_contraction& c)
{
    for (std::size_t b = 0; b < c.command.batch; ++b) {
        for (std::size_t term = 0; term < c.command.contracted; ++term) {
            for (std::size_t column = c.command.ib_free; column < c.columns; ++column) {
                m_ib[static_cast<std::size_t>(c.ib.offset[0][b] + c.ib.offset[1][term] + c.ib.offset[2][column])] = 0;
            }
        }
    }
}

void fast_contraction_unit::read(const std::vector<memory_run>& runs, const bank_read_if& banks, std::uint64_t first,
                                 float* to) const
{
    const unsigned char* const memory = banks.bytes();
    if (settings().limits.operand == element_type::bf16) {
        for (const memory_run& r : runs) { widen(memory + (first + r.byte), r.elements, to + r.at); }
        return;
    }
    for (const memory_run& r : runs) { copy_words(memory + (first + r.byte), r.elements, to + r.at); }
}

template <class Psum>
void fast_contraction_unit::multiply(const prepared_contraction& c, const float* a, const float* b, float* y,
                                     arithmetic::ordered_product<Psum>& product)
{
    typename arithmetic::ordered_product<Psum>::problem p;
    p.rows = c.command.ia_free;
    p.columns = c.columns;
    p.terms = c.command.contracted;
    p.parts = parts(c.command.mask_contracted);
    p.length = is_output_stationary(c.command.mapped()) ? (p.terms + p.parts - 1) / p.parts : settings().limits.side;
    p.a_row = c.ia.offset[2];
    p.a_term = c.ia.offset[1];
    p.b_term = c.ib.offset[1];
    p.b_column = c.ib.offset[2];
    p.y_row = c.sums.offset[1];
    p.y_column = c.sums.offset[2];
    p.accumulate = c.command.has(contract_command::flag_accumulate);
    for (std::size_t i = 0; i < c.command.batch; ++i) {
        p.a = a + c.ia.offset[0][i];
        p.b = b + c.ib.offset[0][i];
        p.y = y + c.sums.offset[0][i];
        product.run(p);
    }
}

void fast_contraction_unit::restore_sums(const prepared_contraction& c)
{
    for (const accumulator_run& r : c.accumulator_runs) {
        std::copy_n(accumulators().row(r.port, r.row), r.elements, m_sums.data() + r.at);
    }
}

/// Stores the sums in the accumulators, or in the unified memory.
void fast_contraction_unit::put_sums(const prepared_contraction& c, std::uint64_t first)
{
    const auto& g = settings().limits;
    if (c.command.has(contract_command::flag_keep)) {
        for (const accumulator_run& r : c.accumulator_runs) {
            copy_words(m_sums.data() + r.at, r.elements, accumulators().row(r.port, r.row));
        }
        keep(c.accumulators);
        return;
    }
    if (kept().meet(c.accumulators)) {
        for (const auto& r : c.passed_rows) {
            std::fill_n(accumulators().row(r.port, r.first), std::size_t{r.rows} * g.side, 0.0f);
        }
    }
    bank_write_if& banks = *result.operator->();
    if (c.sums.held == product_tensor::storage::image) {
        write_image(c.sums, banks, first + c.sums.byte);
    } else {
        write(c.sums.runs, c.command.result_type(), banks, first);
    }
    banks.note_written({first + c.written.first, first + c.written.end});
}

void fast_contraction_unit::write(const std::vector<memory_run>& runs, element_type type, bank_write_if& banks,
                                  std::uint64_t first) const
{
    unsigned char* const memory = banks.bytes();
    for (const memory_run& r : runs) {
        const float* const values = m_sums.data() + r.at;
        if (type == element_type::bf16) {
            narrow(values, r.elements, memory + (first + r.byte));
        } else {
            copy_words(values, r.elements, memory + (first + r.byte));
        }
    }
}

/// Writes only the tensor's part of the first and the last block, which other tensors may share.
void fast_contraction_unit::write_image(const product_tensor& tensor, bank_write_if& banks, std::uint64_t first) const
{
    const auto& g = settings().limits;
    const std::size_t block = 2 * g.side * g.engines;
    unsigned char* const to = banks.bytes() + first;
    const auto write_rows = [&](std::size_t from, std::size_t end) {
        while (from < end) {
            const std::size_t next = std::min(end, (from / g.side + 1) * g.side);
            arithmetic::narrow_row(m_sums.data() + from, next - from,
                                   to + banks.layout().element(element_type::bf16, from));
            from = next;
        }
    };
    const std::size_t whole = std::min(tensor.end, (tensor.first + block - 1) / block * block);
    const std::size_t end = std::max(whole, tensor.end / block * block);
    write_rows(tensor.first, whole);
    arithmetic::narrow_layers(m_sums.data() + whole, g.side, g.engines, (end - whole) / block,
                              to + whole * sizeof(std::uint16_t));
    write_rows(end, tensor.end);
}

} // namespace tensorloom::fetta
