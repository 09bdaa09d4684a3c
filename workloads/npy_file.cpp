#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/files/atomic_file.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/npy_header.h>

#include <cstdint>
#include <fstream>
#include <new>
#include <stdexcept>

#include <xtensor/xadapt.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xoperation.hpp>

namespace tensorloom::workloads {

namespace {

// The elements as they lie in the file. Our header reader is the only one: that of xtensor 0.24 misreads header lengths
// whose low byte is above 127 (20 dimensions are enough), wants the keys in one order, and does not notice when data is
// missing.
template <class Element> std::vector<Element> read_elements(const std::string& path, const npy_header& header)
{
    std::vector<Element> elements(header.elements);
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(header.data_offset));
    file.read(reinterpret_cast<char*>(elements.data()),
              static_cast<std::streamsize>(header.elements * header.element_bytes));
    if (!file) {
        throw arch::input_error(path + ": cannot be read, expected " + std::to_string(header.elements) + " elements");
    }
    return elements;
}

// In the format and the order of the file -> T in C order.
template <class Element, class T> tensor<T> load_as(const std::string& path, const npy_header& header)
{
    static_assert(std::is_trivially_copyable_v<Element>);
    const std::vector<Element> elements = read_elements<Element>(path, header);
    tensor<T> result(header.shape);
    if (header.fortran_order) {
        auto target = xt::adapt(result.data, header.shape);
        xt::noalias(target) = xt::cast<T>(xt::adapt<xt::layout_type::column_major>(elements, header.shape));
    } else {
        for (std::size_t i = 0; i < elements.size(); ++i) { result.data[i] = static_cast<T>(elements[i]); }
    }
    return result;
}

tensor<double> load_boolean(const std::string& path, const npy_header& header)
{
    tensor<double> result = load_as<std::uint8_t, double>(path, header);
    for (double& value : result.data) { value = value != 0 ? 1 : 0; }
    return result;
}

// Of any kind of whole numbers but u8, which has some that no T can hold.
template <class T> tensor<T> load_whole(const std::string& path, const npy_header& header)
{
    const bool has_sign = header.kind == npy_kind::signed_integer;
    switch (header.element_bytes) {
    case 1: return has_sign ? load_as<std::int8_t, T>(path, header) : load_as<std::uint8_t, T>(path, header);
    case 2: return has_sign ? load_as<std::int16_t, T>(path, header) : load_as<std::uint16_t, T>(path, header);
    case 4: return has_sign ? load_as<std::int32_t, T>(path, header) : load_as<std::uint32_t, T>(path, header);
    default: break;
    }
    return load_as<std::int64_t, T>(path, header);
}

bool is_u8(const npy_header& header)
{
    return header.kind == npy_kind::unsigned_integer && header.element_bytes == sizeof(std::uint64_t);
}

real_or_complex load(const std::string& path, const npy_header& header)
{
    switch (header.kind) {
    case npy_kind::boolean: return load_boolean(path, header);
    case npy_kind::signed_integer:
    case npy_kind::unsigned_integer:
        return is_u8(header) ? load_as<std::uint64_t, double>(path, header) : load_whole<double>(path, header);
    case npy_kind::real:
        return header.element_bytes == 4 ? load_as<float, double>(path, header) : load_as<double, double>(path, header);
    case npy_kind::complex: break;
    }
    using c128 = std::complex<double>;
    return header.element_bytes == 8 ? load_as<std::complex<float>, c128>(path, header)
                                     : load_as<c128, c128>(path, header);
}

// Whole numbers without a way through double.
tensor<std::int64_t> load_int64(const std::string& path, const npy_header& header)
{
    if (!is_u8(header)) { return load_whole<std::int64_t>(path, header); }
    const auto values = load_as<std::uint64_t, std::uint64_t>(path, header);
    tensor<std::int64_t> result;
    result.shape = values.shape;
    for (std::size_t i = 0; i < values.data.size(); ++i) {
        if (!holds_element<std::int64_t>(values.data[i])) {
            refuse_element<std::int64_t>(path, values.data[i], i, values.shape);
        }
        result.data.push_back(static_cast<std::int64_t>(values.data[i]));
    }
    return result;
}

// What `load` returns; that there is no memory for so many elements is the file's fault.
template <class Load> auto checked_load(const std::string& path, const Load& load)
{
    const npy_header header = read_npy_header(path);
    const auto too_large = [&] {
        return arch::input_error(path + ": " + std::to_string(header.elements) + " elements do not fit in memory");
    };
    try {
        return load(path, header);
    } catch (const std::bad_alloc&) {
        throw too_large();
    } catch (const std::length_error&) {
        throw too_large();
    }
}

} // namespace

real_or_complex load_npy(const std::string& path) { return checked_load(path, load); }

template <class T> tensor<T> load_npy_as(const std::string& path)
{
    if constexpr (std::is_same_v<T, std::int64_t>) {
        const auto kind = read_npy_header(path).kind;
        if (kind == npy_kind::signed_integer || kind == npy_kind::unsigned_integer) {
            return checked_load(path, load_int64);
        }
    }
    return std::visit(
        [&](const auto& from) -> tensor<T> {
            using source = typename std::decay_t<decltype(from.data)>::value_type;
            if constexpr (is_complex_element<source> && !is_complex_element<T>) {
                throw arch::input_error(path + ": complex elements found, expected real ones");
            } else {
                tensor<T> to;
                to.shape = from.shape;
                to.data = rounded_elements<T>(from.data, from.shape, path);
                return to;
            }
        },
        load_npy(path));
}

template tensor<double> load_npy_as(const std::string&);
template tensor<float> load_npy_as(const std::string&);
template tensor<std::complex<double>> load_npy_as(const std::string&);
template tensor<std::complex<float>> load_npy_as(const std::string&);
template tensor<arithmetic::bfloat16> load_npy_as(const std::string&);
template tensor<std::int8_t> load_npy_as(const std::string&);
template tensor<std::int32_t> load_npy_as(const std::string&);
template tensor<std::int64_t> load_npy_as(const std::string&);

template <class T> void save_npy(const std::string& path, const tensor<T>& values)
{
    arch::atomic_file file(path);
    try {
        xt::dump_npy(file.temporary(), xt::adapt(values.data, values.shape));
        read_npy_header(file.temporary()); // dump_npy does not notice a full disk; the header's promise does
    } catch (const std::exception&) {
        file.fail("the data could not be stored");
    }
    file.commit();
}

template void save_npy(const std::string&, const tensor<double>&);
template void save_npy(const std::string&, const tensor<float>&);
template void save_npy(const std::string&, const tensor<std::complex<double>>&);
template void save_npy(const std::string&, const tensor<std::complex<float>>&);
template void save_npy(const std::string&, const tensor<std::int8_t>&);
template void save_npy(const std::string&, const tensor<std::int32_t>&);
template void save_npy(const std::string&, const tensor<std::int64_t>&);

} // namespace tensorloom::workloads
