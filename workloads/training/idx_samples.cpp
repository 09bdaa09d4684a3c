#include <tensorloom/workloads/training/idx_samples.h>
#include <array>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::workloads {
namespace {

constexpr std::size_t word = 4;

[[noreturn]] void refuse(const idx_file& file, const std::string& found, const std::string& expected)
{
    base::refuse(file.origin, found, expected);
}

std::uint64_t number_at(const idx_file& file, std::size_t at)
{
    std::uint64_t number = 0;
    for (std::size_t b = 0; b < word; ++b) { number = number << 8 | static_cast<unsigned char>(file.bytes[at + b]); }
    return number;
}

// The sizes of its modes; the bytes behind the header are as many as their product.
template <std::size_t Modes> std::array<std::uint64_t, Modes> sizes_of(const idx_file& file)
{
    constexpr std::size_t header = (1 + Modes) * word;
    constexpr std::uint64_t magic = 0x800 + Modes; // bytes in so many modes
    const std::string expected = "an IDX file of bytes in " + std::to_string(Modes) + (Modes == 1 ? " mode" : " modes");
    if (file.bytes.size() < header) { refuse(file, std::to_string(file.bytes.size()) + " bytes", expected); }
    if (number_at(file, 0) != magic) {
        refuse(file, "the magic number " + std::to_string(number_at(file, 0)), expected);
    }
    std::array<std::uint64_t, Modes> sizes{};
    std::uint64_t left = file.bytes.size() - header; // divided by the sizes: their product may exceed any integer
    bool fits = true;
    std::string product;
    for (std::size_t m = 0; m < Modes; ++m) {
        sizes[m] = number_at(file, (1 + m) * word);
        if (sizes[m] == 0) { refuse(file, "a size of 0", "at least 1"); }
        fits = fits && left % sizes[m] == 0;
        left /= sizes[m];
        product += (m == 0 ? "" : " x ") + std::to_string(sizes[m]);
    }
    if (!fits || left != 1) {
        refuse(file, std::to_string(file.bytes.size() - header) + " bytes after the header",
               product + " as in the header");
    }
    return sizes;
}

void add(labelled_samples& samples, const idx_file& images, const idx_file& labels, std::vector<std::uint32_t>& part,
         float scale)
{
    const auto [count, rows, columns] = sizes_of<3>(images);
    const auto [label_count] = sizes_of<1>(labels);
    if (samples.features == 0) { samples.features = rows * columns; }
    if (rows * columns != samples.features) {
        refuse(images, "images of " + std::to_string(rows * columns) + " pixels",
               "those of the training set, " + std::to_string(samples.features));
    }
    if (label_count != count) {
        refuse(labels, std::to_string(label_count) + " labels", "one for each of " + std::to_string(count) + " images");
    }
    constexpr std::size_t pixels_at = 4 * word, labels_at = 2 * word;
    for (std::size_t i = pixels_at; i < images.bytes.size(); ++i) {
        const auto pixel = static_cast<float>(static_cast<unsigned char>(images.bytes[i]));
        samples.values.push_back(static_cast<float>(arithmetic::bfloat16(pixel / scale)));
    }
    for (std::size_t i = labels_at; i < labels.bytes.size(); ++i) {
        const auto label = static_cast<unsigned char>(labels.bytes[i]);
        if (label >= samples.classes) {
            refuse(labels, "label " + std::to_string(label) + " of image " + std::to_string(i - labels_at),
                   "one from 0 to " + std::to_string(samples.classes - 1));
        }
        part.push_back(static_cast<std::uint32_t>(samples.labels.size()));
        samples.labels.push_back(label);
    }
}

} // namespace

labelled_samples read_idx_samples(const std::string& name, std::uint64_t classes, const idx_file& training_images,
                                  const idx_file& training_labels, const idx_file& test_images,
                                  const idx_file& test_labels, double scale)
{
    labelled_samples samples;
    samples.name = name;
    samples.classes = classes;
    add(samples, training_images, training_labels, samples.training, static_cast<float>(scale));
    add(samples, test_images, test_labels, samples.test, static_cast<float>(scale));
    return samples;
}

} // namespace tensorloom::workloads
