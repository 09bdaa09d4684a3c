#include <tensorloom/workloads/segmented/inputs.h>
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

constexpr double two_to_53 = 9007199254740992.0;

// Uniform in [0, 1), 53 bits: the same on every machine, unlike the distributions of the standard library.
double fraction(std::mt19937_64& random) { return static_cast<double>(random() >> 11) / two_to_53; }

template <class T> T value(std::mt19937_64& random, unsigned bits)
{
    if (bits > 0) { return static_cast<T>(random() >> (64 - bits)); }
    if constexpr (std::is_same_v<T, double>) {
        return 2 * fraction(random) - 1;
    } else {
        return static_cast<T>(17 * fraction(random)) - 8;
    }
}

// The blocks of a row of blocks that hold elements, in order.
std::vector<std::uint64_t> attention_blocks(std::uint64_t row, std::uint64_t blocks, std::uint64_t random_blocks,
                                            std::mt19937_64& random)
{
    std::vector<std::uint64_t> taken(blocks);
    std::iota(taken.begin(), taken.end(), std::uint64_t{0});
    if (row == 0 || row == blocks - 1) { return taken; }
    const auto others = std::partition(taken.begin(), taken.end(), [&](std::uint64_t column) {
        return column == 0 || column == blocks - 1 || (column + 1 >= row && column <= row + 1);
    });
    std::sort(others, taken.end()); // the order of partition() is that of a library
    const auto fixed = static_cast<std::uint64_t>(others - taken.begin());
    for (std::uint64_t drawn = fixed; drawn < fixed + random_blocks; ++drawn) {
        std::swap(taken[drawn], taken[drawn + random() % (blocks - drawn)]);
    }
    taken.resize(fixed + random_blocks);
    std::sort(taken.begin(), taken.end());
    return taken;
}

} // namespace

std::vector<std::int64_t> formula_values(std::uint64_t n, std::uint64_t first)
{
    std::vector<std::int64_t> x(n);
    for (std::uint64_t i = 0; i < n; ++i) { x[i] = static_cast<std::int64_t>((7919 * (first + i) + 13) % 23) - 11; }
    return x;
}

std::vector<std::uint8_t> formula_flags(std::uint64_t n)
{
    std::vector<std::uint8_t> f(n);
    for (std::uint64_t i = 0; i < n; ++i) { f[i] = (i * i + 3 * i) % 7 == 0; }
    return f;
}

std::vector<std::int64_t> formula_operand(std::uint64_t n, unsigned which, unsigned bits)
{
    std::vector<std::int64_t> u(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        u[i] = static_cast<std::int64_t>((40503 * i + 977 * std::uint64_t{which} + 5) % (std::uint64_t{1} << bits));
    }
    return u;
}

csr_matrix<std::int64_t> formula_matrix(std::uint64_t rows)
{
    csr_matrix<std::int64_t> m;
    m.rows = rows;
    m.columns = formula_columns;
    m.row_starts.push_back(0);
    for (std::uint64_t r = 0; r < rows; ++r) {
        for (std::uint64_t k = 0; k < (r * r + r / 2) % 6; ++k) {
            m.column.push_back((13 * r + 7 * k) % formula_columns);
            m.value.push_back(static_cast<std::int64_t>(1 + (r + 3 * k) % 15));
        }
        m.row_starts.push_back(m.value.size());
    }
    return m;
}

template <class T> std::vector<T> random_values(std::uint64_t n, std::uint64_t seed, unsigned bits)
{
    std::mt19937_64 random(seed);
    std::vector<T> x(n);
    for (T& v : x) { v = value<T>(random, bits); }
    return x;
}

std::vector<std::uint8_t> random_flags(std::uint64_t n, double density, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> f(n);
    for (std::uint8_t& flag : f) { flag = fraction(random) < density; }
    return f;
}

template <class T>
csr_matrix<T> random_matrix(std::uint64_t rows, std::uint64_t columns, std::uint64_t nonzeros, std::uint64_t seed,
                            unsigned bits)
{
    // Places are numbers below rows x columns, kept below 2^63.
    constexpr std::uint64_t most = std::uint64_t{1} << 63;
    const bool fits = columns == 0 || rows <= most / columns;
    if (rows == 0 || columns == 0 || !fits || nonzeros > rows * columns) {
        throw base::input_error("matrix: " + std::to_string(nonzeros) +
                                " elements found, expected at most the places of " + std::to_string(rows) + " x " +
                                std::to_string(columns));
    }
    std::mt19937_64 random(seed);
    const std::uint64_t places = rows * columns;
    // Floyd: one draw per element, whatever share of the places is taken.
    std::unordered_set<std::uint64_t> taken;
    taken.reserve(nonzeros);
    for (std::uint64_t last = places - nonzeros; last < places; ++last) {
        const std::uint64_t at = random() % (last + 1);
        taken.insert(taken.count(at) == 0 ? at : last);
    }
    std::vector<std::uint64_t> ordered(taken.begin(), taken.end());
    std::sort(ordered.begin(), ordered.end());

    csr_matrix<T> m;
    m.rows = rows;
    m.columns = columns;
    m.row_starts.assign(rows + 1, 0);
    for (const std::uint64_t at : ordered) {
        ++m.row_starts[at / columns + 1];
        m.column.push_back(at % columns);
        m.value.push_back(value<T>(random, bits));
    }
    for (std::uint64_t r = 0; r < rows; ++r) { m.row_starts[r + 1] += m.row_starts[r]; }
    return m;
}

std::uint64_t attention_pattern::nonzeros(std::uint64_t rows) const
{
    const std::uint64_t blocks = rows / block;
    // Two global rows; beside each of them the window covers a global block; all others have both apart.
    return block * block * (2 * blocks + 2 * (4 + random_blocks) + (blocks - 4) * (5 + random_blocks));
}

template <class T>
csr_matrix<T> attention_matrix(std::uint64_t rows, const attention_pattern& pattern, std::uint64_t seed, unsigned bits)
{
    std::mt19937_64 random(seed);
    csr_matrix<T> m;
    m.rows = m.columns = rows;
    m.row_starts.push_back(0);
    m.column.reserve(pattern.nonzeros(rows));
    m.value.reserve(pattern.nonzeros(rows));
    const std::uint64_t blocks = rows / pattern.block;
    for (std::uint64_t row = 0; row < blocks; ++row) {
        const auto taken = attention_blocks(row, blocks, pattern.random_blocks, random);
        for (std::uint64_t r = 0; r < pattern.block; ++r) {
            for (const std::uint64_t column : taken) {
                for (std::uint64_t c = 0; c < pattern.block; ++c) {
                    m.column.push_back(column * pattern.block + c);
                    m.value.push_back(value<T>(random, bits));
                }
            }
            m.row_starts.push_back(m.value.size());
        }
    }
    return m;
}

template std::vector<std::int64_t> random_values(std::uint64_t, std::uint64_t, unsigned);
template std::vector<double> random_values(std::uint64_t, std::uint64_t, unsigned);
template csr_matrix<std::int64_t> random_matrix(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, unsigned);
template csr_matrix<double> random_matrix(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, unsigned);
template csr_matrix<std::int64_t> attention_matrix(std::uint64_t, const attention_pattern&, std::uint64_t, unsigned);
template csr_matrix<double> attention_matrix(std::uint64_t, const attention_pattern&, std::uint64_t, unsigned);

} // namespace tensorloom::workloads
