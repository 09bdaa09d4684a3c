#include <tensorloom/workloads/mmv/mode_products.h>
#include <algorithm>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>
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
        : m_builder(builder), m_tensor(builder.elements(whole_packs(most_tensor))), m_next(builder.words(most_tensor)),
          m_panels(builder.words(most_panels)), m_product(builder.words(most_panel))
    {}

    std::uint64_t side() const { return m_builder.side(); }
    const mmv_array& tensor() const { return m_tensor; }

    /// The tensor's last mode summed over by a matrix; what it becomes is the first mode.
    void multiply(const mmv_array& matrix, const product_sizes& z, unsigned shift)
    {
        for (std::uint64_t p = 0; p < parts(z.columns, side()); ++p) { make_panel(p, matrix, z); }
        const std::uint64_t whole = z.columns / side();
        transpose(0, whole, side(), z.rows);
        transpose(whole, 1, z.columns % side(), z.rows);
        if (m_tensor.type == m_next.type) {
            std::swap(m_tensor, m_next);
        } else {
            pack(z.rows * z.columns, shift);
        }
    }

    /// Words from a row of a panel to the next.
    static std::uint64_t pitch(std::uint64_t side) { return side | 1; }

private:
    // The tensor's elements are written four at a time.
    static std::uint64_t whole_packs(std::uint64_t elements) { return parts(elements, 4) * 4; }

    // The tensor = so many words of the next one, rounded.
    void pack(std::uint64_t words, unsigned shift)
    {
        const bool bfloat16 = m_tensor.type == base::element_type::bf16;
        const bool integers = m_tensor.type == base::element_type::int8;
        isa::vector::vector_command c;
        c.result.address = m_tensor.address;
        c.a.address = m_next.address;
        c.length = static_cast<std::uint32_t>(words);
        if (bfloat16) { c.block = 2, c.table = 1; } // pairs of words become a word, one after the other
        if (integers) { c.bits = shift; }
        m_builder.add(bfloat16 ? op::pack_bf16 : integers ? op::pack_int8 : op::pack_f16, c);
    }

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

namespace {

constexpr std::size_t order_of_sums[] = {2, 1, 0};

/// The products in their order, and the words that the tensors and panels on the way take.
struct product_plan {
    std::vector<product_sizes> products;
    std::uint64_t most_tensor = 0, most_panels = 0, most_panel = 0;

    product_plan(const mode_product_operands& operands, std::uint64_t side) : most_tensor(volume_of(operands.shape))
    {
        const std::uint64_t pitch = mode_product_program::pitch(side);
        auto sizes = operands.shape;
        for (const std::size_t m : order_of_sums) {
            const product_sizes z{volume_of(sizes) / sizes[m], sizes[m], operands.out_shape[m]};
            products.push_back(z);
            sizes[m] = operands.out_shape[m];
            most_tensor = std::max(most_tensor, volume_of(sizes));
            most_panel = std::max(most_panel, z.rows * pitch);
            most_panels = std::max(most_panels, parts(z.columns, side) * z.rows * pitch);
        }
    }
};

/// The operands and tensors in the scratchpad.
struct placed_operands {
    std::array<mmv_array, 3> matrices;
    mode_product_program program;

    placed_operands(mmv_program_builder& builder, const mode_product_operands& operands, const product_plan& plan)
        : matrices{builder.elements(operands.matrices[0].size()), builder.elements(operands.matrices[1].size()),
                   builder.elements(operands.matrices[2].size())},
          program(builder, plan.most_tensor, plan.most_panels, plan.most_panel)
    {}
};

void require_device(const mmv::limits& device)
{
    using base::element_type;
    static constexpr element_type known[] = {element_type::f64, element_type::f32, element_type::bf16,
                                             element_type::f16, element_type::int8};
    const std::string format(base::element_type_name(device.format));
    if (!base::element_types(known).contains(static_cast<std::uint8_t>(device.format))) {
        base::refuse("format of the device for mode products", format, "f64, f32, bf16, f16 or int8");
    }
    if (device.format != device.word() && !device.has(isa::vector::functional_block::conversion)) {
        base::refuse("vector unit for mode products in " + format, "none of the block conversion", "one that has it");
    }
}

/// Places arrays on a device, and runs nothing.
class planned_session : public mmv_session {
public:
    explicit planned_session(const mmv::limits& limits) : m_limits(limits) {}
    const mmv::limits& limits() const override { return m_limits; }
    std::uint64_t data_base() const override { return 0; }
    std::uint64_t data_bytes() const override { return 0; }
    void write(std::uint64_t, const void*, std::size_t) override {}
    void read(std::uint64_t, void*, std::size_t) override {}
    program_outcome<mmv::counts> run(const std::vector<std::uint8_t>&) override { return {}; }

private:
    mmv::limits m_limits;
};

} // namespace

std::uint64_t mode_product_scratchpad_bytes(const mode_product_operands& operands, const mmv::limits& device)
{
    require_device(device);
    planned_session session(device);
    mmv_program_builder builder(session);
    placed_operands(builder, operands, product_plan(operands, builder.side()));
    return builder.costs().scratchpad_bytes;
}

mode_product_result three_mode_products(mmv_session& session, const mode_product_operands& operands)
{
    require_device(session.limits());
    mmv_program_builder builder(session);
    const product_plan plan(operands, builder.side());
    placed_operands at(builder, operands, plan);
    for (std::size_t m = 0; m < at.matrices.size(); ++m) { builder.load(at.matrices[m], operands.matrices[m]); }
    builder.load(at.program.tensor(), operands.x);
    for (std::size_t p = 0; p < plan.products.size(); ++p) {
        at.program.multiply(at.matrices[order_of_sums[p]], plan.products[p], operands.shifts[p]);
    }
    mode_product_result result;
    auto y = at.program.tensor();
    y.elements = volume_of(operands.out_shape);
    builder.store(y, result.y);
    builder.run();
    result.costs = builder.costs();
    return result;
}

} // namespace tensorloom::workloads
