#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/workloads/npy_header.h>
#include <tensorloom/workloads/transform.h>

namespace tensorloom::workloads {

namespace {

constexpr struct {
    const char* name;
    transform_kind kind;
} named_transforms[] = {{"dft", transform_kind::dft},          {"dht", transform_kind::dht},
                        {"dct", transform_kind::dct},          {"dst", transform_kind::dst},
                        {"dwht", transform_kind::dwht},        {"dwht-sequency", transform_kind::dwht_sequency},
                        {"identity", transform_kind::identity}};
const std::string file_prefix = "file:";

} // namespace

transform parse_transform(const std::string& name)
{
    std::string names;
    for (const auto& known : named_transforms) {
        if (name == known.name) { return {known.kind, {}}; }
        names += std::string(known.name) + ", ";
    }
    if (name.compare(0, file_prefix.size(), file_prefix) == 0 && name.size() > file_prefix.size()) {
        return {transform_kind::file, name.substr(file_prefix.size())};
    }
    throw arch::input_error("transform '" + name + "' found, expected one of " + names + "file:PATH");
}

std::string transform_name(const transform& which)
{
    for (const auto& known : named_transforms) {
        if (which.kind == known.kind) { return known.name; }
    }
    return file_prefix + which.path;
}

bool needs_complex(const transform& which)
{
    return which.kind == transform_kind::dft ||
           (which.kind == transform_kind::file && read_npy_header(which.path).is_complex());
}

normalization parse_normalization(const std::string& name)
{
    if (name == "orthonormal") { return normalization::orthonormal; }
    if (name == "backward") { return normalization::backward; }
    throw arch::input_error("normalization '" + name + "' found, expected orthonormal or backward");
}

} // namespace tensorloom::workloads
