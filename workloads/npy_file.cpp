#include <tensorloom/models/arch/input_error.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/npy_header.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>
#include <stdexcept>
#include <system_error>

#include <xtensor/xadapt.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xnpy.hpp>
#include <xtensor/xoperation.hpp>

namespace tensorloom::workloads {

namespace fs = std::filesystem;

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

real_or_complex load(const std::string& path, const npy_header& header)
{
    switch (header.kind) {
    case npy_kind::boolean: return load_boolean(path, header);
    case npy_kind::signed_integer:
        switch (header.element_bytes) {
        case 1: return load_as<std::int8_t, double>(path, header);
        case 2: return load_as<std::int16_t, double>(path, header);
        case 4: return load_as<std::int32_t, double>(path, header);
        default: return load_as<std::int64_t, double>(path, header);
        }
    case npy_kind::unsigned_integer:
        switch (header.element_bytes) {
        case 1: return load_as<std::uint8_t, double>(path, header);
        case 2: return load_as<std::uint16_t, double>(path, header);
        case 4: return load_as<std::uint32_t, double>(path, header);
        default: return load_as<std::uint64_t, double>(path, header);
        }
    case npy_kind::real:
        return header.element_bytes == 4 ? load_as<float, double>(path, header) : load_as<double, double>(path, header);
    case npy_kind::complex: break;
    }
    using c128 = std::complex<double>;
    return header.element_bytes == 8 ? load_as<std::complex<float>, c128>(path, header)
                                     : load_as<c128, c128>(path, header);
}

[[noreturn]] void refuse_output(const std::string& path, const std::string& found)
{
    throw arch::input_error(path + ": cannot be written: " + found + ", expected a file that can be created");
}

std::string last_error() { return std::generic_category().message(errno); }

// A name in the same folder that nobody else uses; its length does not depend on that of the target.
fs::path temporary_beside(const fs::path& target)
{
    std::random_device entropy;
    for (;;) {
        fs::path candidate = target.parent_path() / (".tensorloom-" + std::to_string(entropy()) + ".partial");
        if (!fs::exists(fs::symlink_status(candidate))) { return candidate; }
    }
}

// Removes a file that did not become the result.
class temporary_file {
public:
    explicit temporary_file(fs::path path) : m_path(std::move(path)) {}
    ~temporary_file()
    {
        std::error_code ignored;
        fs::remove(m_path, ignored);
    }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

// The file behind the path: a link stands for what it leads to.
fs::path behind_links(const std::string& path)
{
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) { return path; }
    const fs::path target = fs::canonical(path, error);
    if (error) { refuse_output(path, "it is a link that leads nowhere"); }
    return target;
}

void probe_creation(const std::string& path, const fs::path& probe)
{
    const temporary_file file(probe);
    errno = 0;
    if (!std::ofstream(file.path(), std::ios::binary | std::ios::app)) { refuse_output(path, last_error()); }
}

} // namespace

real_or_complex load_npy(const std::string& path)
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

void check_writable(const std::string& path)
{
    if (path.empty()) { refuse_output("''", "the path is empty"); }
    const fs::path target = behind_links(path);
    std::error_code error;
    const fs::file_status status = fs::status(target, error);
    if (fs::is_directory(status)) { refuse_output(path, "it is a directory"); }
    if (!target.has_filename()) { refuse_output(path, "it names a directory"); }
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error)) { refuse_output(path, "there is no directory " + folder.string()); }
    if (!fs::exists(status)) { return probe_creation(path, target); }

    if (!fs::is_regular_file(status)) { refuse_output(path, "it is a device or a pipe"); }
    errno = 0;
    if (!std::ofstream(target, std::ios::binary | std::ios::app)) { refuse_output(path, last_error()); }
    probe_creation(path, temporary_beside(target)); // replacing needs a new file in the folder
}

template <class T> void save_npy(const std::string& path, const tensor<T>& values)
{
    check_writable(path);
    const fs::path target = behind_links(path);
    const temporary_file file(temporary_beside(target));
    try {
        xt::dump_npy(file.path().string(), xt::adapt(values.data, values.shape));
        read_npy_header(file.path().string()); // dump_npy does not notice a full disk; the header's promise does
    } catch (const std::exception&) {
        refuse_output(path, "the data could not be stored");
    }
    std::error_code error;
    fs::rename(file.path(), target, error);
    if (error) { refuse_output(path, error.message()); }
}

bool same_file(const std::string& a, const std::string& b)
{
    std::error_code error;
    if (fs::equivalent(a, b, error)) { return true; }
    const fs::path canonical_a = fs::weakly_canonical(fs::absolute(a, error), error);
    const fs::path canonical_b = fs::weakly_canonical(fs::absolute(b, error), error);
    return !canonical_a.empty() && canonical_a == canonical_b;
}

template void save_npy(const std::string&, const tensor<double>&);
template void save_npy(const std::string&, const tensor<float>&);
template void save_npy(const std::string&, const tensor<std::complex<double>>&);
template void save_npy(const std::string&, const tensor<std::complex<float>>&);

} // namespace tensorloom::workloads
