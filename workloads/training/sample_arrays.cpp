#include <tensorloom/workloads/training/sample_arrays.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/finite_data.h>
#include <tensorloom/workloads/input_file.h>

namespace tensorloom::workloads {
namespace {

std::string sizes_text(const std::vector<std::size_t>& sizes)
{
    std::string text;
    for (const auto size : sizes) { text += (text.empty() ? "" : " x ") + std::to_string(size); }
    return text.empty() ? "1" : text;
}

std::string_view without_blanks(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) { return {}; }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Also NaN and infinities, which are refused later with their place.
bool read_number(std::string_view text, double& value)
{
    text = without_blanks(text);
    if (!text.empty() && text.front() == '+') { text.remove_prefix(1); }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && end == text.data() + text.size() && error == std::errc();
}

class csv_reader {
public:
    explicit csv_reader(const named_bytes& csv) : m_name(csv.name)
    {
        std::string_view text = csv.bytes;
        if (text.substr(0, byte_order_mark.size()) == byte_order_mark) { text.remove_prefix(byte_order_mark.size()); }
        for (m_line = 1; !text.empty(); ++m_line) {
            const auto end = text.find('\n');
            const auto line = without_blanks(text.substr(0, end));
            if (!line.empty()) { read_line(line); }
            text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        }
        if (m_lines.empty()) { base::refuse(m_name, "no line of numbers", "samples, one in each line"); }
    }

    std::size_t columns() const { return m_columns; }

    // `count` columns of all lines.
    sample_array part(std::size_t first, std::size_t count) const
    {
        sample_array part;
        part.name = m_name;
        part.shape = {m_lines.size(), count};
        for (std::size_t l = 0; l < m_lines.size(); ++l) {
            const auto from = m_values.begin() + static_cast<std::ptrdiff_t>(l * m_columns + first);
            part.values.insert(part.values.end(), from, from + static_cast<std::ptrdiff_t>(count));
        }
        part.place = [lines = m_lines, first, count, name = m_name](std::size_t at) {
            return place(name, lines[at / count], first + at % count);
        };
        return part;
    }

private:
    static constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; // of UTF-8, as spreadsheets write it

    static std::string place(const std::string& name, std::size_t line, std::size_t column)
    {
        return name + ", line " + std::to_string(line) + ", column " + std::to_string(column + 1);
    }

    void read_line(std::string_view line)
    {
        const auto fields = base::split(line, ',');
        double value = 0;
        if (m_lines.empty() && !m_header && !read_number(fields.back(), value)) {
            m_header = true;
            return;
        }
        if (m_lines.empty()) { m_columns = fields.size(); }
        if (fields.size() != m_columns || m_columns < 2) {
            base::refuse(m_name + ", line " + std::to_string(m_line), std::to_string(fields.size()) + " columns",
                         m_lines.empty() ? "at least 2 with commas between them: inputs, then a label or targets"
                                         : std::to_string(m_columns) + " as in the lines before");
        }
        for (std::size_t c = 0; c < fields.size(); ++c) {
            if (!read_number(fields[c], value)) {
                base::refuse(place(m_name, m_line, c), quoted(fields[c]), "a number");
            }
            m_values.push_back(value);
        }
        m_lines.push_back(m_line);
    }

    std::string m_name;
    std::size_t m_line = 0, m_columns = 0;
    bool m_header = false;
    std::vector<double> m_values;
    std::vector<std::size_t> m_lines; // of each sample, from 1
};

void check_finite(const sample_array& array, std::size_t at)
{
    const double value = array.values[at];
    if (std::isfinite(value)) { return; }
    base::refuse(array.place(at), std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf", "a finite number");
}

// A whole number below `limit`; `what`: "label", "token".
std::uint32_t whole_number(const sample_array& array, std::size_t at, std::uint64_t limit, const char* what)
{
    check_finite(array, at);
    const double value = array.values[at];
    if (value < 0 || value >= static_cast<double>(limit) || value != std::floor(value)) {
        base::refuse(array.place(at), std::string(what) + " " + base::shortest_text(value),
                     "a whole number from 0 to " + std::to_string(limit - 1));
    }
    return static_cast<std::uint32_t>(value);
}

float finite_float(const sample_array& array, std::size_t at, double rounded)
{
    const auto value = static_cast<float>(rounded);
    if (std::isinf(value)) {
        base::refuse(array.place(at), base::shortest_text(array.values[at]),
                     "a number of at most 3.38e38 in size, which bf16 and float32 can hold");
    }
    return value;
}

void add_inputs(labelled_samples& to, const sample_array& inputs, const model_description& model, double scale)
{
    if (inputs.numbers() != model.features()) {
        base::refuse(inputs.name,
                     std::to_string(inputs.numbers()) + " inputs in a sample (" + inputs.sample_sizes() + ")",
                     std::to_string(model.features()) + ", those of the model");
    }
    to.features = model.features();
    to.vocabulary = model.vocabulary();
    to.values.reserve(to.values.size() + inputs.values.size());
    for (std::size_t i = 0; i < inputs.values.size(); ++i) {
        if (to.vocabulary != 0) {
            to.values.push_back(static_cast<float>(whole_number(inputs, i, to.vocabulary, "token")));
        } else {
            check_finite(inputs, i);
            to.values.push_back(
                finite_float(inputs, i, static_cast<float>(nearest_bfloat16(inputs.values[i] / scale))));
        }
    }
}

void add_answers(labelled_samples& to, const sample_array& answers, const model_description& model)
{
    const std::uint64_t outputs = model.classes();
    const bool are_labels = !model.loss.takes_targets() || (answers.is_whole && answers.numbers() == 1 && outputs > 1);
    const std::uint64_t wanted = are_labels ? 1 : outputs;
    if (answers.numbers() != wanted) {
        base::refuse(answers.name,
                     std::to_string(answers.numbers()) + " numbers for a sample (" + answers.sample_sizes() + ")",
                     are_labels ? "1, its label" : std::to_string(outputs) + " targets, one for each output");
    }
    const bool has_targets = to.target_numbers != 0;
    if (to.count() != 0 && has_targets == are_labels) {
        base::refuse(answers.name, are_labels ? "labels" : "targets",
                     std::string(has_targets ? "targets" : "labels") + ", as for training");
    }
    (are_labels ? to.classes : to.target_numbers) = outputs;
    for (std::size_t i = 0; i < answers.values.size(); ++i) {
        if (are_labels) {
            to.labels.push_back(whole_number(answers, i, outputs, "label"));
        } else {
            check_finite(answers, i);
            to.targets.push_back(finite_float(answers, i, answers.values[i]));
        }
    }
}

} // namespace

std::string sample_array::sample_sizes() const { return sizes_text({shape.begin() + 1, shape.end()}); }

sample_array sample_array_of(const named_bytes& npy)
{
    const auto header = read_npy_header(npy);
    if (header.is_complex()) { base::refuse(npy.name, "complex elements", "real numbers or integers"); }
    if (header.shape.empty()) { base::refuse(npy.name, "a single number", "an array with a row for each sample"); }
    if (header.elements == 0) {
        base::refuse(npy.name, "no number in the shape " + sizes_text(header.shape), "at least one sample");
    }
    sample_array array;
    array.name = npy.name;
    array.shape = header.shape;
    array.values = std::get<tensor<double>>(load_npy(npy)).data;
    array.is_whole = header.kind != npy_kind::real;
    array.place = [name = npy.name, shape = header.shape](std::size_t at) {
        return name + ": " + element_text(at, shape);
    };
    return array;
}

sample_arrays read_csv_samples(const named_bytes& csv, const model_description& model)
{
    const csv_reader lines(csv);
    const std::uint64_t features = model.features(), columns = lines.columns();
    const bool labels = !model.loss.takes_targets() || columns == features + 1;
    const std::uint64_t answers = labels ? 1 : model.classes();
    if (columns != features + answers) {
        base::refuse(csv.name, std::to_string(columns) + " columns",
                     std::to_string(features + answers) + ": the model's " + std::to_string(features) + " inputs and " +
                         (labels ? "a label" : std::to_string(answers) + " targets"));
    }
    sample_arrays read{lines.part(0, features), lines.part(features, answers)};
    read.answers.is_whole = labels && model.classes() > 1;
    return read;
}

void add_samples(labelled_samples& to, std::vector<std::uint32_t>& part, const sample_arrays& from,
                 const model_description& model, double scale)
{
    const auto count = from.inputs.count(), answers = from.answers.count();
    if (count != answers) {
        base::refuse(from.answers.name, "answers for " + std::to_string(answers) + " samples",
                     "one for each of the " + std::to_string(count) + " of " + from.inputs.name);
    }
    const std::size_t first = to.count();
    if (first + count >= std::numeric_limits<std::uint32_t>::max()) {
        base::refuse(from.inputs.name, std::to_string(first + count) + " samples", "fewer than 2^32");
    }
    add_inputs(to, from.inputs, model, scale);
    add_answers(to, from.answers, model);
    for (std::size_t s = first; s < first + count; ++s) { part.push_back(static_cast<std::uint32_t>(s)); }
}

} // namespace tensorloom::workloads
