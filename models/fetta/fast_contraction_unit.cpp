#include <tensorloom/models/fetta/fast_contraction_unit.h>
#include <tensorloom/models/arch/fetta/bank_conflicts.h>

namespace tensorloom::fetta {

using arch::element_type;
using arch::fetta::beat_indices;
using arch::fetta::contract_command;
using arch::fetta::contract_index;
using arch::fetta::contract_tile;
using arch::fetta::event;
using arch::fetta::operand_role;

namespace {

// Calls action(tile, row) for every row of an operand once, not again for each tile that uses it.
template <class Action>
void for_each_operand_row(operand_role role, const contract_index& index, std::uint64_t rows, const Action& action)
{
    const auto& loops = index.loops();
    const std::uint64_t tiles = role == operand_role::ia ? loops.ia_tiles : loops.ib_tiles;
    contract_tile tile;
    for (tile.batch = 0; tile.batch < loops.batch_tiles; ++tile.batch) {
        for (std::uint64_t free = 0; free < tiles; ++free) {
            (role == operand_role::ia ? tile.ia : tile.ib) = free;
            for (tile.contracted = 0; tile.contracted < loops.contracted_tiles; ++tile.contracted) {
                for (std::uint64_t row = 0; row < rows; ++row) { action(tile, row); }
            }
        }
    }
}

// Calls action(tile, row) for every row of the result.
template <class Action>
void for_each_result_row(const contract_index& index, bool output_stationary, std::uint64_t side, const Action& action)
{
    contract_tile tile = index.first_tile();
    do {
        if (tile.contracted != 0) { continue; }
        const std::uint64_t rows = output_stationary ? side : tile.steps;
        for (std::uint64_t row = 0; row < rows; ++row) { action(tile, tile.first_step + row); }
    } while (index.next(tile));
}

} // namespace

fast_contraction_unit::fast_contraction_unit(sc_core::sc_module_name name, const config& config,
                                             const bus::stop_request& stop)
    : tensor_contraction_unit(name, config, stop), m_elements(config.geometry.side)
{}

contract_outcome fast_contraction_unit::run(const contract_command& command)
{
    const contract_index index(command, settings().geometry);
    const auto ideal = arch::fetta::ideal_cycles(command, settings().geometry);
    arch::fetta::counts counts = arch::fetta::contract_counts(command, settings().geometry);
    arch::fetta::linear_accesses accesses(command, settings().geometry);
    arch::fetta::count_linear(accesses.all(), command, settings().geometry, counts);
    const std::uint64_t cycles = ideal.total() + counts[event::conflict_cycle];
    const std::uint64_t passed = bus::wait_cycles(cycles, settings().clock_period, stop());
    contract_outcome done = after(passed, ideal);
    done.stopped = passed < cycles;
    if (done.stopped) { return done; }
    compute(command, index);
    done.counts = counts;
    return done;
}

// ---- values ----

void fast_contraction_unit::compute(const contract_command& command, const contract_index& index)
{
    const auto side = static_cast<std::ptrdiff_t>(settings().geometry.side);
    const bool output_stationary = arch::fetta::is_output_stationary(command.mapped());
    const std::ptrdiff_t k = command.contracted, a = command.ia_free;
    // Accumulators keep what columns without elements give, too.
    std::ptrdiff_t i = command.ib_free;
    if (command.has(contract_command::flag_keep)) { i = (i + side - 1) / side * side; }

    // Rows of the memory are rows here.
    m_ia.batch = k * a;
    m_ia.middle = output_stationary ? a : 1;
    m_ia.free = output_stationary ? 1 : k;
    m_ib.batch = k * i;
    m_ib.middle = arch::fetta::is_horizontal(command.mapped()) ? 1 : i;
    m_ib.free = arch::fetta::is_horizontal(command.mapped()) ? k : 1;
    m_sums.batch = a * i;
    m_sums.middle = i;
    m_sums.free = 1;
    const auto room = [&](matrices& m) {
        const auto size = static_cast<std::size_t>(m.batch) * command.batch;
        if (m.values.size() < size) { m.values.resize(size); }
    };
    room(m_ia), room(m_ib), room(m_sums);
    if (i != std::ptrdiff_t{command.ib_free}) { clear_columns(command, i); }

    read(command, index, operand_role::ia, *ia.operator->(), m_ia);
    read(command, index, operand_role::ib, *ib.operator->(), m_ib);
    if (command.has(contract_command::flag_accumulate)) { restore_sums(command, index); }
    if (settings().geometry.psum == element_type::bf16) {
        multiply(command, m_product_bf16);
    } else {
        multiply(command, m_product_f32);
    }
    put_sums(command, index);
}

/// Columns of IB beyond its own, up to so many, are zeros.
void fast_contraction_unit::clear_columns(const contract_command& command, std::ptrdiff_t columns)
{
    const std::ptrdiff_t first = command.ib_free, missing = columns - first;
    // Either the columns or the contracted indices are neighbours.
    const bool by_columns = m_ib.middle == 1;
    const std::ptrdiff_t runs = by_columns ? missing : std::ptrdiff_t{command.contracted};
    for (std::ptrdiff_t b = 0; b < std::ptrdiff_t{command.batch}; ++b) {
        float* const from = m_ib.values.data() + b * m_ib.batch + first * m_ib.free;
        for (std::ptrdiff_t run = 0; run < runs; ++run) {
            std::fill_n(from + run * (by_columns ? m_ib.free : m_ib.middle),
                        by_columns ? std::ptrdiff_t{command.contracted} : missing, 0.0f);
        }
    }
}

void fast_contraction_unit::read(const contract_command& command, const contract_index& index, operand_role role,
                                 const bank_read_if& banks, matrices& to)
{
    const auto& g = settings().geometry;
    const bool is_ia = role == operand_role::ia;
    const bool linear = arch::fetta::is_linear(command, role);
    const bool narrow = g.operand == element_type::bf16;
    const arch::fetta::banked_operand banked(command, role, g);
    std::optional<arch::fetta::linear_operand> order;
    if (linear) { order.emplace(command, role, g); }
    const std::uint32_t shared = banked.shared();
    const auto& layout = banks.layout();
    const auto copy = [&](std::uint64_t first, std::uint32_t elements, float* values) {
        if (narrow) {
            arithmetic::widen_row(banks.bytes() + first, elements, values);
        } else {
            std::copy_n(banks.bytes() + first, elements * sizeof(float), reinterpret_cast<unsigned char*>(values));
        }
    };
    const bool tiled = !is_ia && !arch::fetta::is_output_stationary(command.mapped());
    for_each_operand_row(role, index, tiled ? g.side : index.loops().steps, [&](const auto& tile, std::uint64_t r) {
        const auto place = banked.at(is_ia ? index.ia_counters(tile, r) : index.ib_counters(tile, r));
        for (std::uint32_t engine = 0; engine < g.engines; ++engine) {
            if ((engine & shared) != 0) { continue; }
            const beat_indices row = is_ia ? index.ia_beat(tile, r, engine) : index.ib_beat(tile, r, engine);
            if (row.lanes == 0) { continue; }
            float* const values = to.at(row);
            if (!linear) {
                copy(layout.row(g.operand, place.row, banked.bank(place, engine)), row.lanes, values);
                continue;
            }
            order->elements(row, m_elements.data());
            for (std::uint32_t lane = 0; lane < row.lanes; ++lane) {
                copy(layout.element(g.operand, m_elements[lane]), 1, values + lane);
            }
        }
    });
}

template <class Psum>
void fast_contraction_unit::multiply(const contract_command& command, arithmetic::ordered_product<Psum>& product)
{
    typename arithmetic::ordered_product<Psum>::problem p;
    p.rows = command.ia_free;
    p.columns = static_cast<std::size_t>(m_sums.middle);
    p.terms = command.contracted;
    p.parts = arch::fetta::parts(command.mask_contracted);
    p.length = arch::fetta::is_output_stationary(command.mapped()) ? (p.terms + p.parts - 1) / p.parts
                                                                   : settings().geometry.side;
    p.a_row = m_ia.free;
    p.a_term = m_ia.middle;
    p.b_term = m_ib.middle;
    p.b_column = m_ib.free;
    p.y_row = m_sums.middle;
    p.accumulate = command.has(contract_command::flag_accumulate);
    for (std::uint32_t b = 0; b < command.batch; ++b) {
        p.a = m_ia.values.data() + b * m_ia.batch;
        p.b = m_ib.values.data() + b * m_ib.batch;
        p.y = m_sums.values.data() + b * m_sums.batch;
        product.run(p);
    }
}

/// Calls action(row, port, accumulator row) for what every group of engines gives.
template <class Action>
void fast_contraction_unit::for_each_sum(const contract_command& command, const contract_index& index,
                                         const Action& action)
{
    const auto& g = settings().geometry;
    const arch::fetta::banked_operand banked(command, operand_role::result, g);
    for_each_result_row(index, arch::fetta::is_output_stationary(command.mapped()), g.side,
                        [&](const contract_tile& tile, std::uint64_t r) {
                            const auto place = banked.at(index.result_counters(tile, r));
                            for (std::uint32_t engine = 0; engine < g.engines; ++engine) {
                                if ((engine & banked.shared()) != 0) { continue; }
                                const beat_indices row = index.result_beat(tile, r, engine);
                                if (!row.present) { continue; }
                                action(row, place, banked.bank(place, engine), index.accumulator_row(tile, r));
                            }
                        });
}

void fast_contraction_unit::restore_sums(const contract_command& command, const contract_index& index)
{
    const bool keeps = command.has(contract_command::flag_keep);
    for_each_sum(command, index, [&](const beat_indices& row, const auto&, std::uint32_t port, std::uint64_t r) {
        std::copy_n(accumulators().row(port, static_cast<std::uint32_t>(r)),
                    keeps ? settings().geometry.side : row.lanes, m_sums.at(row));
    });
}

/// Into the accumulators, or to the unified memory.
void fast_contraction_unit::put_sums(const contract_command& command, const contract_index& index)
{
    const auto& g = settings().geometry;
    if (command.has(contract_command::flag_keep)) {
        for_each_sum(command, index, [&](const beat_indices& row, const auto&, std::uint32_t port, std::uint64_t r) {
            std::copy_n(m_sums.at(row), g.side, accumulators().row(port, static_cast<std::uint32_t>(r)));
        });
        return;
    }
    bank_write_if& banks = *result.operator->();
    const element_type type = command.result_type();
    const bool linear = arch::fetta::is_linear(command, operand_role::result);
    std::optional<arch::fetta::linear_operand> order;
    if (linear) { order.emplace(command, operand_role::result, g); }
    const auto& layout = banks.layout();
    const auto copy = [&](const float* values, std::uint32_t elements, std::uint64_t first) {
        if (type == element_type::bf16) {
            arithmetic::narrow_row(values, elements, banks.bytes() + first);
        } else {
            std::copy_n(reinterpret_cast<const unsigned char*>(values), elements * sizeof(float),
                        banks.bytes() + first);
        }
    };
    for_each_sum(command, index, [&](const beat_indices& row, const auto& place, std::uint32_t port, std::uint64_t r) {
        const float* const values = m_sums.at(row);
        if (holds_sums()) { std::fill_n(accumulators().row(port, static_cast<std::uint32_t>(r)), g.side, 0.0f); }
        if (!linear) {
            copy(values, row.lanes, layout.row(type, place.row, port));
            return;
        }
        order->elements(row, m_elements.data());
        for (std::uint32_t lane = 0; lane < row.lanes; ++lane) {
            copy(values + lane, 1, layout.element(type, m_elements[lane]));
        }
    });
    banks.note_written(arch::fetta::result_range(command, g));
}

} // namespace tensorloom::fetta
