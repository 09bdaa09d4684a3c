#include <tensorloom/workloads/training/labelled_samples.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>
#include <tensorloom/models/base/files/sha256.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/workloads/input_file.h>
#include <tensorloom/workloads/training/shipped_data.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t split_seed = 1797; // of the constant permutation

// Fisher and Yates; std::shuffle differs from library to library.
void permute(std::vector<std::uint32_t>& all, std::mt19937_64& random)
{
    for (std::size_t left = all.size(); left > 1; --left) { std::swap(all[left - 1], all[random() % left]); }
}

class sample_reader {
public:
    sample_reader(std::string origin, double largest) : m_origin(std::move(origin)), m_largest(largest) {}

    void read(std::string_view text, labelled_samples& to)
    {
        for (unsigned line = 1; !text.empty(); ++line) {
            const auto end = text.find('\n');
            m_line = line;
            read_line(text.substr(0, end), to);
            text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        }
    }

private:
    void read_line(std::string_view line, labelled_samples& to)
    {
        if (!line.empty() && line.back() == '\r') { line.remove_suffix(1); }
        if (line.empty()) { return; }
        std::vector<float> features;
        for (auto comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
            features.push_back(feature(line.substr(0, comma)));
            line.remove_prefix(comma + 1);
        }
        if (to.labels.empty()) { to.features = features.size(); }
        if (features.empty() || features.size() != to.features) {
            refuse(std::to_string(features.size() + 1) + " columns",
                   "features and a label, " + std::to_string(to.features + 1) + " columns as in the first line");
        }
        to.values.insert(to.values.end(), features.begin(), features.end());
        to.labels.push_back(label(line, to.classes));
    }

    float feature(std::string_view text) const
    {
        const auto value = base::parse_number<double>(text);
        if (!value || *value < 0 || *value > m_largest) {
            refuse(quoted(text), "a number from 0 to " + base::shortest_text(m_largest));
        }
        return static_cast<float>(arithmetic::bfloat16(static_cast<float>(*value / m_largest)));
    }

    std::uint32_t label(std::string_view text, std::uint64_t classes) const
    {
        const auto value = base::parse_number<std::uint32_t>(text);
        if (!value || *value >= classes) {
            refuse("label " + quoted(text), "a whole number from 0 to " + std::to_string(classes - 1));
        }
        return *value;
    }

    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const
    {
        base::refuse(m_origin + ", line " + std::to_string(m_line), found, expected);
    }

    std::string m_origin;
    double m_largest;
    unsigned m_line = 0;
};

} // namespace

void hold_out(labelled_samples& samples, std::size_t test_samples, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::vector<std::uint32_t>> by_class(std::max<std::uint64_t>(samples.classes, 1));
    for (std::uint32_t s = 0; s < samples.count(); ++s) {
        by_class[samples.classes == 0 ? 0 : samples.labels[s]].push_back(s);
    }
    samples.training.clear();
    samples.test.clear();
    std::size_t seen = 0, taken = 0;
    for (auto& all : by_class) {
        permute(all, random);
        seen += all.size();
        const std::size_t wanted = seen * test_samples / samples.count() - taken;
        taken += wanted;
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(wanted);
        samples.test.insert(samples.test.end(), all.begin(), middle);
        samples.training.insert(samples.training.end(), middle, all.end());
    }
}

std::string digest_of(const labelled_samples& samples)
{
    base::sha256 hash;
    const auto add = [&hash](const auto& all) {
        const std::uint64_t count = all.size();
        hash.add({reinterpret_cast<const char*>(&count), sizeof count});
        hash.add({reinterpret_cast<const char*>(all.data()), all.size() * sizeof all[0]});
    };
    add(std::vector<std::uint64_t>{samples.features, samples.vocabulary, samples.classes, samples.target_numbers});
    add(samples.values);
    add(samples.labels);
    add(samples.targets);
    add(samples.training);
    add(samples.test);
    return hash.hex();
}

labelled_samples read_samples(const std::string& text, const std::string& origin, std::uint64_t classes, double largest,
                              std::size_t test_samples)
{
    labelled_samples samples;
    samples.name = origin;
    samples.classes = classes;
    sample_reader(origin, largest).read(text, samples);
    if (samples.count() <= test_samples) {
        base::refuse(origin, std::to_string(samples.count()) + " samples", "more than " + std::to_string(test_samples));
    }
    hold_out(samples, test_samples, split_seed);
    return samples;
}

labelled_samples shipped_digits()
{
    constexpr std::uint64_t digits = 10;
    constexpr double darkest = 16;
    constexpr std::size_t test_samples = 360;
    return read_samples(shipped_samples[0].text, "digits", digits, darkest, test_samples);
}

labelled_samples marked_sequences()
{
    constexpr std::uint32_t places = 16, tokens = 16, marker = tokens - 1, values = 4, training = 2048, test = 512;
    constexpr std::uint64_t seed = 16;
    labelled_samples samples;
    samples.name = "sequences";
    samples.features = places;
    samples.vocabulary = tokens;
    samples.classes = values;
    std::mt19937_64 random(seed);
    for (std::uint32_t s = 0; s < training + test; ++s) {
        const std::uint32_t label = s % values;
        std::vector<std::uint32_t> others; // than marker and label
        for (std::uint32_t v = 0; v < values; ++v) {
            if (v != label) { others.push_back(v); }
        }
        while (others.size() < places - 2) {
            others.push_back(values + static_cast<std::uint32_t>(random() % (marker - values)));
        }
        permute(others, random);
        const std::uint32_t pair[] = {marker, label};
        others.insert(others.begin() + static_cast<std::ptrdiff_t>(random() % (places - 1)), pair, pair + 2);
        samples.values.insert(samples.values.end(), others.begin(), others.end());
        samples.labels.push_back(label);
        (s < training ? samples.training : samples.test).push_back(s);
    }
    return samples;
}

void hold_out_validation(labelled_samples& samples, double share, std::uint64_t seed)
{
    const auto all = samples.training.size();
    if (all < 2) {
        throw base::input_error(samples.name + " has " + std::to_string(all) +
                                " samples for training, expected at least 2 to hold some out for validation");
    }
    constexpr std::uint32_t of_validation = 0xffffffff; // no number of an epoch
    std::seed_seq mixed{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), of_validation,
                        of_validation};
    std::mt19937_64 random(mixed);
    std::vector<std::uint32_t> places(all);
    std::iota(places.begin(), places.end(), 0u);
    permute(places, random);
    const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(all)));
    places.resize(std::clamp<std::size_t>(wanted, 1, all - 1));
    std::vector<bool> is_held_out(all);
    for (const auto place : places) { is_held_out[place] = true; }
    std::vector<std::uint32_t> rest;
    for (std::size_t place = 0; place < all; ++place) {
        (is_held_out[place] ? samples.validation : rest).push_back(samples.training[place]);
    }
    samples.training = std::move(rest);
}

std::vector<std::uint32_t> order_of_epoch(const labelled_samples& samples, std::uint64_t seed, std::uint64_t epoch)
{
    std::seed_seq mixed{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(epoch)};
    std::mt19937_64 random(mixed);
    auto order = samples.training;
    permute(order, random);
    return order;
}

} // namespace tensorloom::workloads
