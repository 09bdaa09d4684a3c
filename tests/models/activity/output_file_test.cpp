#include <tensorloom/models/activity/output_file.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <gmock/gmock.h>
#include <tensorloom/models/base/values/input_error.h>
#include "small_device.h"
#include "support/message_of.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::activity;

class output_file_test : public activity::test::folder_test {};

TEST_F(output_file_test, writes_text_and_numbers)
{
    output_file file(path("a"));
    file << "x," << std::uint64_t{18446744073709551615u} << "," << std::uint32_t{7} << "," << 0.1 << "," << 1.0 / 3
         << "," << 4.0;
    file.commit();
    EXPECT_EQ(text("a"), "x,18446744073709551615,7,0.1,0.3333333333333333,4");
}

TEST_F(output_file_test, reading_a_number_gives_the_number_that_was_written)
{
    using limits = std::numeric_limits<double>;
    const double numbers[] = {0.1,
                              -1.0 / 3,
                              1e23,
                              std::nextafter(1.0, 2.0),
                              9007199254740993.0,
                              limits::min(),
                              limits::max(),
                              limits::denorm_min()};
    for (const double number : numbers) {
        output_file file(path("a"));
        file << number;
        file.commit();
        EXPECT_EQ(std::strtod(text("a").c_str(), nullptr), number) << text("a");
    }
}

TEST_F(output_file_test, is_not_there_before_it_is_whole)
{
    {
        std::ofstream(path("a")) << "old";
        output_file file(path("a"));
        file << std::string(1 << 20, 'x');
        EXPECT_EQ(text("a"), "old");
    }
    EXPECT_EQ(text("a"), "old"); // given up
    EXPECT_EQ(files(), 1u);
    output_file file(path("a"));
    file << std::string(1 << 20, 'y');
    file.commit();
    EXPECT_EQ(text("a"), std::string(1 << 20, 'y'));
    EXPECT_EQ(files(), 1u);
}

TEST_F(output_file_test, failures_name_the_path)
{
    const auto error = [](const std::string& path) {
        return tensorloom::test::message_of([&] { output_file(path).commit(); });
    };
    EXPECT_THAT(error(path("no/such/folder")), ::testing::HasSubstr(path("no/such/folder") + ": cannot be written"));
    EXPECT_THAT(error(m_folder.string()), ::testing::HasSubstr("it is a directory"));
    EXPECT_EQ(files(), 0u);
}

TEST_F(output_file_test, a_name_that_cannot_be_taken_leaves_nothing)
{
    {
        output_file file(path("a"));
        std::filesystem::create_directory(path("a"));
        EXPECT_THROW(file.commit(), base::input_error);
    }
    EXPECT_EQ(files(), 1u); // the folder alone
}

} // namespace
