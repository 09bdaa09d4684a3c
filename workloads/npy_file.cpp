#include <tensorloom/workloads/npy_file.h>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/stream.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xoperation.hpp>
#include <tensorloom/models/arithmetic/float16.h>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/input_file.h>

namespace tensorloom::workloads {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are read as they lie in the file, little-endian");

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t max_header_bytes = 64 * 1024;
constexpr std::size_t max_dimensions = 32; // NumPy's own limit
constexpr const char* supported_types = "b1, i1 to i8, u1 to u8, f2 to f8, c8 or c16, little-endian";

[[noreturn]] void refuse(const std::string& path, const std::string& error)
{
    throw base::input_error(path + ": " + error);
}

// The header's dictionary, a Python literal: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class dictionary_reader {
public:
    dictionary_reader(const std::string& path, std::string_view text)
        : m_path(path), m_rest(text.substr(0, text.find_last_not_of(space) + 1))
    {}

    void read(npy_header& header)
    {
        bool has_descr = false, has_order = false, has_shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string_view key = string("a key");
            expect(':');
            if (key == "descr") {
                first_time(key, has_descr);
                descr(header);
            } else if (key == "fortran_order") {
                first_time(key, has_order);
                header.fortran_order = boolean();
            } else if (key == "shape") {
                first_time(key, has_shape);
                shape(header.shape);
            } else {
                refuse(m_path, "header has the key " + quoted(key) + ", expected descr, fortran_order and shape alone");
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (!m_rest.empty()) {
            refuse(m_path, "header has " + quoted(m_rest) + " after its dictionary, expected its end");
        }
        for (auto [found, key] : {std::pair(has_descr, "descr"), {has_order, "fortran_order"}, {has_shape, "shape"}}) {
            if (!found) { refuse(m_path, std::string("header lacks the key '") + key + "'"); }
        }
    }

private:
    static constexpr std::string_view space = " \t\r\n";

    void skip_space()
    {
        const std::size_t next = m_rest.find_first_not_of(space);
        m_rest.remove_prefix(next == std::string_view::npos ? m_rest.size() : next);
    }
    bool accept(char c)
    {
        skip_space();
        if (m_rest.empty() || m_rest.front() != c) { return false; }
        m_rest.remove_prefix(1);
        return true;
    }
    void expect(char c)
    {
        if (!accept(c)) { unexpected(quoted(std::string_view(&c, 1))); }
    }
    [[noreturn]] void unexpected(const std::string& expected)
    {
        skip_space();
        refuse(m_path, "header is malformed: found " + (m_rest.empty() ? "its end" : quoted(m_rest)) + ", expected " +
                           expected);
    }
    void first_time(std::string_view key, bool& seen)
    {
        if (seen) { refuse(m_path, "header has the key " + quoted(key) + " twice"); }
        seen = true;
    }

    std::string_view string(const char* what)
    {
        skip_space();
        if (m_rest.empty() || (m_rest.front() != '\'' && m_rest.front() != '"')) {
            unexpected(std::string(what) + " in quotes");
        }
        const std::size_t end = m_rest.find(m_rest.front(), 1);
        if (end == std::string_view::npos) { unexpected("a closing quote"); }
        const std::string_view value = m_rest.substr(1, end - 1);
        m_rest.remove_prefix(end + 1);
        return value;
    }

    bool boolean()
    {
        skip_space();
        for (auto [name, value] : {std::pair("False", false), {"True", true}}) {
            const std::string_view word = name;
            if (m_rest.substr(0, word.size()) == word) {
                m_rest.remove_prefix(word.size());
                return value;
            }
        }
        unexpected("True or False for fortran_order");
    }

    void descr(npy_header& header)
    {
        skip_space();
        if (!m_rest.empty() && m_rest.front() == '[') {
            refuse(m_path, std::string("elements are records (a structured type), expected ") + supported_types);
        }
        const std::string_view type = string("an element type");
        if (type.size() < 2) { unsupported(type); }
        const char order = type.front();
        const std::string_view format = type.substr(1);
        static constexpr struct {
            std::string_view name;
            npy_kind kind;
            std::size_t bytes;
        } formats[] = {{"b1", npy_kind::boolean, 1},
                       {"i1", npy_kind::signed_integer, 1},
                       {"i2", npy_kind::signed_integer, 2},
                       {"i4", npy_kind::signed_integer, 4},
                       {"i8", npy_kind::signed_integer, 8},
                       {"u1", npy_kind::unsigned_integer, 1},
                       {"u2", npy_kind::unsigned_integer, 2},
                       {"u4", npy_kind::unsigned_integer, 4},
                       {"u8", npy_kind::unsigned_integer, 8},
                       {"f2", npy_kind::real, 2},
                       {"f4", npy_kind::real, 4},
                       {"f8", npy_kind::real, 8},
                       {"c8", npy_kind::complex, 8},
                       {"c16", npy_kind::complex, 16}};
        for (const auto& known : formats) {
            if (known.name != format) { continue; }
            if (order == '>' && known.bytes > 1) {
                refuse(m_path, "elements " + quoted(type) + " are big-endian, expected " + supported_types);
            }
            if (order != '<' && order != '|' && order != '=' && order != '>') { unsupported(type); }
            header.kind = known.kind;
            header.element_bytes = known.bytes;
            return;
        }
        unsupported(type);
    }
    [[noreturn]] void unsupported(std::string_view type)
    {
        refuse(m_path, "element type " + quoted(type) + " is not supported, expected " + supported_types);
    }

    // A Python tuple: (), (3,), (3, 4) or (3, 4,); (3) would be a number.
    void shape(std::vector<std::size_t>& sizes)
    {
        expect('(');
        while (!accept(')')) {
            sizes.push_back(size());
            if (sizes.size() > max_dimensions) {
                refuse(m_path, "shape has more than " + std::to_string(max_dimensions) + " dimensions");
            }
            if (accept(',')) { continue; }
            if (sizes.size() == 1) { unexpected("',' after the only size of the shape"); }
            expect(')');
            break;
        }
    }
    std::size_t size()
    {
        skip_space();
        const std::size_t digits = std::min(m_rest.find_first_not_of("0123456789"), m_rest.size());
        if (digits == 0) { unexpected("a size, a whole number not below 0"); }
        std::size_t value = 0;
        for (char c : m_rest.substr(0, digits)) {
            const auto digit = static_cast<std::size_t>(c - '0');
            if (value > (std::numeric_limits<std::size_t>::max() - digit) / 10) {
                refuse(m_path,
                       "shape has the size " + quoted(m_rest.substr(0, digits)) + ", which does not fit in 64 bits");
            }
            value = 10 * value + digit;
        }
        m_rest.remove_prefix(digits);
        return value;
    }

    const std::string& m_path;
    std::string_view m_rest;
};

// Bytes of the whole file as the header promises it. Sizes of 0 do not excuse an impossible shape.
std::uint64_t promised_bytes(const std::string& path, npy_header& header)
{
    std::uint64_t bytes = header.element_bytes;
    bool none = false;
    for (std::size_t size : header.shape) {
        none = none || size == 0;
        if (size > 1 && bytes > std::numeric_limits<std::int64_t>::max() / size) {
            refuse(path, "shape " + shape_text(header.shape) + " is too large: its bytes do not fit in 63 bits");
        }
        bytes *= size == 0 ? 1 : size;
    }
    header.elements = none ? 0 : bytes / header.element_bytes;
    return header.data_offset + header.elements * header.element_bytes;
}

std::uint64_t little_endian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) { value = value << 8 | static_cast<unsigned char>(bytes[i]); }
    return value;
}

// A .npy file that is open: its name in messages, its size, its bytes from the first one on.
struct npy_source {
    const std::string& path;
    std::uint64_t file_bytes;
    std::istream& file;
};

// Calls of(source) for a file on disk or in memory.
template <class F> auto with_source(const std::string& path, const F& of)
{
    const std::uint64_t file_bytes = input_file_bytes(path, "a .npy file");
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        refuse(path, "cannot be opened (" + std::generic_category().message(errno) + "), expected a .npy file");
    }
    return of(npy_source{path, file_bytes, file});
}
template <class F> auto with_source(const named_bytes& from, const F& of)
{
    if (from.bytes.empty()) { refuse(from.name, "is empty, expected a .npy file"); }
    boost::iostreams::stream<boost::iostreams::array_source> file(from.bytes.data(), from.bytes.size());
    return of(npy_source{from.name, from.bytes.size(), file});
}

npy_header header_of(const npy_source& from)
{
    const auto& [path, file_bytes, file] = from;

    // Magic, two bytes of version, then the header's length in two bytes (version 1) or four.
    char preamble[12] = {};
    file.read(preamble, sizeof preamble);
    const std::string_view start(preamble, static_cast<std::size_t>(file.gcount()));
    file.clear();
    if (start.substr(0, magic.size()) != magic.substr(0, start.size())) {
        refuse(path, "is not a .npy file: it starts with " + quoted(start.substr(0, magic.size())) +
                         ", expected '\\x93NUMPY'");
    }
    const unsigned major = start.size() > 7 ? static_cast<unsigned char>(start[6]) : 1;
    const unsigned minor = start.size() > 7 ? static_cast<unsigned char>(start[7]) : 0;
    if (major < 1 || major > 3 || minor != 0) {
        refuse(path,
               ".npy version " + std::to_string(major) + "." + std::to_string(minor) + ", expected 1.0, 2.0 or 3.0");
    }
    const std::size_t preamble_bytes = major == 1 ? 10 : 12;
    if (start.size() < preamble_bytes) {
        refuse(path, "is truncated in its header: " + std::to_string(file_bytes) + " bytes found, expected more than " +
                         std::to_string(preamble_bytes));
    }
    const std::uint64_t header_bytes = little_endian(start.substr(8, preamble_bytes - 8));
    if (header_bytes > max_header_bytes) {
        refuse(path, "header length of " + std::to_string(header_bytes) + " bytes found, expected at most " +
                         std::to_string(max_header_bytes));
    }
    if (preamble_bytes + header_bytes > file_bytes) {
        refuse(path, "is truncated in its header: " + std::to_string(file_bytes) + " bytes found, expected at least " +
                         std::to_string(preamble_bytes + header_bytes));
    }

    std::string text(header_bytes, '\0');
    file.seekg(static_cast<std::streamoff>(preamble_bytes));
    if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) { refuse(path, "cannot be read"); }
    npy_header header;
    dictionary_reader(path, text).read(header);
    header.data_offset = preamble_bytes + header_bytes;

    const std::uint64_t expected = promised_bytes(path, header);
    if (file_bytes != expected) {
        const std::string what = file_bytes < expected ? "is truncated: " : "has trailing bytes: ";
        refuse(path, what + std::to_string(file_bytes) + " bytes found, expected " + std::to_string(expected) +
                         " (header " + std::to_string(header.data_offset) + ", data " +
                         std::to_string(expected - header.data_offset) + ")");
    }
    return header;
}

// The elements as they lie in the file. Our header reader is the only one: that of xtensor 0.24 misreads header lengths
// whose low byte is above 127 (20 dimensions are enough), wants the keys in one order, and does not notice when data is
// missing.
template <class Element> std::vector<Element> read_elements(const npy_source& from, const npy_header& header)
{
    std::vector<Element> elements(header.elements);
    from.file.seekg(static_cast<std::streamoff>(header.data_offset));
    from.file.read(reinterpret_cast<char*>(elements.data()),
                   static_cast<std::streamsize>(header.elements * header.element_bytes));
    if (!from.file) {
        throw base::input_error(from.path + ": cannot be read, expected " + std::to_string(header.elements) +
                                " elements");
    }
    return elements;
}

// In the format and the order of the file -> T in C order.
template <class Element, class T> tensor<T> load_as(const npy_source& from, const npy_header& header)
{
    static_assert(std::is_trivially_copyable_v<Element>);
    const std::vector<Element> elements = read_elements<Element>(from, header);
    tensor<T> result(header.shape);
    if (header.fortran_order) {
        auto target = xt::adapt(result.data, header.shape);
        xt::noalias(target) = xt::cast<T>(xt::adapt<xt::layout_type::column_major>(elements, header.shape));
    } else {
        for (std::size_t i = 0; i < elements.size(); ++i) { result.data[i] = static_cast<T>(elements[i]); }
    }
    return result;
}

// For load_as: xtensor and arrays convert it by static_cast.
struct half {
    std::uint16_t bits;
    explicit operator double() const
    {
        arithmetic::float16 number;
        number.bits = bits;
        return static_cast<double>(static_cast<float>(number));
    }
};

tensor<double> load_boolean(const npy_source& from, const npy_header& header)
{
    tensor<double> result = load_as<std::uint8_t, double>(from, header);
    for (double& value : result.data) { value = value != 0 ? 1 : 0; }
    return result;
}

// Of any kind of whole numbers but u8, which has some that no T can hold.
template <class T> tensor<T> load_whole(const npy_source& from, const npy_header& header)
{
    const bool has_sign = header.kind == npy_kind::signed_integer;
    switch (header.element_bytes) {
    case 1: return has_sign ? load_as<std::int8_t, T>(from, header) : load_as<std::uint8_t, T>(from, header);
    case 2: return has_sign ? load_as<std::int16_t, T>(from, header) : load_as<std::uint16_t, T>(from, header);
    case 4: return has_sign ? load_as<std::int32_t, T>(from, header) : load_as<std::uint32_t, T>(from, header);
    default: break;
    }
    return load_as<std::int64_t, T>(from, header);
}

bool is_u8(const npy_header& header)
{
    return header.kind == npy_kind::unsigned_integer && header.element_bytes == sizeof(std::uint64_t);
}

real_or_complex load(const npy_source& from, const npy_header& header)
{
    switch (header.kind) {
    case npy_kind::boolean: return load_boolean(from, header);
    case npy_kind::signed_integer:
    case npy_kind::unsigned_integer:
        return is_u8(header) ? load_as<std::uint64_t, double>(from, header) : load_whole<double>(from, header);
    case npy_kind::real:
        if (header.element_bytes == 2) { return load_as<half, double>(from, header); }
        return header.element_bytes == 4 ? load_as<float, double>(from, header) : load_as<double, double>(from, header);
    case npy_kind::complex: break;
    }
    using c128 = std::complex<double>;
    return header.element_bytes == 8 ? load_as<std::complex<float>, c128>(from, header)
                                     : load_as<c128, c128>(from, header);
}

// Whole numbers without a way through double.
tensor<std::int64_t> load_int64(const npy_source& from, const npy_header& header)
{
    if (!is_u8(header)) { return load_whole<std::int64_t>(from, header); }
    const auto values = load_as<std::uint64_t, std::uint64_t>(from, header);
    tensor<std::int64_t> result;
    result.shape = values.shape;
    for (std::size_t i = 0; i < values.data.size(); ++i) {
        if (!holds_element<std::int64_t>(values.data[i])) {
            throw_element_error<std::int64_t>(from.path, values.data[i], i, values.shape);
        }
        result.data.push_back(static_cast<std::int64_t>(values.data[i]));
    }
    return result;
}

// What `load` returns; that there is no memory for so many elements is the file's fault.
template <class Load> auto checked_load(const npy_source& from, const Load& load)
{
    const npy_header header = header_of(from);
    const auto too_large = [&] {
        return base::input_error(from.path + ": " + std::to_string(header.elements) + " elements do not fit in memory");
    };
    try {
        return load(from, header);
    } catch (const std::bad_alloc&) {
        throw too_large();
    } catch (const std::length_error&) {
        throw too_large();
    }
}

} // namespace

npy_header read_npy_header(const std::string& path) { return with_source(path, header_of); }
npy_header read_npy_header(const named_bytes& file) { return with_source(file, header_of); }

real_or_complex load_npy(const std::string& path)
{
    return with_source(path, [](const npy_source& from) { return checked_load(from, load); });
}

real_or_complex load_npy(const named_bytes& file)
{
    return with_source(file, [](const npy_source& from) { return checked_load(from, load); });
}

namespace {

template <class T> tensor<T> rounded_tensor(const real_or_complex& loaded, const std::string& path)
{
    return std::visit(
        [&](const auto& from) -> tensor<T> {
            using source = typename std::decay_t<decltype(from.data)>::value_type;
            if constexpr (is_complex_element<source> && !is_complex_element<T>) {
                throw base::input_error(path + ": complex elements found, expected real ones");
            } else {
                tensor<T> to;
                to.shape = from.shape;
                to.data = rounded_elements<T>(from.data, from.shape, path);
                return to;
            }
        },
        loaded);
}

// The rows along mode 3 of a part: calls visit(first element within the whole, first within the part, elements), with
// rows that follow each other in both as one.
template <class Visit> void for_each_row(const std::vector<std::size_t>& whole, const box3& part, const Visit& visit)
{
    const bool whole_rows = part.size[2] == whole[2], whole_planes = whole_rows && part.size[1] == whole[1];
    const shape3 at_once{whole_planes ? part.size[0] : 1, whole_rows ? part.size[1] : 1, part.size[2]};
    std::uint64_t done = 0;
    for (std::size_t i = 0; i < part.size[0]; i += at_once[0]) {
        for (std::size_t j = 0; j < part.size[1]; j += at_once[1]) {
            const std::uint64_t row = std::uint64_t{part.first[0] + i} * whole[1] + part.first[1] + j;
            visit(row * whole[2] + part.first[2], done, volume_of(at_once));
            done += volume_of(at_once);
        }
    }
}

} // namespace

template <class T> tensor<T> load_npy_box_as(const std::string& path, const box3& part)
{
    npy_header header = read_npy_header(path);
    if (header.fortran_order) { refuse(path, "is in Fortran order, expected C order"); }
    const auto whole = header.shape;
    const std::uint64_t offset = header.data_offset, bytes = header.element_bytes;
    header.shape = {part.size.begin(), part.size.end()};
    header.elements = volume_of(part.size);
    header.data_offset = 0;
    std::string elements(header.elements * bytes, '\0');
    std::ifstream file;
    file.rdbuf()->pubsetbuf(nullptr, 0); // rows are read where they are needed
    file.open(path, std::ios::binary);
    for_each_row(whole, part, [&](std::uint64_t from, std::uint64_t to, std::uint64_t count) {
        file.seekg(static_cast<std::streamoff>(offset + from * bytes));
        file.read(elements.data() + to * bytes, static_cast<std::streamsize>(count * bytes));
    });
    if (!file) { refuse(path, "cannot be read"); }
    const std::string name = path + ", from (" + std::to_string(part.first[0]) + "," + std::to_string(part.first[1]) +
                             "," + std::to_string(part.first[2]) + ") on";
    boost::iostreams::stream<boost::iostreams::array_source> data(elements.data(), elements.size());
    return rounded_tensor<T>(load(npy_source{name, elements.size(), data}, header), name);
}

template <class T> tensor<T> load_npy_as(const std::string& path)
{
    if constexpr (std::is_same_v<T, std::int64_t>) {
        const auto kind = read_npy_header(path).kind;
        if (kind == npy_kind::signed_integer || kind == npy_kind::unsigned_integer) {
            return with_source(path, [](const npy_source& from) { return checked_load(from, load_int64); });
        }
    }
    return rounded_tensor<T>(load_npy(path), path);
}

template tensor<double> load_npy_as(const std::string&);
template tensor<float> load_npy_as(const std::string&);
template tensor<std::complex<double>> load_npy_as(const std::string&);
template tensor<std::complex<float>> load_npy_as(const std::string&);
template tensor<arithmetic::bfloat16> load_npy_as(const std::string&);
template tensor<std::int8_t> load_npy_as(const std::string&);
template tensor<std::int32_t> load_npy_as(const std::string&);
template tensor<std::int64_t> load_npy_as(const std::string&);
template tensor<double> load_npy_box_as(const std::string&, const box3&);
template tensor<float> load_npy_box_as(const std::string&, const box3&);
template tensor<std::complex<double>> load_npy_box_as(const std::string&, const box3&);
template tensor<std::complex<float>> load_npy_box_as(const std::string&, const box3&);
template tensor<arithmetic::bfloat16> load_npy_box_as(const std::string&, const box3&);
template tensor<std::int8_t> load_npy_box_as(const std::string&, const box3&);
template tensor<std::int32_t> load_npy_box_as(const std::string&, const box3&);

template <class T> void save_npy(const std::string& path, const tensor<T>& values)
{
    base::atomic_file file(path);
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

namespace {

// Header of a file in C order, as xtensor writes it.
template <class T> std::string header_text(const shape3& shape)
{
    std::ostringstream text;
    xt::detail::write_header(text, xt::detail::build_typestring<T>(), false, shape);
    return text.str();
}

} // namespace

template <class T> void create_npy(const std::string& path, const shape3& shape)
{
    const auto header = header_text<T>(shape);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << header;
    file.close();
    std::error_code error;
    std::filesystem::resize_file(path, header.size() + volume_of(shape) * sizeof(T), error);
    if (!file || error) { refuse(path, "cannot be written"); }
}

template <class T> void write_npy_box(const std::string& path, const box3& part, const tensor<T>& values)
{
    const auto header = read_npy_header(path);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    for_each_row(header.shape, part, [&](std::uint64_t to, std::uint64_t from, std::uint64_t count) {
        file.seekp(static_cast<std::streamoff>(header.data_offset + to * sizeof(T)));
        file.write(reinterpret_cast<const char*>(values.data.data() + from),
                   static_cast<std::streamsize>(count * sizeof(T)));
    });
    file.close();
    if (!file) { refuse(path, "cannot be written"); }
}

template void create_npy<double>(const std::string&, const shape3&);
template void write_npy_box(const std::string&, const box3&, const tensor<double>&);
template void create_npy<float>(const std::string&, const shape3&);
template void write_npy_box(const std::string&, const box3&, const tensor<float>&);
template void create_npy<std::complex<double>>(const std::string&, const shape3&);
template void write_npy_box(const std::string&, const box3&, const tensor<std::complex<double>>&);
template void create_npy<std::complex<float>>(const std::string&, const shape3&);
template void write_npy_box(const std::string&, const box3&, const tensor<std::complex<float>>&);
template void create_npy<std::int8_t>(const std::string&, const shape3&);
template void write_npy_box(const std::string&, const box3&, const tensor<std::int8_t>&);
template void create_npy<std::int32_t>(const std::string&, const shape3&);
template void write_npy_box(const std::string&, const box3&, const tensor<std::int32_t>&);

} // namespace tensorloom::workloads
