#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/costs/energy.h>

namespace tensorloom::costs {

/// One number of a technology file, with where it comes from.
struct technology_number {
    double value = 0;
    std::string unit;
    std::string process; ///< the file's, unless the number names its own
    std::string source;
    bool estimate = false; ///< neither published nor derived from published figures alone
};

/// A figure looked up or derived; `estimate`: one of the numbers it came from is an estimate, or it was interpolated or
/// scaled.
struct figure {
    double value = 0;
    bool estimate = false;
};

/// What events and time cost in one process: a YAML file of numbers, each with a unit and a source.
///
///     schema: tensorloom-technology-1
///     name: 45nm
///     process: 45 nm, 0.9 V
///     energy:     component > event > format: {value: 4.6, unit: pJ, source: ..., estimate: true}
///     wire:       on_chip (fJ/bit/mm), via (fJ/bit), pitch (um)
///     cell_pitch: format (um)
///     area:       block (um^2)
///     leakage:    component > name (mW), or > fraction (unit "1")
///     limit:      power_density (W/mm^2), die_area (mm^2), wire_reach (mm/ns)
///     dram:       organisation ("1"), clock (ns), timing (tCK), voltage (V), current_<supply> (mA) > name
///
/// Formats are int8, int32, int64, f16, bf16, f32, f64, c64 and c128. An event that moves bits and does no arithmetic
/// may have the format `64bit` instead: other widths are scaled with their bits. `estimate` (default false) and
/// `process` (default: the file's) may be left out of a number. Every number is checked when the file is read; a
/// section or key that is not needed may be missing.
///
/// All complaints are input_error, one line that names the file and the key, such as `energy.cell.mac.f64`.
class technology {
public:
    /// Reads a technology; `origin` is what complaints call it.
    static technology from_text(const std::string& text, const std::string& origin);
    static technology from_file(const std::string& path);

    const std::string& name() const { return m_name; }
    const std::string& process() const { return m_process; }

    /// Energy of an event in pJ. Key `energy.<component>.<event>.<format>`, else that of `64bit` scaled with the bits
    /// of the format.
    event_cost energy(std::string_view component, std::string_view event, std::string_view format) const;
    event_cost energy(std::string_view component, std::string_view event, base::element_type format) const;

    // A bank of an SRAM, whose cells have so many ports: each behind the first makes both sides of a cell longer by
    // sqrt(2) - 1, because it brings a word line and a bit line of its own, so that two double its area (an estimate).

    /// Energy in pJ of one access of 64 bits. Key `energy.sram.access_64bit.<bytes>`. Between sizes of the file it is
    /// interpolated on logarithmic scales; above the largest and below the smallest, down to a single word of 8 bytes,
    /// it goes with the square root of the size. It grows as the sides of a cell, which its lines pass.
    event_cost sram_access(std::uint64_t bytes, unsigned ports = 1) const;
    /// The same for a memory beside the unit that works with it, which may be small: at least what a register costs
    /// (`energy.cell.register_read`).
    event_cost local_memory_access(std::uint64_t bytes) const;

    /// Side in um of a square bank: `area.sram_bit` of each of its bits, over the part of the area that bits take: 0.4
    /// up to 4 KiB, 0.6 from 32 KiB on, in between linear in the logarithm of the size. An estimate.
    figure sram_edge_um(std::uint64_t bytes, unsigned ports = 1) const;

    /// Energy of so many bits over a wire on chip of this length in um, by `wire.on_chip`.
    event_cost wire_energy(unsigned bits, figure length_um) const;

    figure wire_fj_per_bit_mm() const;                   ///< `wire.on_chip`
    figure wire_pitch_um() const;                        ///< `wire.pitch`: from wire to wire, side by side
    figure via_fj_per_bit() const;                       ///< `wire.via`
    figure cell_pitch_um(std::string_view format) const; ///< `cell_pitch.<format>`: the side of a cell
    figure cell_pitch_um(base::element_type format) const;
    // What leaks, of every device by one rule: a share of the power that a part takes when it works in every cycle, as
    // long as the program runs.

    /// Multiplies all of it: 0 is none, 1 what the file says.
    void scale_leakage(double factor) { m_leakage = factor; }

    figure cell_leakage_mw(std::string_view format) const; ///< `leakage.cell.<format>`: one cell
    figure cell_leakage_mw(base::element_type format) const;

    /// `leakage.lane.fraction` of the power of a unit's part that takes this energy per cycle, at 1 GHz.
    figure lane_leakage_mw(event_cost per_cycle) const;

    /// `leakage.memory.fraction` of the power of a bank of this size at one 64-bit access per cycle and port, at 1 GHz;
    /// of a memory whose access of 64 bits takes this energy.
    figure sram_leakage_mw(std::uint64_t bytes, unsigned ports = 1) const;
    figure memory_leakage_mw(event_cost access) const;

    /// `leakage.block.fraction`: of a block's published power, which has its leakage in it. Not scaled.
    figure block_leakage_share() const;
    /// That share of the power of a block that takes this energy per cycle, at 1 GHz.
    figure block_leakage_mw(event_cost per_cycle) const;

    /// Any number by its full key; its unit must be this one.
    const technology_number& number(std::string_view key, std::string_view unit) const;
    const std::map<std::string, technology_number, std::less<>>& numbers() const { return m_numbers; }

private:
    friend class technology_reader;

    const technology_number* find(std::string_view key) const;

    std::string m_origin, m_name, m_process;
    double m_leakage = 1;
    std::map<std::string, technology_number, std::less<>> m_numbers; // by full key
    std::map<std::uint64_t, event_cost> m_sram_access;               // by bytes
};

/// A shipped technology by its name ("45nm", "7nm"), or the file at that path.
technology load_technology(const std::string& name_or_path);

std::vector<std::string> shipped_technology_names();
/// Its YAML; empty: there is none of this name.
std::string_view shipped_technology_text(std::string_view name);

} // namespace tensorloom::costs
