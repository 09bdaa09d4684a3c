#include <tensorloom/workloads/mmv/mode_products.h>
#include <algorithm>
#include <utility>
#include <tensorloom/models/mmv/isa/matmul_command.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>

namespace tensorloom::workloads {
namespace {

using op = isa::vector::opcode;

std::uint64_t parts(std::uint64_t size, std::uint64_t part) { return (size + part - 1) / part; }

/// Rows x terms by terms x columns.
struct product_sizes {
    std::uint64_t rows, terms, columns;
};

/// The products of a tensor that lies in the scratchpad.
class mode_product_program {
public:
    // `most`: words of the largest tensor on the way and of the largest panels.
    mode_product_program(mmv_program_builder& builder, std::uint64_t most_tensor, std::uint64_t most_panels,
                         std::uint64_t most_panel)
        : m_builder(builder), m_tensor(builder.words(most_tensor)), m_next(builder.words(most_tensor)),
          m_panels(builder.words(most_panels)), m_product(builder.words(most_panel))
    {}

    std::uint64_t side() const { return m_builder.side(); }
    const mmv_array& tensor() const { return m_tensor; }

    /// The tensor's last mode summed over by a matrix; what it becomes is the first mode.
    void multiply(const mmv_array& matrix, const product_sizes& z)
    {
        for (std::uint64_t p = 0; p < parts(z.columns, side()); ++p) { make_panel(p, matrix, z); }
        const std::uint64_t whole = z.columns / side();
        transpose(0, whole, side(), z.rows);
        transpose(whole, 1, z.columns % side(), z.rows);
        std::swap(m_tensor, m_next);
    }

    /// Words from a row of a panel to the next.
    static std::uint64_t pitch(std::uint64_t side) { return side | 1; }

private:
    mmv_array panel(std::uint64_t number, std::uint64_t rows) const
    {
        return m_panels.from(number * rows * pitch(side()));
    }

    void make_panel(std::uint64_t number, const mmv_array& matrix, const product_sizes& z)
    {
        const auto sum = panel(number, z.rows);
        for (std::uint64_t first = 0; first < z.terms; first += side()) {
            const bool begins = first == 0;
            mmv::matmul_command c;
            c.result = {begins ? sum.address : m_product.address, static_cast<std::int32_t>(pitch(side())), {}};
            c.left = {m_tensor.from(first).address, static_cast<std::int32_t>(z.terms), {}};
            c.weights = {
                matrix.from(first * z.columns + number * side()).address, static_cast<std::int32_t>(z.columns), {}};
            c.words = static_cast<std::uint32_t>(z.rows * side());
            c.left_columns = static_cast<std::uint32_t>(std::min(side(), z.terms - first));
            c.result_columns = static_cast<std::uint32_t>(std::min(side(), z.columns - number * side()));
            m_builder.add(c);
            if (!begins) { add(sum, m_product, z.rows * pitch(side())); }
        }
    }

    void add(const mmv_array& sum, const mmv_array& more, std::uint64_t words)
    {
        isa::vector::vector_command c;
        c.result.address = c.a.address = sum.address;
        c.b.address = more.address;
        c.length = static_cast<std::uint32_t>(words);
        m_builder.add(op::add, c);
    }

    // So many columns of each of `panels` panels.
    void transpose(std::uint64_t first, std::uint64_t panels, std::uint64_t columns, std::uint64_t rows)
    {
        if (panels == 0 || columns == 0) { return; }
        isa::vector::strided_command c;
        c.result.address = m_next.from(first * side() * rows).address;
        c.result.stride = {static_cast<std::int32_t>(side() * rows), static_cast<std::int32_t>(rows), 1};
        c.a.address = panel(first, rows).address;
        c.a.stride = {static_cast<std::int32_t>(rows * pitch(side())), 1, static_cast<std::int32_t>(pitch(side()))};
        c.size = {static_cast<std::uint32_t>(panels), static_cast<std::uint32_t>(columns),
                  static_cast<std::uint32_t>(rows)};
        c.valid = c.size;
        m_builder.add(op::repl, c);
    }

    mmv_program_builder& m_builder;
    mmv_array m_tensor, m_next, m_panels, m_product;
};

} // namespace

mode_product_result three_mode_products(mmv_session& session, const mode_product_operands& operands)
{
    constexpr std::size_t order[] = {2, 1, 0};
    mmv_program_builder builder(session);
    const std::uint64_t s = builder.side(), pitch = mode_product_program::pitch(s);
    std::uint64_t most_tensor = volume_of(operands.shape), most_panels = 0, most_panel = 0;
    std::vector<product_sizes> products;
    auto sizes = operands.shape;
    for (const std::size_t m : order) {
        const product_sizes z{volume_of(sizes) / sizes[m], sizes[m], operands.out_shape[m]};
        products.push_back(z);
        sizes[m] = operands.out_shape[m];
        most_tensor = std::max(most_tensor, volume_of(sizes));
        most_panel = std::max(most_panel, z.rows * pitch);
        most_panels = std::max(most_panels, parts(z.columns, s) * z.rows * pitch);
    }
    std::array<mmv_array, 3> matrices;
    for (std::size_t m = 0; m < matrices.size(); ++m) { matrices[m] = builder.loaded(operands.matrices[m]); }
    mode_product_program program(builder, most_tensor, most_panels, most_panel);
    builder.load(program.tensor(), operands.x);
    for (std::size_t p = 0; p < products.size(); ++p) { program.multiply(matrices[order[p]], products[p]); }
    mode_product_result result;
    auto y = program.tensor();
    y.elements = volume_of(operands.out_shape);
    builder.store(y, result.y);
    builder.run();
    result.costs = builder.costs();
    return result;
}

} // namespace tensorloom::workloads
