#include "segmented/segmented_configuration.h"
#include <nlohmann/json.hpp>
#include "platform/version.h"

namespace tensorloom::testbench {
namespace {

using json = nlohmann::ordered_json;
using workloads::segmented_operation;

const char* source_text(const segmented_options& o)
{
    if (!o.source.generated()) { return "file"; }
    return o.source.formula ? "formula" : "random";
}

} // namespace

std::string device_text(const segmented_options& o)
{
    return std::string(arch::element_type_name(o.format)) + ", s = " + std::to_string(o.side) + ", " +
           std::to_string(o.device.lanes) + " lanes, " + (o.common.detailed ? "detailed" : "fast");
}

nlohmann::ordered_json configuration_json(const segmented_options& o, const mmv_station& station,
                                          std::uint64_t scratchpad_bytes)
{
    const bool spmv = o.operation == segmented_operation::spmv;
    const bool matrices = o.operation == segmented_operation::matrix_product;
    json j = {
        {"operation", workloads::name_of(o.operation)},
        {"variant", o.variant != nullptr ? json(o.variant->name) : json(nullptr)},
        {"source", source_text(o)},
        {"length", o.source.length},
        {"shape", matrices ? json{o.source.shape.rows, o.source.shape.inner, o.source.shape.columns} : json(nullptr)},
        {"columns", spmv && !o.source.matrix ? json(o.source.columns) : json(nullptr)},
        {"density", o.source.density},
        {"bits", o.bits ? json(*o.bits) : json(nullptr)},
        {"memory_bytes", station.memory_bytes()}};
    j.update(device_json(station.device(), o.common, scratchpad_bytes));
    for (const auto& [name, text] : o.given) { j["options"][name] = text; }
    return j;
}

nlohmann::ordered_json summary_head(const char* schema)
{
    return {{"schema", schema}, {"testbench", "segmented"}, {"version", version()}};
}

} // namespace tensorloom::testbench
