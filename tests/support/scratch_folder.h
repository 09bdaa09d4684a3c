#pragma once
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <gtest/gtest.h>

namespace tensorloom::test {

/// A test with an empty folder of its own, removed afterwards.
class scratch_folder : public testing::Test {
protected:
    scratch_folder()
    {
        std::random_device entropy;
        m_folder = std::filesystem::temp_directory_path() / ("tensorloom-test-" + std::to_string(entropy()));
        std::filesystem::create_directories(m_folder);
    }
    ~scratch_folder() override { std::filesystem::remove_all(m_folder); }

    std::string path(const std::string& name) const { return (m_folder / name).string(); }
    std::string write(const std::string& name, const std::string& bytes) const
    {
        std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return path(name);
    }
    std::string text(const std::string& name) const
    {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::size_t files() const
    {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(m_folder), {}));
    }

    std::filesystem::path m_folder;
};

} // namespace tensorloom::test
