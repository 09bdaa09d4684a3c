#include "tnn_training/sample_files.h"
#include <filesystem>
#include <sstream>
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/training/idx_samples.h>

namespace tensorloom::testbench {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

std::string unpacked(const std::string& path, const std::string& bytes)
{
    namespace io = boost::iostreams;
    try {
        std::istringstream packed(bytes);
        io::filtering_istream stream;
        stream.push(io::gzip_decompressor());
        stream.push(packed);
        std::ostringstream whole;
        io::copy(stream, whole);
        return whole.str();
    } catch (const io::gzip_error&) {
        throw base::input_error(path + ": found an incomplete gzip file, expected a complete one");
    }
}

workloads::idx_file read_file(const std::string& folder, const std::string& name)
{
    const auto path = (std::filesystem::path(folder) / name).string(), packed = path + ".gz";
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) { return {path, base::read_whole_file(path, most_bytes)}; }
    if (!std::filesystem::exists(packed, ignored)) {
        throw base::input_error("--data is '" + folder + "', found no " + name + " and no " + name +
                                ".gz in it, expected a folder with the IDX files of Fashion-MNIST (Debian: package "
                                "dataset-fashion-mnist)");
    }
    return {packed, unpacked(packed, base::read_whole_file(packed, most_bytes))};
}

} // namespace

workloads::labelled_samples samples_of(workloads::sample_set set, const std::string& folder)
{
    if (set == workloads::sample_set::digits) { return workloads::shipped_digits(); }
    if (set == workloads::sample_set::sequences) { return workloads::marked_sequences(); }
    constexpr std::uint64_t classes = 10;
    const auto file = [&](const char* name) { return read_file(folder, name); };
    const auto training_images = file("train-images-idx3-ubyte"), training_labels = file("train-labels-idx1-ubyte"),
               test_images = file("t10k-images-idx3-ubyte"), test_labels = file("t10k-labels-idx1-ubyte");
    return workloads::read_idx_samples("fashion-mnist", classes, training_images, training_labels, test_images,
                                       test_labels);
}

} // namespace tensorloom::testbench
