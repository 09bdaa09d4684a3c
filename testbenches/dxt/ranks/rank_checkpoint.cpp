#include "dxt/ranks/rank_checkpoint.h"
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::testbench {
namespace {

namespace fs = std::filesystem;

constexpr char slab_kind[] = "dxt slab";
constexpr char manifest_start[] = "stages ";
constexpr std::size_t longest_manifest = 1u << 20;
constexpr unsigned most_stages = 3;

constexpr char partial[] = ".slab-partial";

// Files with this ending: slabs, or what a rank that was killed was writing.
void remove_files(const std::string& directory, const char* ending)
{
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        if (entry.path().extension() == ending) { fs::remove(entry.path(), error); }
    }
}

// The first line of `found` that `expected` has in another way, and that one.
std::pair<std::string, std::string> first_difference(const std::string& found, const std::string& expected)
{
    std::istringstream a(found), b(expected);
    std::string line_a, line_b;
    while (true) {
        const bool more_a = static_cast<bool>(std::getline(a, line_a)),
                   more_b = static_cast<bool>(std::getline(b, line_b));
        if (!more_a) { line_a = "no more options"; }
        if (!more_b) { line_b = "no more options"; }
        if (line_a != line_b || (!more_a && !more_b)) { return {line_a, line_b}; }
    }
}

} // namespace

rank_checkpoint::rank_checkpoint(std::string directory, std::string problem, const rank_group& group)
    : m_directory(std::move(directory)),
      m_problem("--ranks " + std::to_string(group.size()) + "\n" + std::move(problem)), m_group(group)
{}

std::string rank_checkpoint::slab_file(unsigned stages) const
{
    return m_directory + "/rank_" + std::to_string(m_group.rank()) + ".stage_" + std::to_string(stages) + ".slab";
}

std::string rank_checkpoint::slab_text() const { return m_problem + "rank " + std::to_string(m_group.rank()) + "\n"; }

unsigned rank_checkpoint::open(bool resume)
{
    std::uint64_t stages = 0;
    m_group.together([&] {
        if (m_group.rank() == 0) { stages = resume ? stages_of_manifest() : begin(); }
    });
    return static_cast<unsigned>(m_group.sum({stages}).front());
}

unsigned rank_checkpoint::begin()
{
    std::error_code error;
    fs::create_directories(m_directory, error);
    if (error || !fs::is_directory(m_directory)) {
        base::refuse("--checkpoint", base::in_quotes(m_directory), "a directory that can be created");
    }
    base::complaining_of("--checkpoint", [&] {
        m_lock.emplace(m_directory);
        base::check_writable(manifest_file());
    });
    fs::remove(manifest_file(), error);
    remove_files(m_directory, ".slab");
    remove_files(m_directory, partial);
    return 0;
}

unsigned rank_checkpoint::stages_of_manifest() const
{
    if (!fs::exists(manifest_file())) {
        base::refuse("--resume", "no complete stage in " + base::in_quotes(m_directory), "a --checkpoint of this run");
    }
    const auto text =
        base::complaining_of("--resume", [&] { return base::read_whole_file(manifest_file(), longest_manifest); });
    const std::size_t end = text.find('\n');
    const std::string_view start = manifest_start;
    const bool is_manifest = text.rfind(start, 0) == 0 && end == start.size() + 1 && text[start.size()] >= '1' &&
                             text[start.size()] <= '0' + static_cast<int>(most_stages);
    if (!is_manifest) {
        base::refuse("--resume", base::in_quotes(text.substr(0, end)) + " in " + base::in_quotes(manifest_file()),
                     "the stages of a checkpoint");
    }
    if (const auto problem = text.substr(end + 1); problem != m_problem) {
        const auto [found, expected] = first_difference(problem, m_problem);
        base::refuse("--resume", "a checkpoint of another problem, with " + base::in_quotes(found),
                     base::in_quotes(expected));
    }
    return static_cast<unsigned>(text[start.size()] - '0');
}

std::uint64_t rank_checkpoint::save(unsigned stages, const std::function<void(base::state_writer&)>& write)
{
    std::uint64_t bytes = 0;
    m_group.together([&] {
        base::atomic_file place(slab_file(stages), partial);
        std::ofstream file(place.temporary(), std::ios::binary);
        base::complaining_of("--checkpoint", [&] {
            base::state_writer state(file, slab_kind, slab_text());
            write(state);
            state.finish();
        });
        bytes = static_cast<std::uint64_t>(file.tellp());
        file.close();
        if (!file) { place.fail("the slab could not be stored"); }
        place.commit_at_once();
    });
    m_group.together([&] {
        if (m_group.rank() != 0) { return; }
        base::write_whole_file_at_once(manifest_file(), manifest_start + std::to_string(stages) + "\n" + m_problem);
    });
    remove_slabs_but(stages);
    return bytes;
}

void rank_checkpoint::load(unsigned stages, const std::function<void(base::state_reader&)>& read)
{
    m_group.together([&] {
        if (m_group.rank() == 0) {
            base::complaining_of("--resume", [&] { m_lock.emplace(m_directory); });
            remove_files(m_directory, partial);
        }
        std::ifstream file(slab_file(stages), std::ios::binary);
        if (!file) { base::refuse("--resume", "no " + base::in_quotes(slab_file(stages)), "the slab of every rank"); }
        base::complaining_of("--resume: " + slab_file(stages), [&] {
            base::state_reader state(file, slab_kind, slab_text());
            read(state);
        });
    });
    remove_slabs_but(stages);
}

// Removes the slabs of this rank after any other number of stages: a killed rank may have left one.
void rank_checkpoint::remove_slabs_but(unsigned stages) const
{
    std::error_code error;
    for (unsigned s = 1; s <= most_stages; ++s) {
        if (s != stages) { fs::remove(slab_file(s), error); }
    }
}

} // namespace tensorloom::testbench
