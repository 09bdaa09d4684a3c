#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorloom::costs {

/// The organisation of a DRAM. All numbers are powers of two.
struct dram_organisation {
    unsigned channels = 0;
    unsigned banks = 0;        ///< per channel
    unsigned rows = 0;         ///< per bank
    unsigned columns = 0;      ///< per row, each as wide as the data bus
    unsigned width_bits = 0;   ///< of a channel's data bus
    unsigned burst_length = 0; ///< columns per read or write

    unsigned burst_bytes() const { return width_bits / 8 * burst_length; }
    unsigned burst_cycles() const
    {
        return burst_length / 2;
    } ///< clock periods on the data bus: two transfers per period
    unsigned row_bytes() const { return width_bits / 8 * columns; }
    std::uint64_t bytes() const { return std::uint64_t{channels} * banks * rows * row_bytes(); }
};

/// Minimum distances between commands, in clock periods, by their JEDEC names.
struct dram_timing {
    unsigned tRCD = 0;    ///< activate to read or write
    unsigned tRPpb = 0;   ///< precharge to activate of the same bank
    unsigned tRPab = 0;   ///< precharge of all banks to an activate or refresh
    unsigned tRAS = 0;    ///< activate to precharge
    unsigned tRCpb = 0;   ///< activate to activate of the same bank
    unsigned RL = 0;      ///< read to its data, without tDQSCK
    unsigned WL = 0;      ///< write to its data, without tDQSS
    unsigned tDQSCK = 0;  ///< added to RL
    unsigned tDQSS = 0;   ///< added to WL
    unsigned tWPRE = 0;   ///< write preamble: read data to write data
    unsigned tCCD = 0;    ///< read to read, write to write; at least the duration of a burst
    unsigned tRRD = 0;    ///< activate to activate of another bank
    unsigned tFAW = 0;    ///< window of at most four activates
    unsigned tRTP = 0;    ///< read to precharge
    unsigned tWR = 0;     ///< end of write data to precharge
    unsigned tWTR = 0;    ///< end of write data to read
    unsigned tREFI = 0;   ///< between refreshes of all banks
    unsigned tREFIpb = 0; ///< between refreshes of single banks
    unsigned tRFCab = 0;  ///< duration of a refresh of all banks
    unsigned tRFCpb = 0;  ///< duration of a refresh of one bank
};

/// Duration of commands on the command bus, in clock periods.
struct dram_command_cycles {
    unsigned activate = 0;
    unsigned precharge = 0;
    unsigned column = 0; ///< read or write
    unsigned refresh = 0;
};

/// Currents of one channel from one supply, in mA, by their JEDEC names.
struct dram_supply {
    double V = 0;
    double IDD0 = 0;  ///< one bank activated and precharged every tRCpb
    double IDD2N = 0; ///< idle, all banks precharged
    double IDD3N = 0; ///< idle, a bank active
    double IDD4R = 0; ///< consecutive read bursts
    double IDD4W = 0; ///< consecutive write bursts
    double IDD5 = 0;  ///< consecutive refreshes of all banks
};

enum class dram_page {
    open,  ///< a row stays open until another row of its bank is needed or the bank is refreshed
    closed ///< a row is precharged after the last burst that an access needs from it
};

enum class dram_refresh {
    off,
    all_bank, ///< all banks of a channel every tREFI
    per_bank  ///< one bank of a channel every tREFIpb, in turn
};

/// How the channel bits of an address select the channel.
enum class dram_channel_hash {
    none,
    xor_above ///< the channel bits XOR all higher address bits in groups of the same width: distributes strides over
              ///< all channels
};

/// The settings of a controller.
struct dram_controller_config {
    dram_page page = dram_page::open;
    dram_refresh refresh = dram_refresh::all_bank;
    /// Look-ahead of a channel, in bursts: rows of later bursts are opened while the first transfers its data. At least
    /// 1.
    unsigned queue_bursts = 16;
    /// Assignment of address bits: row, bank, column and channel, from the highest bits to the lowest
    /// (costs/dram/dram_mapping.h).
    std::string mapping = "row:bank:column:channel";
    unsigned interleave_bytes = 64; ///< consecutive bytes in one channel and row: a power of two, burst to row
    dram_channel_hash channel_hash = dram_channel_hash::none;
};

/// A DRAM: its devices and its controller. Read by load_dram(); may be changed afterwards.
struct dram_config {
    std::string name;
    std::string source;
    dram_organisation organisation;
    unsigned tCK_ps = 0; ///< clock period; two data transfers per period
    dram_timing timing;
    dram_command_cycles command;
    std::array<dram_supply, 3> supplies; ///< VDD1, VDD2, VDDQ
    bool estimated_supplies = false;     ///< not all currents are published: every energy is marked as an estimate
    dram_controller_config controller;

    double peak_bytes_per_ns() const; ///< of all channels; GB/s
};

/// Gives a part as many channels as this peak bandwidth in GB/s takes, to 0.5 %, since a clock period is a whole number
/// of ps; its capacity and background power follow. If no number of channels has it, changes nothing and returns what
/// is expected, such as "12.8 or 25.6 GB/s (2 or 4 channels of lpddr4-3200)". `config` must be valid.
std::optional<std::string> set_bandwidth(dram_config& config, double gb_per_s);

/// The first error of a configuration: the key, what was found, what is expected.
std::optional<std::string> validate(const dram_config& config);

/// Reads a DRAM from YAML; `origin` is its name in messages. models/costs/dram/memories/lpddr4-3200.yaml shows every
/// key; each is required once, and no others are allowed. Errors are input_error, one line with the file, the key, what
/// was found and what is expected.
dram_config read_dram(const std::string& text, const std::string& origin);

/// A shipped DRAM by its name ("lpddr4-3200", "hbm2e-3200", ...), or the file at this path.
dram_config load_dram(const std::string& name_or_path);

std::vector<std::string> shipped_dram_names();
/// Its YAML text; empty when there is no DRAM of this name.
std::string_view shipped_dram_text(std::string_view name);

} // namespace tensorloom::costs
