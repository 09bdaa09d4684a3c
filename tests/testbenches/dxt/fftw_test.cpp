// What the device computes with --norm backward against FFTW, which shares nothing with it.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>
#include <fftw3.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include "workloads/npy_bytes.h"

namespace tensorloom::test {
namespace {

namespace fs = std::filesystem;
using complex = std::complex<double>;
using shape3 = std::array<int, 3>;

struct case_of_fftw {
    std::string transform;
    bool inverse;
    shape3 shape;
    bool complex_data;
};

std::string text(const shape3& n)
{
    return std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]);
}

std::ostream& operator<<(std::ostream& out, const case_of_fftw& c)
{
    return out << c.transform << (c.inverse ? " inverse " : " forward ") << text(c.shape)
               << (c.complex_data ? " c128" : " f64");
}

std::size_t volume(const shape3& n) { return static_cast<std::size_t>(n[0]) * n[1] * n[2]; }

std::vector<complex> random_data(const case_of_fftw& c)
{
    std::mt19937_64 bits(volume(c.shape));
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<complex> data(volume(c.shape));
    for (auto& x : data) { x = {uniform(bits), c.complex_data ? uniform(bits) : 0}; }
    return data;
}

// ---- FFTW

fftw_r2r_kind kind_of(const case_of_fftw& c)
{
    if (c.transform == "dct") { return c.inverse ? FFTW_REDFT01 : FFTW_REDFT10; }
    if (c.transform == "dst") { return c.inverse ? FFTW_RODFT01 : FFTW_RODFT10; }
    return FFTW_DHT;
}

std::vector<double> real_fftw(const case_of_fftw& c, std::vector<double> data)
{
    std::vector<double> result(data.size());
    const auto kind = kind_of(c);
    const auto plan = fftw_plan_r2r_3d(c.shape[0], c.shape[1], c.shape[2], data.data(), result.data(), kind, kind, kind,
                                       FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return result;
}

std::vector<complex> complex_fftw(const case_of_fftw& c, std::vector<complex> data)
{
    std::vector<complex> result(data.size());
    const auto plan = fftw_plan_dft_3d(c.shape[0], c.shape[1], c.shape[2], reinterpret_cast<fftw_complex*>(data.data()),
                                       reinterpret_cast<fftw_complex*>(result.data()),
                                       c.inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return result;
}

std::vector<complex> expected(const case_of_fftw& c, const std::vector<complex>& data)
{
    std::vector<complex> result;
    if (c.transform == "dft") {
        result = complex_fftw(c, data);
    } else {
        std::vector<double> re, im;
        for (const auto& x : data) {
            re.push_back(x.real());
            im.push_back(x.imag());
        }
        re = real_fftw(c, re);
        im = real_fftw(c, im);
        for (std::size_t i = 0; i < re.size(); ++i) { result.emplace_back(re[i], im[i]); }
    }
    if (c.inverse) { // FFTW leaves the factor out: 1/N of each mode, 1/(2N) of DCT and DST
        const double per_mode = c.transform == "dct" || c.transform == "dst" ? 2 : 1;
        const double factor = std::pow(per_mode, 3) * static_cast<double>(volume(c.shape));
        for (auto& y : result) { y /= factor; }
    }
    return result;
}

// ---- the program

class fftw_comparison : public ::testing::TestWithParam<case_of_fftw> {
protected:
    fftw_comparison() { fs::create_directory(m_folder); }
    ~fftw_comparison() override { fs::remove_all(m_folder); }

    std::string file(const char* name) const { return (m_folder / name).string(); }

    void write_input(const case_of_fftw& c, const std::vector<complex>& data) const
    {
        std::ostringstream shape;
        shape << "(" << c.shape[0] << ", " << c.shape[1] << ", " << c.shape[2] << ")";
        std::ofstream out(file("x.npy"), std::ios::binary);
        if (c.complex_data) {
            out << npy_bytes("<c16", shape.str(), data);
        } else {
            std::vector<double> real;
            for (const auto& x : data) { real.push_back(x.real()); }
            out << npy_bytes("<f8", shape.str(), real);
        }
    }

    // The elements of a version 1.0 file in C order.
    std::vector<complex> read_output(bool complex_elements) const
    {
        std::ifstream in(file("y.npy"), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        if (bytes.size() < 10) { return {}; }
        const std::size_t begin = 10 + static_cast<unsigned char>(bytes[8]) +
                                  256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[9]));
        EXPECT_NE(bytes.find(complex_elements ? "'<c16'" : "'<f8'"), std::string::npos);
        std::vector<double> numbers((bytes.size() - begin) / sizeof(double));
        std::memcpy(numbers.data(), bytes.data() + begin, numbers.size() * sizeof(double));
        std::vector<complex> result;
        for (std::size_t i = 0; i < numbers.size(); i += complex_elements ? 2 : 1) {
            result.emplace_back(numbers[i], complex_elements ? numbers[i + 1] : 0);
        }
        return result;
    }

    // The result of the program; nothing when it fails.
    std::vector<complex> transformed(const case_of_fftw& c, const std::string& options) const
    {
        const std::string command = std::string(DXT_PROGRAM) + " --quiet --norm backward --transform " + c.transform +
                                    (c.inverse ? " --inverse" : "") + " --input " + file("x.npy") + " --output " +
                                    file("y.npy") + options;
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
        return read_output(c.complex_data || c.transform == "dft");
    }

private:
    fs::path m_folder = fs::temp_directory_path() / ("dxt-fftw-" + std::to_string(::getpid()));
};

// The corner with the smallest indices.
std::vector<complex> corner(const std::vector<complex>& data, const shape3& shape, const shape3& size)
{
    std::vector<complex> result;
    for (int i = 0; i < size[0]; ++i) {
        for (int j = 0; j < size[1]; ++j) {
            const auto row = data.begin() + (static_cast<std::ptrdiff_t>(i) * shape[1] + j) * shape[2];
            result.insert(result.end(), row, row + size[2]);
        }
    }
    return result;
}

void expect_near(const std::vector<complex>& found, const std::vector<complex>& wanted)
{
    ASSERT_EQ(found.size(), wanted.size());
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        difference += std::norm(found[i] - wanted[i]);
        norm += std::norm(wanted[i]);
    }
    EXPECT_LE(std::sqrt(difference), 1e-12 * std::sqrt(norm));
}

TEST_P(fftw_comparison, backward_scaling_is_that_of_fftw)
{
    const auto& c = GetParam();
    const auto data = random_data(c);
    write_input(c, data);
    expect_near(transformed(c, ""), expected(c, data));
}

TEST_P(fftw_comparison, smaller_result_is_the_low_pass_of_fftw)
{
    const auto& c = GetParam();
    const auto data = random_data(c);
    write_input(c, data);
    const shape3 low{c.shape[0] / 2, c.shape[1], c.shape[2] / 3};
    expect_near(transformed(c, " --out-shape " + text(low)), corner(expected(c, data), c.shape, low));
}

// A block of the larger transform: as if the data went on with zeros.
TEST_P(fftw_comparison, larger_result_is_that_of_padded_data)
{
    auto c = GetParam();
    const auto data = random_data(c);
    write_input(c, data);
    const shape3 small = c.shape;
    for (int m : {0, 2}) { c.shape[m] += 3; }
    std::vector<complex> padded(volume(c.shape));
    for (int i = 0; i < small[0]; ++i) {
        for (int j = 0; j < small[1]; ++j) {
            const auto row = data.begin() + (static_cast<std::ptrdiff_t>(i) * small[1] + j) * small[2];
            std::copy(row, row + small[2],
                      padded.begin() + (static_cast<std::ptrdiff_t>(i) * c.shape[1] + j) * c.shape[2]);
        }
    }
    expect_near(transformed(c, " --out-shape " + text(c.shape)), expected(c, padded));
}

std::vector<case_of_fftw> cases()
{
    std::vector<case_of_fftw> all;
    for (const char* transform : {"dct", "dst", "dht", "dft"}) {
        for (const bool inverse : {false, true}) {
            for (const shape3& shape : {shape3{16, 12, 20}, shape3{9, 15, 25}, shape3{31, 17, 13}}) {
                for (const bool complex_data : {false, true}) {
                    all.push_back({transform, inverse, shape, complex_data});
                }
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(dxt, fftw_comparison, ::testing::ValuesIn(cases()), [](const auto& instance) {
    const auto& c = instance.param;
    return c.transform + (c.inverse ? "_inverse_" : "_forward_") + text(c.shape) + (c.complex_data ? "_c128" : "_f64");
});

} // namespace
} // namespace tensorloom::test
