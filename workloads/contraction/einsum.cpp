#include <tensorloom/workloads/contraction/einsum.h>
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t max_size = (std::uint64_t{1} << 31) - 1;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool has(std::string_view modes, char letter) { return modes.find(letter) != std::string_view::npos; }

std::string quoted(char c)
{
    const bool printable = c >= ' ' && c <= '~';
    return printable ? std::string("'") + c + "'" : "byte " + std::to_string(static_cast<unsigned char>(c));
}

// A text read token by token; blanks before and behind a token are skipped, those within one are not.
class token_reader {
public:
    explicit token_reader(std::string_view text) : m_text(text) { skip_blanks(); }

    bool at_end() const { return m_at == m_text.size(); }
    char next() const { return m_text[m_at]; } ///< not at the end
    std::size_t place() const { return m_at + 1; }

    bool take(std::string_view token)
    {
        if (m_text.compare(m_at, token.size(), token) != 0) { return false; }
        m_at += token.size();
        skip_blanks();
        return true;
    }
    char take()
    {
        const char taken = m_text[m_at++];
        skip_blanks();
        return taken;
    }
    /// All before a character, or before the end.
    std::string_view take_until(char end)
    {
        const std::size_t first = m_at;
        m_at = std::min(m_text.find(end, first), m_text.size());
        const std::string_view taken = m_text.substr(first, m_at - first);
        return taken.substr(0, taken.find_last_not_of(' ') + 1);
    }

private:
    void skip_blanks() { m_at = std::min(m_text.find_first_not_of(' ', m_at), m_text.size()); }

    std::string_view m_text;
    std::size_t m_at = 0;
};

// The modes of each tensor, with what can be said of one tensor alone checked.
class expression_reader {
public:
    explicit expression_reader(const std::string& text) : m_text(text) {}

    contraction read()
    {
        contraction result;
        result.a = modes("the first operand");
        expect(",", "',' after the first operand");
        result.b = modes("the second operand");
        expect("->", "'->' after the second operand");
        result.c = modes("the result");
        if (!m_text.at_end()) { check_here("the end"); }
        return result;
    }

private:
    std::string modes(const char* tensor)
    {
        std::string result;
        while (!m_text.at_end() && is_letter(m_text.next())) {
            const char letter = m_text.take();
            if (has(result, letter)) {
                base::refuse("einsum", quoted(letter) + " twice in " + tensor, "every letter once in a tensor");
            }
            result += letter;
        }
        if (result.size() > max_contraction_modes) {
            base::refuse("einsum", std::to_string(result.size()) + " modes in " + tensor, "at most 8");
        }
        return result;
    }

    void expect(const std::string& what, const std::string& text)
    {
        if (!m_text.take(what)) { check_here("a letter or " + text); }
    }

    [[noreturn]] void check_here(const std::string& expected) const
    {
        const std::string found = m_text.at_end() ? std::string("the end") : quoted(m_text.next());
        base::refuse("einsum", found + " at place " + std::to_string(m_text.place()) + " of the expression", expected);
    }

    token_reader m_text;
};

void check_letters(const contraction& p)
{
    for (const char letter : p.c) {
        if (!has(p.a, letter) && !has(p.b, letter)) {
            base::refuse("einsum", quoted(letter) + " only in the result", "letters of an operand");
        }
    }
    for (const auto* modes : {&p.a, &p.b}) {
        const auto& other = modes == &p.a ? p.b : p.a;
        for (const char letter : *modes) {
            if (!has(other, letter) && !has(p.c, letter)) {
                base::refuse("einsum", quoted(letter) + " only in one operand",
                             "it in the other operand or the result");
            }
        }
    }
}

void group(contraction& p)
{
    for (const char letter : p.c) { (has(p.a, letter) ? (has(p.b, letter) ? p.batch : p.a_free) : p.b_free) += letter; }
    for (const char letter : p.a) {
        if (!has(p.c, letter)) { p.contracted += letter; }
    }
}

void check_elements(const contraction& p)
{
    const std::string* tensors[] = {&p.a, &p.b, &p.c};
    const char* const names[] = {"the first operand", "the second operand", "the result"};
    for (std::size_t t = 0; t < 3; ++t) {
        std::uint64_t elements = 1;
        for (const char letter : *tensors[t]) {
            elements *= p.size_of(letter);
            if (elements > max_tensor_elements) {
                base::refuse("sizes", std::string("more than 2^31 - 1 elements in ") + names[t], "at most that many");
            }
        }
    }
}

std::uint32_t parsed_size(char letter, std::string_view digits)
{
    const auto wrong = [&] {
        base::refuse("sizes", "'" + std::string(digits) + "' for " + quoted(letter),
                     "a whole number from 1 to 2147483647");
    };
    if (digits.empty()) { wrong(); }
    std::uint64_t value = 0;
    for (const char d : digits) {
        if (d < '0' || d > '9') { wrong(); }
        value = 10 * value + static_cast<std::uint64_t>(d - '0');
        if (value > max_size) { wrong(); }
    }
    if (value == 0) { wrong(); }
    return static_cast<std::uint32_t>(value);
}

void read_sizes(contraction& p, const std::string& sizes)
{
    token_reader text(sizes);
    while (!text.at_end()) {
        const char letter = text.take();
        if (!is_letter(letter)) { base::refuse("sizes", quoted(letter), "a letter and its size, such as i=64"); }
        if (!text.take("=")) {
            base::refuse("sizes", quoted(letter) + " without a size", std::string(1, letter) + "=NUMBER");
        }
        if (!has(p.a, letter) && !has(p.b, letter)) {
            base::refuse("sizes", quoted(letter) + ", which is not a mode", "only modes of the expression");
        }
        if (p.size_of(letter) != 0) { base::refuse("sizes", quoted(letter) + " twice", "it once"); }
        p.size[static_cast<unsigned char>(letter)] = parsed_size(letter, text.take_until(','));
        if (text.take(",") && text.at_end()) {
            base::refuse("sizes", "',' at the end", "a letter and its size after it");
        }
    }
    for (const auto* modes : {&p.a, &p.b}) {
        for (const char letter : *modes) {
            if (p.size_of(letter) == 0) {
                base::refuse("sizes", "none for " + quoted(letter), std::string(1, letter) + "=NUMBER");
            }
        }
    }
}

void take_shape(contraction& p, const std::string& modes, const std::vector<std::size_t>& shape, const char* tensor)
{
    if (shape.size() != modes.size()) {
        base::refuse(tensor, std::to_string(shape.size()) + " modes",
                     std::to_string(modes.size()) + ", as in the expression");
    }
    for (std::size_t m = 0; m < modes.size(); ++m) {
        auto& size = p.size[static_cast<unsigned char>(modes[m])];
        if (shape[m] < 1 || shape[m] > max_size) {
            base::refuse(tensor, "size " + std::to_string(shape[m]) + " of " + quoted(modes[m]), "1 to 2147483647");
        }
        if (size != 0 && size != shape[m]) {
            base::refuse(tensor, "size " + std::to_string(shape[m]) + " of " + quoted(modes[m]),
                         std::to_string(size) + ", as in the other operand");
        }
        size = static_cast<std::uint32_t>(shape[m]);
    }
}

contraction parsed_modes(const std::string& expression)
{
    contraction result = expression_reader(expression).read();
    check_letters(result);
    group(result);
    return result;
}

} // namespace

std::uint64_t contraction::extent(std::string_view modes) const
{
    std::uint64_t product = 1;
    for (const char letter : modes) { product *= size_of(letter); }
    return product;
}

std::vector<std::size_t> contraction::shape(std::string_view modes) const
{
    std::vector<std::size_t> result;
    for (const char letter : modes) { result.push_back(size_of(letter)); }
    return result;
}

contraction parse_einsum(const std::string& expression, const std::string& sizes)
{
    contraction result = parsed_modes(expression);
    read_sizes(result, sizes);
    check_elements(result);
    return result;
}

contraction parse_einsum(const std::string& expression, const std::vector<std::size_t>& shape_of_a,
                         const std::vector<std::size_t>& shape_of_b)
{
    contraction result = parsed_modes(expression);
    take_shape(result, result.a, shape_of_a, "the first operand");
    take_shape(result, result.b, shape_of_b, "the second operand");
    check_elements(result);
    return result;
}

} // namespace tensorloom::workloads
