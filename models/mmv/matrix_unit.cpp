#include <tensorloom/models/mmv/matrix_unit.h>
#include <algorithm>
#include <tensorloom/models/base/values/integers.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::mmv {
namespace {

blocks::systolic_array_config array_config(const config& c, const bus::clock_source& clock)
{
    blocks::systolic_array_config array;
    array.side = c.side;
    array.format = c.format;
    array.in_words = c.in_words;
    array.out_words = c.out_words;
    array.pipeline_depth = c.pipeline_depth;
    array.streaming = c.streaming;
    array.model = c.fidelity;
    array.clock_period = clock;
    return array;
}

/// Some rows of a matrix of elements of `bytes` bytes.
memory::byte_rows bytes_of(const matrix_operand& matrix, std::uint64_t first, std::uint64_t rows, std::uint64_t columns,
                           std::size_t bytes)
{
    const std::int64_t stride = matrix.row_stride * static_cast<std::int64_t>(bytes);
    const auto address = static_cast<std::uint64_t>(matrix.address + static_cast<std::int64_t>(first) * stride);
    return {address, rows, columns * bytes, stride};
}

/// Words of the scratchpad that some rows lie in, row by row.
std::uint64_t words_of(const memory::byte_rows& rows, const base::scratchpad_banks& banks)
{
    if (rows.stride % banks.word_bytes() == 0) { return rows.rows * banks.words(rows.address, rows.row_bytes); }
    std::uint64_t words = 0;
    for (std::uint64_t r = 0; r < rows.rows; ++r) {
        words += banks.words(rows.address + r * static_cast<std::uint64_t>(rows.stride), rows.row_bytes);
    }
    return words;
}

/// Splits the cycles that have passed by the planned causes.
void pass(const unit_outcome& planned, std::uint64_t cycles, unit_outcome& report)
{
    for (const auto& part : planned.segments) {
        const std::uint64_t passed = std::min(part.cycles, cycles);
        if (passed == part.cycles) {
            report.add(part.cause, part.freed);
        } else {
            report.add(part.cause, passed);
        }
        cycles -= passed;
    }
}

template <class Command> Command command_of(const shell::issued_command& c)
{
    return Command::decode(c.payload).at(c.iteration);
}

bool is_product(const isa::command_header& header)
{
    return static_cast<std::uint8_t>(header.opcode) == static_cast<std::uint8_t>(opcode::product);
}

} // namespace

matrix_unit::matrix_unit(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                         const bus::stop_request& stop)
    : sc_core::sc_module(name), pad("pad"), m_config(config), m_clock(clock), m_stop(stop),
      m_array(blocks::make_systolic_array("array", array_config(config, clock), stop))
{}

matrix_unit::~matrix_unit() = default;

void matrix_unit::end_of_elaboration() { pad->attach(m_watch); }

void matrix_unit::forget() { m_watch.forget(); }

unit_outcome matrix_unit::execute(const matmul_command& command)
{
    unit_outcome report;
    const bool complete = (holds(command) || load(command, report)) && stream(command, report) && pass_latency(report);
    if (!complete) {
        report.error = isa::error_code::aborted;
        report.counts = {};
    } else if (report.counts[event::mac_overflowed] != 0) {
        report.error = isa::error_code::accumulator_overflow;
    }
    return report;
}

bool matrix_unit::holds(const matmul_command& command) const
{
    return !m_watch.written() && command.weights.address == m_held.weights.address &&
           command.weights.row_stride == m_held.weights.row_stride && command.left_columns == m_held.left_columns &&
           command.result_columns == m_held.result_columns;
}

bool matrix_unit::load(const matmul_command& command, unit_outcome& report)
{
    const auto& schedule = m_array->schedule();
    blocks::array_weights weights;
    weights.first = pad->at(command.weights.address);
    weights.stride = command.weights.row_stride;
    weights.rows = command.left_columns;
    weights.columns = command.result_columns;
    const std::size_t bytes = base::element_bytes(m_config.format);
    const memory::byte_rows read = bytes_of(command.weights, 0, weights.rows, weights.columns, bytes);
    weights.row_cycles = row_cycles(bytes);
    unit_outcome planned;
    planned.add("weights", schedule.load_cycles());
    const std::uint64_t conflicts = schedule.load_cycles(weights.row_cycles) - schedule.load_cycles();
    planned.add("conflict", conflicts);

    m_watch.forget();
    const auto outcome = m_array->load(weights);
    pass(planned, outcome.cycles, report);
    if (outcome.stopped) { return false; }
    count_waits(conflicts);
    m_held = command;
    m_watch.watch(read);
    const std::uint64_t side = m_config.side;
    report.counts[event::weight_load] += 1;
    report.counts[event::weight_write] += side * side;
    report.counts[event::scratchpad_read] += words_of(read, pad->banks());
    return true;
}

bool matrix_unit::stream(const matmul_command& command, unit_outcome& report)
{
    const std::uint64_t side = m_config.side;
    const auto& schedule = m_array->schedule();
    blocks::array_rows rows;
    rows.left = pad->at(command.left.address);
    rows.left_stride = command.left.row_stride;
    rows.left_columns = command.left_columns;
    rows.result = pad->at(command.result.address);
    rows.result_stride = command.result.row_stride;
    rows.result_columns = command.result_columns;
    rows.elements = command.words;
    const std::size_t element = base::element_bytes(m_config.format);
    const std::size_t word = base::element_bytes(base::accumulator_type(m_config.format));
    rows.pace.row_cycles = row_cycles(word); // results are never narrower than operands
    const std::uint64_t count = rows.rows(m_config.side);
    const std::uint64_t entering = schedule.stream_cycles(count) - schedule.drain_cycles();
    const std::uint64_t conflicts = schedule.stream_cycles(count, rows.pace) - schedule.stream_cycles(count);
    // Rows, their words and the banks flow beside each other: without one of them, the next slower is left.
    auto flow = base::freed_cycles::of("compute", count), words = base::freed_cycles::of("port", entering - count);
    if (entering > count || conflicts > 0) { flow.set_without(base::resource::compute, count); }
    if (conflicts > 0) { words.set_without(base::resource::port, entering - count); }
    unit_outcome planned;
    planned.add("compute", flow);
    planned.add("port", words);
    planned.add("conflict", conflicts);
    planned.add("drain", schedule.drain_cycles());

    const auto outcome = m_array->stream(rows);
    pass(planned, outcome.cycles, report);
    count_waits(conflicts);
    const auto results = existing(command.result, command.words, command.result_columns, word);
    for (const auto& r : results) { pad->note_written(r); }
    report.counts[event::matmul_call] += 1;
    report.counts[event::matmul_row] += count;
    report.counts[event::mac] += count * side * side;
    report.counts[event::mac_overflowed] += outcome.overflowed;
    for (const auto& r : existing(command.left, command.words, command.left_columns, element)) {
        report.counts[event::scratchpad_read] += words_of(r, pad->banks());
    }
    for (const auto& r : results) { report.counts[event::scratchpad_write] += words_of(r, pad->banks()); }
    return !outcome.stopped;
}

// ---- PRODUCT ----

unit_outcome matrix_unit::execute(const product_command& command, bool accumulate)
{
    const auto product = product_of(command, accumulate);
    const unit_outcome all = planned(command, product);
    m_watch.forget();
    unit_outcome report;
    const auto outcome = m_array->multiply(blocks::tiles_of(product, array_config(m_config, m_clock)));
    pass(all, outcome.cycles, report);
    const std::size_t word = base::element_bytes(base::accumulator_type(m_config.format));
    pad->note_written(bytes_of(command.result, 0, command.rows, command.columns, word));
    if (outcome.stopped || !pass_latency(report)) {
        report.error = isa::error_code::aborted;
        return report;
    }
    count(command, accumulate, report);
    report.counts[event::mac_overflowed] = outcome.overflowed;
    if (outcome.overflowed != 0) { report.error = isa::error_code::accumulator_overflow; }
    return report;
}

blocks::array_product matrix_unit::product_of(const product_command& command, bool accumulate)
{
    blocks::array_product p;
    p.left = pad->at(command.left.address);
    p.left_stride = command.left.row_stride;
    p.weights = pad->at(command.weights.address);
    p.weights_stride = command.weights.row_stride;
    p.result = pad->at(command.result.address);
    p.result_stride = command.result.row_stride;
    p.rows = command.rows;
    p.depth = command.depth;
    p.columns = command.columns;
    p.pace = {row_cycles(base::element_bytes(base::accumulator_type(m_config.format))), command.call_rows,
              m_config.call_interval};
    p.weight_row_cycles = row_cycles(base::element_bytes(m_config.format));
    p.tile_columns = command.tile_columns;
    p.accumulate = accumulate;
    return p;
}

// Cycles of the array by their causes. All tiles have the same rows and weights.
unit_outcome matrix_unit::planned(const product_command& command, const blocks::array_product& product) const
{
    const auto& schedule = m_array->schedule();
    const std::uint64_t tiles = command.tiles(m_config.side), rows = command.rows;
    const blocks::row_pace alone{1, command.call_rows}, in_memory{product.pace.row_cycles, command.call_rows};
    const std::uint64_t load = schedule.load_cycles(), slow_load = schedule.load_cycles(product.weight_row_cycles);
    const auto entering = [&](const blocks::row_pace& pace) { return schedule.rows_cycles(rows, pace); };
    const std::uint64_t ported = entering(alone), stalled = entering(in_memory), called = entering(product.pace);
    unit_outcome all;
    if (m_config.streaming) {
        const std::uint64_t slots = (tiles - 1) * schedule.slot_cycles(rows, product.pace, slow_load) +
                                    schedule.slot_cycles(rows, product.pace);
        all.add("weights", load + slots - tiles * called);
        all.add("conflict", slow_load - load);
    } else {
        all.add("weights", tiles * load);
        all.add("conflict", tiles * (slow_load - load));
    }
    // Without streaming nothing waits for the end of the last call.
    const std::uint64_t last = m_config.streaming ? called : schedule.entry(rows - 1, product.pace) + 1;
    all.add("compute", tiles * rows);
    all.add("port", tiles * (ported - rows));
    all.add("conflict", tiles * (stalled - ported));
    all.add("latency", tiles * (last - stalled));
    all.add("drain", (m_config.streaming ? 1 : tiles) * schedule.drain_cycles());
    return all;
}

void matrix_unit::count(const product_command& command, bool accumulate, unit_outcome& report) const
{
    const std::uint64_t side = m_config.side, rows = command.rows, tiles = command.tiles(m_config.side);
    const std::uint64_t blocks = base::quotient_up(command.depth, side);
    const std::size_t element = base::element_bytes(m_config.format);
    const std::size_t word = base::element_bytes(base::accumulator_type(m_config.format));
    auto& counted = report.counts;
    counted[event::matmul_call] += tiles * command.calls();
    counted[event::matmul_row] += tiles * rows;
    counted[event::mac] += tiles * rows * side * side;
    counted[event::weight_load] += tiles;
    counted[event::weight_write] += tiles * side * side;
    const auto words_at = [&](const matrix_operand& o, std::uint64_t row, std::uint64_t of, std::uint64_t column,
                              std::uint64_t columns, std::size_t bytes) {
        auto range = bytes_of(o, row, of, columns, bytes);
        range.address += column * bytes;
        return words_of(range, pad->banks());
    };
    const std::uint64_t wide = command.columns_of_tile(m_config.side);
    for (std::uint64_t n = 0; n < command.columns; n += wide) {
        const std::uint64_t columns = std::min<std::uint64_t>(wide, command.columns - n);
        const std::uint64_t results = words_at(command.result, 0, rows, n, columns, word);
        const std::uint64_t added = accumulate ? blocks : blocks - 1;
        counted[event::sum_added] += added * rows * columns;
        counted[event::scratchpad_read] += added * results;
        counted[event::scratchpad_write] += blocks * results;
        for (std::uint64_t k = 0; k < command.depth; k += side) {
            const std::uint64_t depth = std::min<std::uint64_t>(side, command.depth - k);
            counted[event::scratchpad_read] += words_at(command.weights, k, depth, n, columns, element) +
                                               words_at(command.left, 0, rows, k, depth, element);
        }
    }
}

/// The existing elements of a matrix of elements of `bytes` bytes: the whole rows, and a partial last one.
std::array<memory::byte_rows, 2> matrix_unit::existing(const matrix_operand& matrix, std::uint64_t words,
                                                       std::uint64_t columns, std::size_t bytes) const
{
    const std::uint64_t whole = words / m_config.side;
    const std::uint64_t rest = std::min(words % m_config.side, columns);
    return {bytes_of(matrix, 0, whole, columns, bytes), bytes_of(matrix, whole, rest == 0 ? 0 : 1, rest, bytes)};
}

bool matrix_unit::pass_latency(unit_outcome& report)
{
    unit_outcome planned;
    planned.add("latency", m_config.call_latency);
    const std::uint64_t passed = bus::wait_cycles(m_config.call_latency, m_clock.period(), m_stop);
    pass(planned, passed, report);
    return passed == m_config.call_latency;
}

/// Stalls of rows wider than all banks: equal in all banks.
void matrix_unit::count_waits(std::uint64_t cycles)
{
    if (auto* const banks = pad->bank_counts()) { banks->wait_for_all(cycles); }
}

/// Cycles that the scratchpad's banks take for a row of the array, of elements of `bytes` bytes.
std::uint64_t matrix_unit::row_cycles(std::size_t bytes) const
{
    const auto& banks = pad->banks();
    return banks.contiguous_cycles(banks.words(0, m_config.side * bytes));
}

// ---- commands of a device ----

bool matrix_unit::executes(std::uint8_t code) const
{
    return code == static_cast<std::uint8_t>(opcode::matmul) || code == static_cast<std::uint8_t>(opcode::product);
}

std::optional<isa::check_error> matrix_unit::check(const isa::command_header& header, const std::uint8_t* payload) const
{
    if (is_product(header)) { return mmv::check(product_command::decode(payload), header.flags, limits_of(m_config)); }
    return mmv::check(matmul_command::decode(payload), header.flags, limits_of(m_config));
}

shell::access_set matrix_unit::accesses(const shell::issued_command& command) const
{
    const auto limits = limits_of(m_config);
    const auto flags = command.header.flags;
    shell::access_set set;
    if (is_product(command.header)) {
        const auto c = command_of<product_command>(command);
        if (mmv::check(c, flags, limits)) { return set; }
        set.reads = blocks::spans_of(reads(c, flags, limits));
        set.writes = blocks::spans_of(writes(c, limits));
        return set;
    }
    const auto c = command_of<matmul_command>(command);
    if (mmv::check(c, flags, limits)) { return set; }
    set.reads = blocks::spans_of(reads(c, limits));
    set.writes = blocks::spans_of(writes(c, limits));
    return set;
}

// The addresses are those of the iteration.
shell::command_outcome matrix_unit::execute(shell::running_command& running)
{
    const auto run = [&](const auto& command, const char* name, const auto& execute) -> shell::command_outcome {
        const auto flags = running.command.header.flags;
        if (const auto refused = mmv::check(command, flags, limits_of(m_config))) { return {refused->code}; }
        m_activity.begin(running.command);
        const unit_outcome done = execute();
        m_activity.end();
        blocks::report_segments(running, done.segments, "compute", name, done.ok(), done.counts.data());
        return {done.error};
    };
    if (is_product(running.command.header)) {
        const auto c = command_of<product_command>(running.command);
        const bool accumulate = (running.command.header.flags & product_command::flag_accumulate) != 0;
        return run(c, "product", [&] { return execute(c, accumulate); });
    }
    const auto c = command_of<matmul_command>(running.command);
    return run(c, "matmul", [&] { return execute(c); });
}

// ---- waveforms ----

void matrix_unit::trace(sc_core::sc_trace_file& file)
{
    const auto& shown = m_array->watch();
    sc_core::sc_trace(&file, shown.phase, std::string(name()) + ".phase");
    sc_core::sc_trace(&file, shown.row, std::string(name()) + ".row");
}

void matrix_unit::trace_element(sc_core::sc_trace_file& file, unsigned row, unsigned column)
{
    const auto* element = row < m_config.side && column < m_config.side ? m_array->watch(row, column) : nullptr;
    if (element == nullptr) {
        bus::report_error(name(), "/tensorloom/mmv/trace",
                          "no such processing element: outside of the array, or not detailed");
        return;
    }
    const std::string pe = std::string(name()) + ".pe_" + std::to_string(row) + "_" + std::to_string(column);
    const auto show = [&](const arithmetic::traced_element& shown, const std::string& what) {
        sc_core::sc_trace(&file, shown.re, pe + what);
        if (base::is_complex(m_config.format)) { sc_core::sc_trace(&file, shown.im, pe + what + "_im"); }
    };
    sc_core::sc_trace(&file, element->valid, pe + ".valid");
    show(element->a_out, ".a_out");
    show(element->c_out, ".c_out");
    show(element->weight, ".weight");
}

} // namespace tensorloom::mmv
