#include <tensorloom/models/arch/files/whole_file.h>
#include <fstream>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/files/atomic_file.h>

namespace tensorloom::arch {

std::string read_whole_file(const std::string& path, std::size_t most)
{
    std::ifstream file(path, std::ios::binary);
    std::string bytes;
    char piece[4096];
    while (file.read(piece, sizeof piece) || file.gcount() > 0) {
        bytes.append(piece, static_cast<std::size_t>(file.gcount()));
        if (bytes.size() > most) {
            throw input_error(path + ": found a longer file, expected at most " + std::to_string(most) + " bytes");
        }
    }
    if (!file.eof()) { throw input_error(path + ": cannot be read"); }
    return bytes;
}

void write_whole_file(const std::string& path, const std::string& bytes)
{
    atomic_file file(path);
    std::ofstream to(file.temporary(), std::ios::binary);
    to << bytes;
    to.close();
    if (!to) { file.fail("write error"); }
    file.commit();
}

} // namespace tensorloom::arch
