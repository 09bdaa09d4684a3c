#pragma once
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <tensorloom/models/arch/values/input_error.h>

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
    std::size_t files_in_folder() const
    {
        std::size_t files = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(m_folder)) { ++files; }
        return files;
    }

private:
    std::filesystem::path m_folder;
};

/// What an input_error says; "" (which no expectation matches) when nothing is thrown.
template <class Action> std::string complaint_of(Action action)
{
    try {
        action();
    } catch (const arch::input_error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos)
            << "a complaint is one line: " << error.what();
        return error.what();
    }
    return "";
}

} // namespace tensorloom::test
