#include "tnn_training/sample_files.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/input_file.h>
#include <tensorloom/workloads/training/idx_samples.h>
#include <tensorloom/workloads/training/sample_arrays.h>
#include "platform/process/text.h"
#include "platform/run/zip_file.h"

namespace tensorloom::testbench {
namespace {

using workloads::labelled_samples;
using workloads::model_description;
using workloads::sample_array;
using workloads::sample_arrays;

constexpr std::size_t most_bytes = (std::size_t{1} << 32) - 1;
constexpr const char* forms = "FILE.npz, X.npy,Y.npy, FILE.csv";
constexpr double white = 255;

// ---- folders of IDX files

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
                                ".gz in it, expected a folder with IDX files named as those of Fashion-MNIST (Debian: "
                                "package dataset-fashion-mnist), or " +
                                forms);
    }
    return {packed, unpacked(packed, base::read_whole_file(packed, most_bytes))};
}

labelled_samples samples_of_folder(const std::string& name, const std::string& folder, const model_description& model,
                                   double scale)
{
    const auto file = [&](const char* of) { return read_file(folder, of); };
    const auto training_images = file("train-images-idx3-ubyte"), training_labels = file("train-labels-idx1-ubyte"),
               test_images = file("t10k-images-idx3-ubyte"), test_labels = file("t10k-labels-idx1-ubyte");
    return workloads::read_idx_samples(name, model.classes(), training_images, training_labels, test_images,
                                       test_labels, scale);
}

// ---- arrays

workloads::named_bytes whole_file(const std::string& path, const std::string& kind)
{
    workloads::input_file_bytes(path, kind);
    return {path, base::read_whole_file(path, most_bytes)};
}

using names = std::vector<std::string>;

// Arrays of an .npz file, which are unpacked when they are used.
class array_archive {
public:
    explicit array_archive(const std::string& path) : m_path(path), m_zip(path, whole_file(path, "an .npz file").bytes)
    {}

    bool has_one_of(const names& wanted) const { return !present(wanted).empty(); }

    sample_array one_of(const names& wanted, const char* what) const
    {
        const auto found = present(wanted);
        const auto as_it_is = [](const std::string& name) { return name; };
        if (found.size() != 1) {
            constexpr std::size_t most_listed = 12;
            names all;
            for (const auto& member : m_zip.members()) {
                if (all.size() < most_listed) { all.push_back(base::in_quotes(member.array_name())); }
            }
            if (m_zip.members().size() > most_listed) { all.emplace_back("..."); }
            base::refuse(m_path, all.empty() ? "no array" : "the arrays " + listed(all, as_it_is),
                         std::string("one of ") + what + ": " + listed(wanted, as_it_is));
        }
        const auto& member = *found.front();
        return workloads::sample_array_of({m_path + ": " + member.array_name(), m_zip.unpacked(member)});
    }

private:
    std::vector<const zip_file::member*> present(const names& wanted) const
    {
        std::vector<const zip_file::member*> found;
        for (const auto& member : m_zip.members()) {
            if (std::count(wanted.begin(), wanted.end(), member.array_name()) != 0) { found.push_back(&member); }
        }
        return found;
    }

    std::string m_path;
    zip_file m_zip;
};

const names input_names = {"x", "X", "inputs", "features", "data", "x_train", "X_train"};
const names answer_names = {"y", "Y", "labels", "targets", "target", "y_train", "Y_train"};
const names test_input_names = {"x_test", "X_test"}, test_answer_names = {"y_test", "Y_test"};

struct read_arrays {
    sample_arrays samples;
    std::optional<sample_arrays> test; // of an archive that has it
};

read_arrays read(const std::string& data, const model_description& model, bool is_test)
{
    constexpr const char* inputs = "inputs";
    constexpr const char* answers = "labels or targets";
    const auto files = files_of(data);
    const auto array = [](const std::string& path) {
        return workloads::sample_array_of(whole_file(path, "a .npy file"));
    };
    if (files.size() == 2) { return {{array(files[0]), array(files[1])}, {}}; }
    if (ends_with(data, ".csv")) { return {workloads::read_csv_samples(whole_file(data, "a CSV file"), model), {}}; }
    if (ends_with(data, ".npy")) {
        base::refuse(data, counted(files.size(), "array", "arrays"), "two, of inputs and of answers: X.npy,Y.npy");
    }
    if (!ends_with(data, ".npz")) {
        workloads::input_file_bytes(data, std::string(forms) + (is_test ? "" : " or a folder"));
        base::refuse(data, "another kind of file", std::string(forms) + (is_test ? "" : " or a folder of IDX files"));
    }
    const array_archive archive(data);
    if (is_test) {
        const bool marked = archive.has_one_of(test_input_names);
        return {{archive.one_of(marked ? test_input_names : input_names, inputs),
                 archive.one_of(marked ? test_answer_names : answer_names, answers)},
                {}};
    }
    read_arrays found{{archive.one_of(input_names, inputs), archive.one_of(answer_names, answers)}, {}};
    if (archive.has_one_of(test_input_names) || archive.has_one_of(test_answer_names)) {
        found.test = {archive.one_of(test_input_names, "test inputs"),
                      archive.one_of(test_answer_names, "test labels or targets")};
    }
    return found;
}

// For samples of as many numbers: another shape is a mistake, unless one of the two is flat, as all of CSV files are.
void check_same_shape(const sample_array& test, const sample_array& training)
{
    constexpr std::size_t flat = 2; // modes
    if (test.shape.size() <= flat || training.shape.size() <= flat ||
        std::equal(test.shape.begin() + 1, test.shape.end(), training.shape.begin() + 1, training.shape.end())) {
        return;
    }
    base::refuse(test.name, "samples of " + test.sample_sizes(), training.sample_sizes() + ", as in " + training.name);
}

void hold_out(labelled_samples& samples, const sample_request& request)
{
    const double share = request.held_out.value_or(default_held_out);
    const auto count = samples.count();
    const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(count)));
    if (wanted < 1 || wanted >= count) {
        throw base::input_error("--held-out is " + base::shortest_text(share) + ", which of " + std::to_string(count) +
                                " samples takes " + std::to_string(wanted) +
                                ", expected at least one for testing and one for training, or --test");
    }
    workloads::hold_out(samples, wanted, request.seed);
}

labelled_samples samples_of_arrays(const model_description& model, const sample_request& request)
{
    const auto& data = *request.data;
    const double scale = request.scale.value_or(1);
    labelled_samples samples;
    samples.name = data;
    auto training = base::complaining_of("--data", [&] {
        auto found = read(data, model, false);
        workloads::add_samples(samples, samples.training, found.samples, model, scale);
        return found;
    });
    if (training.test && request.held_out) {
        throw base::input_error("--held-out is given with " + data + ", which has a test set, expected one of them");
    }
    if (request.test || training.test) {
        base::complaining_of(request.test ? "--test" : "--data", [&] {
            const auto test = request.test ? read(*request.test, model, true).samples : std::move(*training.test);
            workloads::add_samples(samples, samples.test, test, model, scale);
            check_same_shape(test.inputs, training.samples.inputs);
        });
    } else {
        hold_out(samples, request);
    }
    return samples;
}

} // namespace

std::vector<std::string> files_of(const std::string& data)
{
    const std::string mark = ".npy,"; // other commas are of names
    std::vector<std::string> files;
    std::size_t first = 0;
    for (auto at = data.find(mark); at != std::string::npos; at = data.find(mark, first)) {
        files.push_back(data.substr(first, at + mark.size() - 1 - first));
        first = at + mark.size();
    }
    files.push_back(data.substr(first));
    return files;
}

labelled_samples samples_of(const model_description& model, const sample_request& request)
{
    using workloads::sample_set;
    if (!request.data && model.data == sample_set::digits) { return workloads::shipped_digits(); }
    if (!request.data && model.data == sample_set::sequences) { return workloads::marked_sequences(); }
    std::error_code ignored;
    const auto folder = request.data.value_or(fashion_mnist_folder);
    if (!request.data || std::filesystem::is_directory(folder, ignored)) {
        for (const auto& [given, option] :
             {std::pair(request.test.has_value(), "--test"), {request.held_out.has_value(), "--held-out"}}) {
            if (given) {
                throw base::input_error(std::string(option) + " is given with the folder " + folder +
                                        ", whose IDX files have a test set, expected one of them");
            }
        }
        return samples_of_folder(request.data ? folder : "fashion-mnist", folder, model, request.scale.value_or(white));
    }
    if (request.scale && model.vocabulary() != 0) {
        throw base::input_error(
            "--scale is given with a model whose first layer takes tokens, expected it with numbers");
    }
    return samples_of_arrays(model, request);
}

} // namespace tensorloom::testbench
