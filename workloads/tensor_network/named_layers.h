#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::workloads {

/// Origin of the shape of a layer.
enum class layer_provenance : std::uint8_t {
    verified, ///< in public code or text of its authors
    recalled, ///< from the literature as remembered; where given, two matching figures support it
    assumed   ///< not public: our assumption
};
inline constexpr base::named_value layer_provenance_values[] = {
    {0, "verified", "in public code or text of the authors"},
    {1, "recalled", "from the literature as remembered"},
    {2, "assumed", "not public: ours"},
};

/// A layer measured in papers.
struct named_layer {
    const char* name;
    const char* meaning;
    layer_provenance provenance;
    const char* source;
    bool first; ///< its X is input data: training needs no dX
    tensorized_layer layer;
};

/// FETTA's benchmarks (section VI-A) and those of the compared accelerators, with our batch sizes. LSTM layers: the
/// input-to-hidden matrix, with the four gates stacked in m1 and the batch over all frames.
const std::vector<named_layer>& named_layers();

/// Throws base::input_error, which lists the names.
const named_layer& find_named_layer(const std::string& name);

} // namespace tensorloom::workloads
