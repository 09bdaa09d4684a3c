#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>
#include <algorithm>
#include <cstring>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/mmv/word_values.h>

namespace tensorloom::workloads {

scratchpad_matrix scratchpad_matrix::block(std::uint64_t row, std::uint64_t column, std::uint64_t its_rows,
                                           std::uint64_t its_columns) const
{
    const std::int64_t elements =
        static_cast<std::int64_t>(row) * row_stride + static_cast<std::int64_t>(column) * column_stride;
    scratchpad_matrix part = *this;
    part.address =
        static_cast<std::uint32_t>(address + elements * static_cast<std::int64_t>(base::element_bytes(type)));
    part.rows = its_rows;
    part.columns = its_columns;
    return part;
}

scratchpad_matrix scratchpad_matrix::transposed() const
{
    scratchpad_matrix other = *this;
    other.rows = columns;
    other.columns = rows;
    other.row_stride = column_stride;
    other.column_stride = row_stride;
    return other;
}

scratchpad_matrix scratchpad_matrix::stepped(std::int64_t elements) const
{
    scratchpad_matrix other = *this;
    other.step = elements;
    return other;
}

scratchpad_matrix scratchpad_matrix::with_repeated_row(std::uint64_t its_rows) const
{
    scratchpad_matrix other = *this;
    other.rows = its_rows;
    other.row_stride = 0;
    return other;
}

scratchpad_matrix scratchpad_matrix::with_repeated_column(std::uint64_t its_columns) const
{
    scratchpad_matrix other = *this;
    other.columns = its_columns;
    other.column_stride = 0;
    return other;
}

std::int32_t scratchpad_matrix::step_bytes() const
{
    return static_cast<std::int32_t>(step * static_cast<std::int64_t>(base::element_bytes(type)));
}

mmv::matrix_operand scratchpad_matrix::as_tensor_operand() const
{
    return {address, static_cast<std::int32_t>(row_stride), {step_bytes(), 0}};
}

isa::vector::strided_operand scratchpad_matrix::as_scalar_operand() const
{
    return {address,
            {0, static_cast<std::int32_t>(row_stride), static_cast<std::int32_t>(column_stride)},
            {step_bytes(), 0}};
}

namespace {

using mmv::opcode;

mmv_array array_at(const scratchpad_matrix& m, std::uint64_t elements) { return {m.address, elements, m.type}; }

std::uint64_t bits_of_word(std::int64_t value, base::element_type word)
{
    if (base::is_integer(word)) { return static_cast<std::uint64_t>(value); }
    const auto bytes = to_bytes(std::vector<std::int64_t>{value}, word); // of a complex number the real part
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data(), std::min(bytes.size(), sizeof bits));
    return bits;
}

isa::vector::strided_command over_elements(const scratchpad_matrix& result, std::uint64_t cpu_ops,
                                           std::uint64_t immediate)
{
    isa::vector::strided_command command;
    command.result = result.as_scalar_operand();
    command.size = {1, static_cast<std::uint32_t>(result.rows), static_cast<std::uint32_t>(result.columns)};
    command.cpu_ops = cpu_ops;
    command.immediate[0] = immediate;
    return command;
}

scratchpad_matrix matrix_at(const mmv_array& array, std::uint64_t rows, std::uint64_t columns, std::uint64_t row_stride)
{
    scratchpad_matrix matrix;
    matrix.address = array.address;
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.row_stride = static_cast<std::int64_t>(row_stride);
    matrix.type = array.type;
    return matrix;
}

} // namespace

tensor_unit_program::tensor_unit_program(mmv_session& session, const tensor_unit_terms& terms)
    : m_builder(session), m_terms(terms)
{}

scratchpad_matrix tensor_unit_program::tiled(std::uint64_t rows, std::uint64_t columns, bool elements)
{
    const std::uint64_t stride = whole_tiles(columns);
    const std::uint64_t n = whole_tiles(rows) * stride;
    const mmv_array array = elements ? m_builder.elements(n) : m_builder.words(n);
    return matrix_at(array, rows, columns, stride);
}

scratchpad_matrix tensor_unit_program::place(std::uint64_t rows, std::uint64_t columns)
{
    return tiled(rows, columns, false);
}

scratchpad_matrix tensor_unit_program::cleared(std::uint64_t rows, std::uint64_t columns)
{
    const auto m = tiled(rows, columns, false);
    set(m.block(0, 0, whole_tiles(rows), whole_tiles(columns)), 0);
    return m;
}

scratchpad_matrix tensor_unit_program::loaded(const tensor_unit_values& values, std::uint64_t rows,
                                              std::uint64_t columns)
{
    return filled(tiled(rows, columns, false), values);
}

scratchpad_matrix tensor_unit_program::operand(const tensor_unit_values& values, std::uint64_t rows,
                                               std::uint64_t columns)
{
    return filled(tiled(rows, columns, true), values);
}

scratchpad_matrix tensor_unit_program::filled(const scratchpad_matrix& matrix, const tensor_unit_values& values)
{
    const auto stride = static_cast<std::uint64_t>(matrix.row_stride);
    const std::uint64_t n = whole_tiles(matrix.rows) * stride;
    std::visit(
        [&](const auto& numbers) {
            std::decay_t<decltype(numbers)> padded(n);
            for (std::uint64_t r = 0; r < matrix.rows; ++r) {
                std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(r * matrix.columns), matrix.columns,
                            padded.begin() + static_cast<std::ptrdiff_t>(r * stride));
            }
            m_builder.load(array_at(matrix, n), padded);
        },
        values);
    return matrix;
}

scratchpad_matrix tensor_unit_program::row_of(std::uint64_t words)
{
    const mmv_array array = m_builder.words(words);
    return matrix_at(array, 1, words, words);
}

scratchpad_matrix tensor_unit_program::cleared_row_of(std::uint64_t words)
{
    const auto row = row_of(words);
    set(row, 0);
    return row;
}

scratchpad_matrix tensor_unit_program::loaded_row(const tensor_unit_values& values)
{
    const auto row = row_of(count_of(values));
    load_row(row, values);
    return row;
}

void tensor_unit_program::load_row(const scratchpad_matrix& to, const tensor_unit_values& values)
{
    std::visit([&](const auto& numbers) { m_builder.load(array_at(to, numbers.size()), numbers); }, values);
}

scratchpad_matrix tensor_unit_program::by_columns(const scratchpad_matrix& row)
{
    const std::uint64_t q = side(), n = row.columns;
    const auto to = cleared(q, tiles(n));
    const auto copy = [&](std::uint64_t column, std::uint64_t columns, std::uint64_t rows) {
        if (rows == 0 || columns == 0) { return; }
        scratchpad_matrix from = row.block(0, column * q, rows, columns);
        from.row_stride = 1;
        from.column_stride = static_cast<std::int64_t>(q);
        scalar(opcode::move, to.block(0, column, rows, columns), from, charge_of_moves(rows * columns));
    };
    copy(0, n / q, q);
    copy(n / q, 1, n % q);
    return to;
}

void tensor_unit_program::call(const scratchpad_matrix& left, const scratchpad_matrix& weights,
                               const scratchpad_matrix& result)
{
    const std::uint64_t q = side();
    const bool square = m_terms.shape == call_shape::square;
    const std::uint64_t calls = square ? tiles(left.rows) : 1;
    mmv::matmul_command command;
    command.result = result.as_tensor_operand();
    command.left = left.as_tensor_operand();
    command.weights = weights.as_tensor_operand();
    command.words = static_cast<std::uint32_t>(q * (square ? q : std::max(left.rows, q)));
    command.left_columns = static_cast<std::uint32_t>(weights.rows);
    command.result_columns = static_cast<std::uint32_t>(weights.columns);
    if (calls == 1) { return m_builder.add(command); }
    // The loop over the pieces is the innermost one now.
    const auto piece = [q](mmv::matrix_operand& operand, const scratchpad_matrix& m) {
        operand.step = {m.stepped(static_cast<std::int64_t>(q) * m.row_stride).step_bytes(), operand.step[0]};
    };
    piece(command.result, result);
    piece(command.left, left);
    command.weights.step = {0, command.weights.step[0]};
    loop(calls);
    m_builder.add(command);
    end();
}

void tensor_unit_program::add(const scratchpad_matrix& result, const scratchpad_matrix& a, const scratchpad_matrix& b,
                              bool subtract)
{
    const auto vector = [](const scratchpad_matrix& m) {
        return isa::vector::vector_operand{m.address, 0, {m.step_bytes(), 0}};
    };
    isa::vector::vector_command command;
    command.result = vector(result);
    command.a = vector(a);
    command.b = vector(b);
    command.length = static_cast<std::uint32_t>(result.rows * result.columns);
    m_builder.add(subtract ? isa::vector::opcode::sub : isa::vector::opcode::add, command);
}

void tensor_unit_program::scalar(opcode code, const scratchpad_matrix& result, const scratchpad_matrix& a,
                                 const scratchpad_matrix& b, std::uint64_t cpu_ops, std::uint64_t immediate)
{
    auto command = over_elements(result, cpu_ops, immediate);
    command.a = a.as_scalar_operand();
    command.b = b.as_scalar_operand();
    scalar(code, command);
}

void tensor_unit_program::scalar(opcode code, const scratchpad_matrix& result, const scratchpad_matrix& a,
                                 std::uint64_t cpu_ops, std::uint64_t immediate)
{
    auto command = over_elements(result, cpu_ops, immediate);
    command.a = a.as_scalar_operand();
    scalar(code, command);
}

void tensor_unit_program::scalar(opcode code, const scratchpad_matrix& result, std::uint64_t cpu_ops,
                                 std::uint64_t immediate)
{
    scalar(code, over_elements(result, cpu_ops, immediate));
}

void tensor_unit_program::scalar(opcode code, const isa::vector::strided_command& command)
{
    m_builder.add(code, command);
}

void tensor_unit_program::set(const scratchpad_matrix& result, std::int64_t value, std::uint64_t cpu_ops)
{
    scalar(opcode::set, result, cpu_ops, bits_of_word(value, m_builder.limits().word()));
}

void tensor_unit_program::charge(std::uint64_t cpu_ops)
{
    isa::vector::strided_command command;
    command.cpu_ops = cpu_ops;
    scalar(opcode::charge, command);
}

tensor_unit_values tensor_unit_program::values_of(const scratchpad_matrix& matrix)
{
    const auto take = [&](auto number) -> tensor_unit_values {
        using numbers = std::vector<decltype(number)>;
        const auto stride = static_cast<std::uint64_t>(matrix.row_stride);
        numbers whole;
        m_builder.store(array_at(matrix, (matrix.rows - 1) * stride + matrix.columns), whole);
        m_builder.run();
        numbers values;
        values.reserve(matrix.rows * matrix.columns);
        for (std::uint64_t r = 0; r < matrix.rows; ++r) {
            const auto row = whole.begin() + static_cast<std::ptrdiff_t>(r * stride);
            values.insert(values.end(), row, row + static_cast<std::ptrdiff_t>(matrix.columns));
        }
        return values;
    };
    if (base::is_complex(matrix.type)) { return take(std::complex<double>{}); }
    if (base::is_integer(matrix.type)) { return take(std::int64_t{}); }
    return take(double{});
}

tensor_unit_result tensor_unit_program::result_of(const scratchpad_matrix& matrix, std::vector<std::uint64_t> shape)
{
    return result_of(values_of(matrix), std::move(shape));
}

tensor_unit_result tensor_unit_program::result_of(tensor_unit_values values, std::vector<std::uint64_t> shape)
{
    m_builder.run();
    return {m_builder.costs(), std::move(values), std::move(shape)};
}

void require_format(const mmv_session& session, const char* algorithm,
                    std::initializer_list<base::element_type> formats)
{
    const base::element_type found = session.limits().format;
    if (std::find(formats.begin(), formats.end(), found) != formats.end()) { return; }
    std::string expected;
    for (const auto f : formats) {
        expected += (expected.empty() ? "" : " or ") + std::string(base::element_type_name(f));
    }
    base::refuse("format of the device for " + std::string(algorithm), std::string(base::element_type_name(found)),
                 expected);
}

void require_count(const char* what, std::size_t found, std::size_t expected)
{
    if (found != expected) { base::refuse(what, std::to_string(found) + " numbers", std::to_string(expected)); }
}

} // namespace tensorloom::workloads
