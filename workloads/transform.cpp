#include <tensorloom/workloads/transform.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/npy_file.h>

namespace tensorloom::workloads {
namespace {

constexpr struct {
    const char* name;
    transform_kind kind;
} named_transforms[] = {{"dft", transform_kind::dft},           {"dht", transform_kind::dht},
                        {"dct", transform_kind::dct},           {"dst", transform_kind::dst},
                        {"dwht", transform_kind::dwht},         {"dwht-sequency", transform_kind::dwht_sequency},
                        {"identity", transform_kind::identity}, {"none", transform_kind::none}};
const std::string file_prefix = "file:";

constexpr long double pi = 3.14159265358979323846264338327950288L;

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
    throw base::input_error("transform " + base::in_quotes(name) + " found, expected one of " + names + "file:PATH");
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
    throw base::input_error("normalization " + base::in_quotes(name) + " found, expected orthonormal or backward");
}

long double cosine_of_turn(std::uint64_t a, std::uint64_t m)
{
    std::uint64_t x = 4 * a; // a whole turn is 4m, a quarter m
    if (x > 2 * m) { x = 4 * m - x; }
    const bool negative = x > m;
    if (negative) { x = 2 * m - x; }
    const auto quarter = 2 * static_cast<long double>(m);
    const long double value = 2 * x > m ? std::sin(pi * static_cast<long double>(m - x) / quarter)
                                        : std::cos(pi * static_cast<long double>(x) / quarter);
    return negative ? -value : value;
}

long double sine_of_turn(std::uint64_t a, std::uint64_t m) { return cosine_of_turn((4 * a + 3 * m) % (4 * m), 4 * m); }

long double cas_of_turn(std::uint64_t a, std::uint64_t m)
{
    if (4 * a % m == 0) { return 2 * a < m ? 1 : -1; }
    return std::sqrt(2.0L) * sine_of_turn((8 * a + m) % (8 * m), 8 * m);
}

fft_operations operations_of_fft(const shape3& n, const shape3& k, bool complex_data)
{
    shape3 size{};
    double points = 1;
    for (std::size_t mode = 0; mode < 3; ++mode) {
        size[mode] = std::max(n[mode], k[mode]);
        points *= static_cast<double>(size[mode]);
    }
    fft_operations operations;
    for (std::size_t mode = 0; mode < 3; ++mode) {
        operations.by_mode[mode] = (complex_data ? 5 : 2.5) * points * std::log2(static_cast<double>(size[mode]));
        operations.total += operations.by_mode[mode];
    }
    return operations;
}

} // namespace tensorloom::workloads
