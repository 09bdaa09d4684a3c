// Files are there whole or not at all.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/files/atomic_file.h>
#include "support/scratch_folder.h"

namespace {

namespace fs = std::filesystem;
using namespace tensorloom::base;

using atomic_file_test = tensorloom::test::scratch_folder;

TEST_F(atomic_file_test, takes_the_place_of_an_older_file_at_commit)
{
    write(path("a"), "old");
    atomic_file file(path("a"));
    write(file.temporary(), "new");
    EXPECT_EQ(text(path("a")), "old");
    file.commit();
    EXPECT_EQ(text(path("a")), "new");
    EXPECT_EQ(files(), 1u);
}

TEST_F(atomic_file_test, leaves_nothing_without_commit)
{
    {
        const atomic_file file(path("a"));
        write(file.temporary(), "half");
    }
    EXPECT_EQ(files(), 0u);
}

TEST_F(atomic_file_test, temporary_has_the_ending_asked_for)
{
    EXPECT_EQ(fs::path(atomic_file(path("a"), ".vcd").temporary()).extension(), ".vcd");
}

TEST_F(atomic_file_test, signal_that_ends_the_program_leaves_nothing)
{
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU}) {
        EXPECT_EXIT(
            {
                remove_temporaries_on_signals();
                const atomic_file first(path("a"));
                {
                    const atomic_file gone(path("b"));
                }
                const atomic_file second(path("b"), ".vcd");
                for (const auto* file : {&first, &second}) { write(file->temporary(), "half"); }
                raise(signal);
            },
            ::testing::KilledBySignal(signal), "");
        EXPECT_EQ(files(), 0u) << signal;
    }
}

TEST_F(atomic_file_test, signals_that_are_ignored_or_handled_stay_so)
{
    struct sigaction own = {};
    own.sa_handler = [](int) {};
    EXPECT_EXIT(
        {
            signal(SIGHUP, SIG_IGN);
            sigaction(SIGTERM, &own, nullptr);
            remove_temporaries_on_signals();
            raise(SIGHUP);
            raise(SIGTERM);
            std::_Exit(7);
        },
        ::testing::ExitedWithCode(7), "");
}

TEST_F(atomic_file_test, follows_a_link)
{
    write(path("target"), "old");
    fs::create_symlink(path("target"), path("link"));
    atomic_file file(path("link"));
    write(file.temporary(), "new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(text(path("target")), "new");
}

TEST_F(atomic_file_test, name_that_was_taken_by_a_directory_meanwhile_is_an_error)
{
    atomic_file file(path("a"));
    write(file.temporary(), "new");
    fs::create_directory(path("a"));
    EXPECT_THROW(file.commit(), input_error);
}

TEST_F(atomic_file_test, places_that_cannot_be_written_are_refused)
{
    write(path("file"), "x");
    fs::create_directory(path("folder"));
    fs::create_symlink(path("nowhere"), path("dangling"));
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0); // stands for every device
    for (const std::string& bad :
         {path("none/out"), path("file/out"), path("folder"), path("folder/"), path("dangling"),
          path(std::string(300, 'n')), path("pipe"), std::string("/proc/none"), std::string()}) {
        EXPECT_THROW(check_writable(bad), input_error) << bad;
        EXPECT_THROW(atomic_file{bad}, input_error) << bad;
    }
    EXPECT_EQ(files(), 4u);
    EXPECT_EQ(text(path("file")), "x");
}

TEST_F(atomic_file_test, check_leaves_everything_as_it_was)
{
    check_writable(path("new"));
    EXPECT_EQ(files(), 0u);
    write(path("old"), "old");
    check_writable(path("old"));
    EXPECT_EQ(text(path("old")), "old");
    EXPECT_EQ(files(), 1u);
}

TEST_F(atomic_file_test, same_file_sees_through_spelling_and_links)
{
    write(path("a"), "a");
    write(path("b"), "a");
    fs::create_symlink(path("a"), path("link"));
    fs::create_hard_link(path("a"), path("hard"));
    EXPECT_TRUE(same_file(path("a"), path("hard")));
    EXPECT_TRUE(same_file(path("a"), path("./a")));
    EXPECT_TRUE(same_file(path("a"), path("link")));
    EXPECT_TRUE(same_file(path("new"), path("x/../new")));
    EXPECT_FALSE(same_file(path("a"), path("b")));
    EXPECT_FALSE(same_file(path("a"), path("new")));
}

TEST_F(atomic_file_test, files_of_a_transaction_take_their_names_together)
{
    write(path("a"), "old");
    file_transaction all;
    write_whole_file(path("a"), "new");
    write_whole_file(path("b"), "new");
    EXPECT_EQ(text(path("a")), "old");
    EXPECT_FALSE(fs::exists(path("b")));
    all.commit();
    EXPECT_EQ(text(path("a")), "new");
    EXPECT_EQ(text(path("b")), "new");
    EXPECT_EQ(files(), 2u);
}

TEST_F(atomic_file_test, files_of_an_inner_transaction_take_their_names_with_it)
{
    const file_transaction around;
    {
        file_transaction inner;
        write_whole_file(path("inner"), "1");
        inner.commit();
    }
    EXPECT_EQ(text(path("inner")), "1");
    write_whole_file(path("outer"), "2");
    EXPECT_FALSE(fs::exists(path("outer")));
}

TEST_F(atomic_file_test, transaction_that_is_not_committed_leaves_nothing)
{
    {
        const file_transaction all;
        write_whole_file(path("a"), "new");
        write_whole_file(path("b"), "new");
    }
    EXPECT_EQ(files(), 0u);
    write_whole_file(path("a"), "after it");
    EXPECT_EQ(text(path("a")), "after it");
}

TEST_F(atomic_file_test, file_that_is_written_at_once_stays_without_its_transaction)
{
    {
        const file_transaction all;
        write_whole_file(path("later"), "later");
        write_whole_file_at_once(path("now"), "first");
        write_whole_file_at_once(path("now"), "second");
        EXPECT_EQ(text(path("now")), "second");
    }
    EXPECT_EQ(text(path("now")), "second");
    EXPECT_EQ(files(), 1u);
}

TEST_F(atomic_file_test, transaction_whose_folder_is_gone_leaves_nothing)
{
    fs::create_directory(path("d"));
    file_transaction all;
    write_whole_file(path("d/a"), "new");
    write_whole_file(path("b"), "new");
    fs::remove_all(path("d"));
    EXPECT_THROW(all.commit(), input_error);
    EXPECT_EQ(files(), 0u);
}

TEST_F(atomic_file_test, signal_during_a_transaction_leaves_neither_files_nor_created_directories)
{
    EXPECT_EXIT(
        {
            remove_temporaries_on_signals();
            const created_directory directory(path("made/of/three"));
            const file_transaction all;
            write_whole_file(path("made/of/three/a"), "finished");
            const atomic_file unfinished(path("made/of/three/b"));
            write(unfinished.temporary(), "half");
            raise(SIGTERM);
        },
        ::testing::KilledBySignal(SIGTERM), "");
    EXPECT_EQ(files(), 0u);
}

TEST_F(atomic_file_test, created_directories_stay_if_something_was_written_into_them)
{
    {
        const created_directory directory(path("empty/inside"));
        EXPECT_TRUE(fs::is_directory(path("empty/inside")));
    }
    EXPECT_FALSE(fs::exists(path("empty")));
    {
        const created_directory directory(path("used/inside"));
        write(path("used/a"), "");
    }
    EXPECT_FALSE(fs::exists(path("used/inside")));
    EXPECT_TRUE(fs::exists(path("used/a")));
    write(path("file"), "");
    EXPECT_THROW(created_directory(path("some/more") + "/../../file/x"), fs::filesystem_error);
    EXPECT_FALSE(fs::exists(path("some")));
}

TEST_F(atomic_file_test, second_lock_of_a_directory_is_refused)
{
    {
        const directory_lock first(m_folder.string());
        EXPECT_THROW(directory_lock{m_folder.string()}, input_error);
    }
    EXPECT_NO_THROW(directory_lock{m_folder.string()});
}

} // namespace
