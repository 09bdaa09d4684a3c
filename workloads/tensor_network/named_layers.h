#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::workloads {

/// Where the shape of a layer comes from.
enum class layer_provenance : std::uint8_t {
    verified, ///< found in public code or text of its authors
    recalled, ///< from the literature as remembered; where given, two figures that match speak for it
    assumed   ///< not public: ours
};
inline constexpr base::named_value layer_provenance_values[] = {
    {0, "verified", "in public code or text of the authors"},
    {1, "recalled", "from the literature as remembered"},
    {2, "assumed", "not public: ours"},
};

/// A layer that papers measure.
struct named_layer {
    const char* name;
    const char* meaning;
    layer_provenance provenance;
    const char* source;
    bool first; ///< its X is the data: training needs no dX
    tensorized_layer layer;
};

/// FETTA's benchmarks (section VI-A) and those that its rivals use, with the batch that we take. LSTM layers: the
/// input-to-hidden matrix, the four gates stacked into m1, the batch over all frames.
const std::vector<named_layer>& named_layers();

/// Throws base::input_error, with all names, for an unknown one.
const named_layer& find_named_layer(const std::string& name);

} // namespace tensorloom::workloads
