#include <tensorloom/workloads/segmented/variants.h>
#include <optional>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {

using base::element_type;

const segmented_variant& find_segmented_variant(const std::string& name)
{
    std::string names;
    for (const auto& v : segmented_variants) {
        if (name == v.name) { return v; }
        names += (names.empty() ? "" : ", ") + std::string(v.name);
    }
    throw base::input_error("variant: " + base::in_quotes(name) + " found, expected one of " + names);
}

segmented_operation parse_segmented_operation(const std::string& name)
{
    std::string names;
    for (const auto& o : segmented_operations) {
        if (name == o.name) { return o.operation; }
        names += (names.empty() ? "" : ", ") + std::string(o.name);
    }
    throw base::input_error("operation: " + base::in_quotes(name) + " found, expected one of " + names);
}

const char* name_of(segmented_operation operation)
{
    return segmented_operations[static_cast<std::size_t>(operation)].name;
}

bool has_flags(segmented_operation operation)
{
    return operation == segmented_operation::compress || operation == segmented_operation::segmented_sum ||
           operation == segmented_operation::segmented_scan;
}

const segmented_variant& default_variant(segmented_operation operation)
{
    static constexpr const char* names[] = {"scan",  "compress",   "diff_mmu", "scd", "segscan",
                                            "ewmul", "gemm_tiled", "spmv",     "copy"};
    return find_segmented_variant(names[static_cast<std::size_t>(operation)]);
}

std::string why_not(const segmented_variant& variant, const mmv::limits& device, std::optional<unsigned> bits)
{
    using isa::vector::functional_block;
    const std::string who = std::string(variant.name) + ": ";
    const std::string format(base::element_type_name(device.format));
    const bool integers = base::is_integer(device.format);
    if (base::is_complex(device.format)) {
        return who + "format " + format + " found, expected f64, f32, bf16, f16, int8, int32 or int64";
    }
    if (device.format != device.word() && !variant.is(vector_only) && !variant.is(inputs_as_left)) {
        return who + "format " + format +
               " found, expected one whose sums are operands again: f64, f32, int32 or int64";
    }

    const bool expands = variant.products == product_use::by_bits || (variant.products == product_use::choice && bits);
    const auto most_bits = static_cast<unsigned>(base::element_bits(device.word())) - 1;
    if (expands && !integers) {
        return who + "format " + format + " found, expected an integer format for products by bits";
    }
    if (expands && !bits) {
        return who + "no bits found, expected the bits of an operand, 1 to " + std::to_string(most_bits);
    }
    if (expands && (*bits < 1 || *bits > most_bits)) {
        return who + std::to_string(*bits) + " bits found, expected 1 to " + std::to_string(most_bits);
    }
    if (!expands && (variant.products == product_use::by_mul || variant.products == product_use::choice) &&
        !device.has(functional_block::multiplier)) {
        return who + "a vector unit without multiplier found, expected one that has it" +
               (variant.products == product_use::choice ? ", or bits" : "");
    }
    if (variant.is(compacts) && !integers && !device.has(functional_block::compact)) {
        return who + "a vector unit without the block COMPACT and format " + format +
               " found, expected the block or an integer format";
    }
    return {};
}

} // namespace tensorloom::workloads
