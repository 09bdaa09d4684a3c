#include "platform/run/array_archive.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <boost/crc.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xnpy.hpp>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/run/zip_file.h"

namespace tensorloom::testbench {
namespace {

using workloads::tensor;

constexpr std::size_t largest_file = std::size_t{1} << 32;
constexpr std::size_t most_listed = 8; // names in an error message

tensor<float> float_values(const workloads::real_or_complex& from, const std::string& where)
{
    const auto* real = std::get_if<tensor<double>>(&from);
    if (real == nullptr) { base::refuse(where, "complex elements", "real ones"); }
    tensor<float> values;
    values.shape = real->shape;
    values.data = workloads::rounded_elements<float>(real->data, real->shape, where);
    for (std::size_t e = 0; e < values.data.size(); ++e) {
        if (std::isfinite(values.data[e])) { continue; }
        base::refuse(where, "element " + std::to_string(e) + " in C order, which is not finite", "finite numbers");
    }
    return values;
}

template <class All, class Name> std::string listed_names(const All& all, const Name& name)
{
    std::string text;
    for (std::size_t i = 0; i < all.size() && i < most_listed; ++i) { text += (i > 0 ? ", " : "") + name(all[i]); }
    return all.size() > most_listed ? text + ", and " + std::to_string(all.size() - most_listed) + " more" : text;
}

template <class Number> void put(std::string& bytes, Number number)
{
    std::uint8_t stored[sizeof number];
    base::store_le(stored, number);
    bytes.append(reinterpret_cast<const char*>(stored), sizeof stored);
}

struct stored_member {
    std::string name, bytes;
    std::uint32_t crc = 0, at = 0; // `at`: of its local record

    // The fields that its local record and its record in the directory have in common.
    void put_fields(std::string& to) const
    {
        constexpr std::uint16_t version = 20, flags = 0, stored = 0, midnight = 0, first_day = 0x21;
        for (const auto field : {version, flags, stored, midnight, first_day}) { put(to, field); }
        for (const auto field :
             {crc, static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(bytes.size())}) {
            put(to, field);
        }
        put(to, static_cast<std::uint16_t>(name.size()));
        put(to, std::uint16_t{0}); // no further fields
    }
};

} // namespace

std::vector<named_array> load_arrays(const std::string& path)
{
    const zip_file zip(path, base::read_whole_file(path, largest_file));
    std::vector<named_array> all;
    for (const auto& member : zip.members()) {
        const auto name = member.array_name();
        if (std::any_of(all.begin(), all.end(), [&](const auto& other) { return other.name == name; })) {
            base::refuse(path, "two arrays " + base::in_quotes(name), "one array of each name");
        }
        const auto where = path + ": " + name;
        all.push_back({name, float_values(workloads::load_npy({where, zip.unpacked(member)}), where)});
    }
    return all;
}

void save_arrays(const std::string& path, const std::vector<named_array>& arrays)
{
    std::string file, directory;
    for (const auto& array : arrays) {
        stored_member member{array.name + ".npy", xt::dump_npy(xt::adapt(array.values.data, array.values.shape))};
        boost::crc_32_type crc;
        crc.process_bytes(member.bytes.data(), member.bytes.size());
        member.crc = crc.checksum();
        member.at = static_cast<std::uint32_t>(file.size());
        file += "PK\3\4";
        member.put_fields(file);
        file += member.name + member.bytes;
        if (file.size() > std::numeric_limits<std::uint32_t>::max()) {
            base::refuse(path, "arrays of more than 4 GiB", "less, which an .npz file without ZIP64 holds");
        }
        directory += "PK\1\2";
        put(directory, std::uint16_t{20}); // made by version 2.0
        member.put_fields(directory);
        constexpr std::uint16_t no_comment = 0, first_disk = 0, binary = 0;
        for (const auto field : {no_comment, first_disk, binary}) { put(directory, field); }
        put(directory, std::uint32_t{0}); // attributes
        put(directory, member.at);
        directory += member.name;
    }
    const auto count = static_cast<std::uint16_t>(arrays.size());
    const auto at = static_cast<std::uint32_t>(file.size());
    file += directory + "PK\5\6";
    for (const auto field : {std::uint16_t{0}, std::uint16_t{0}, count, count}) { put(file, field); }
    put(file, static_cast<std::uint32_t>(directory.size()));
    put(file, at);
    put(file, std::uint16_t{0}); // no comment
    base::write_whole_file(path, file);
}

std::vector<std::vector<float>> arrays_of(const std::string& path, const std::vector<expected_array>& expected,
                                          const std::string& of)
{
    auto found = load_arrays(path);
    const auto named = [&](const std::string& name) {
        return std::find_if(found.begin(), found.end(), [&](const auto& array) { return array.name == name; });
    };
    const auto those = "the arrays of " + of + ": " + listed_names(expected, [](const auto& e) {
                           return e.name + " " + workloads::shape_text(e.shape);
                       });
    std::vector<std::vector<float>> values;
    for (const auto& wanted : expected) {
        const auto array = named(wanted.name);
        if (array == found.end()) {
            base::refuse(path,
                         found.empty() ? "no arrays"
                                       : "no " + wanted.name + " among " +
                                             listed_names(found, [](const auto& a) { return a.name; }),
                         those);
        }
        if (array->values.shape != wanted.shape) {
            base::refuse(path, wanted.name + " of shape " + workloads::shape_text(array->values.shape),
                         wanted.name + " of " + of + " of shape " + workloads::shape_text(wanted.shape));
        }
        values.push_back(std::move(array->values.data));
    }
    for (const auto& array : found) {
        const bool known = std::any_of(expected.begin(), expected.end(),
                                       [&](const auto& wanted) { return wanted.name == array.name; });
        if (!known) { base::refuse(path, "the array " + array.name, those); }
    }
    return values;
}

std::vector<float> array_of(const std::string& path, const std::vector<std::vector<std::size_t>>& shapes,
                            const std::string& of)
{
    const auto header = workloads::read_npy_header(path); // before all its elements are read
    if (std::find(shapes.begin(), shapes.end(), header.shape) == shapes.end()) {
        std::string text;
        for (const auto& shape : shapes) { text += (text.empty() ? "" : " or ") + workloads::shape_text(shape); }
        base::refuse(path, "an array of shape " + workloads::shape_text(header.shape), of + " of shape " + text);
    }
    return float_values(workloads::load_npy(path), path).data;
}

} // namespace tensorloom::testbench
