#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/costs/energy.h>

namespace tensorloom::costs {

/// One number of a technology file, with its source.
struct technology_number {
    double value = 0;
    std::string unit;
    std::string process; ///< of the file, unless the number has its own
    std::string source;
    bool estimate = false; ///< neither published nor derived from published figures alone
};

/// A figure looked up or derived. `estimate`: one of its numbers is an estimate, or it was interpolated or scaled.
struct figure {
    double value = 0;
    bool estimate = false;
    bool synthesized = false; ///< not an estimate, but of the gates of models/rtl
};

/// Energy, leakage and area figures of one process: a YAML file of numbers, each with a unit and a source.
///
///     schema: tensorloom-technology-1
///     name: 45nm
///     process: 45 nm, 0.9 V     with `base`, optional: that of the base
///     base: 7nm                 optional: the technology whose numbers apply where this file has none: shipped, or a
///                               file, relative to the folder of this one, which may have a base itself
///     second_source: 40nm       optional: the shipped technology whose numbers reports compare with
///     energy:     component > event > format: {value: 4.6, unit: pJ, source: ..., estimate: true}
///     event:      module > event (pJ): optional, instead of the energy that follows from the other numbers, in a model
///                 of that name: triada, torus, mmv, fetta, or sram (a memory on the bus)
///     wire:       on_chip (fJ/bit/mm), via (fJ/bit), pitch (um)
///     cell_pitch: format (um): optional, instead of the root of a cell's area
///     area:       nand2, sram_bit, and blocks with an area of their own (um^2)
///     gate:       delay (ps) of a gate on a path, with its wire
///     uncertainty: published, synthesized, estimate ("1"): factor either way by which such a figure may be off
///     voltage:    nominal (V): the supply of all these numbers
///     speed:      mV ("1"): speed of gates at this supply, relative to the nominal one
///     leakage:    die > logic, sram (nW/um^2, which is mW/mm^2); dram > name (mW)
///     limit:      power_density (W/mm^2), die_area (mm^2), wire_reach (mm/ns)
///     dram:       organisation ("1"), clock (ns), timing (tCK), voltage (V), current_<supply> (mA) > name
///
/// Formats are int8, int32, int64, f16, bf16, f32, f64, c64 and c128. An event that moves bits without arithmetic may
/// have the format `64bit` instead: other widths are scaled by their bits. `estimate` (default false) and `process`
/// (default: the file's) are optional. Every number is checked when the file is read; sections and keys that are not
/// needed may be missing.
///
/// All errors are input_error, one line with the file and the key, such as `energy.cell.mac.f64`.
class technology {
public:
    /// Reads a technology; `origin` is its name in messages.
    static technology from_text(const std::string& text, const std::string& origin);
    static technology from_file(const std::string& path);

    const std::string& name() const { return m_name; }
    const std::string& process() const { return m_process; }

    /// The files that it was read from: its own, and those that it is based on. Empty for a shipped one.
    const std::vector<std::string>& files() const { return m_files; }

    /// Other numbers for the same events, with which reports compare; null if the file names none.
    const technology* second_source() const { return m_second.get(); }
    const std::string& second_source_name() const { return m_second_name; } ///< empty without

    /// Energy of an event in pJ. Key `energy.<component>.<event>.<format>`, else that of `64bit` scaled by the bits of
    /// the format.
    event_cost energy(std::string_view component, std::string_view event, std::string_view format) const;
    event_cost energy(std::string_view component, std::string_view event, base::element_type format) const;

    // A bank of an SRAM whose cells have this number of ports: each port beyond the first lengthens both sides of a
    // cell by sqrt(2) - 1 for its word line and bit line, so that two ports double the area (an estimate).

    /// Energy in pJ of one access of 64 bits. Key `energy.sram.access_64bit.<bytes>`. Between sizes in the file it is
    /// interpolated on logarithmic scales; above the largest and below the smallest, down to one word of 8 bytes, it is
    /// proportional to the square root of the size. It grows with the sides of a cell, along which its lines run.
    event_cost sram_access(std::uint64_t bytes, unsigned ports = 1) const;
    /// Likewise for a small memory beside its unit: at least the energy of a register (`energy.cell.register_read`).
    event_cost local_memory_access(std::uint64_t bytes) const;

    /// Side in um of a square bank: `area.sram_bit` of each bit, divided by the array efficiency: 0.4 up to 4 KiB, 0.6
    /// from 32 KiB, in between linear in the logarithm of the size. An estimate.
    figure sram_edge_um(std::uint64_t bytes, unsigned ports = 1) const;

    /// Energy of this number of bits over an on-chip wire of this length in um, by `wire.on_chip`.
    event_cost wire_energy(unsigned bits, figure length_um) const;

    figure wire_fj_per_bit_mm() const; ///< `wire.on_chip`
    figure wire_pitch_um() const;      ///< `wire.pitch`: distance of adjacent wires
    figure via_fj_per_bit() const;     ///< `wire.via`

    /// From here on all numbers are those at this supply: energies and wires go with its square, leakage power with the
    /// supply, delays and the reach of wires with `speed`, linear between its points. DRAMs keep theirs. What changes
    /// is marked as an estimate. Leakage is that of one temperature: it follows none. Throws for a supply outside the
    /// points.
    void set_supply(double volts);

    // Leakage, by one rule for every device: its area x a power of the process, for the time that the program runs.

    /// Scales all leakage: 0 is none, 1 as in the file.
    void scale_leakage(double factor);

    figure logic_leakage_mw(figure um2) const; ///< area x `leakage.die.logic`
    figure sram_leakage_mw(figure um2) const;  ///< area x `leakage.die.sram`: of an SRAM with its periphery

    /// Any number by its full key; its unit must be this one.
    const technology_number& number(std::string_view key, std::string_view unit) const;
    bool has(std::string_view key) const { return find(key) != nullptr; }

    /// Calls `asks`, in which a missing number reads as 1; then throws one input_error that lists all missing keys in
    /// the order in which they were asked for, at most 8 by name: "missing keys energy.cell.mac.f64 (pJ),
    /// limit.die_area (mm^2)". Without missing keys it rethrows what `asks` threw. Numbers of the second source are not
    /// included: they must be there.
    void list_missing(const std::function<void()>& asks);

    const std::map<std::string, technology_number, std::less<>>& numbers() const { return m_numbers; }

private:
    friend class technology_reader;
    friend class technology_loader;

    void add(const std::string& key, technology_number number); // replaces the number of the technology it is based on
    const technology_number* find(std::string_view key) const;
    double speed_at(double volts) const;
    void scale_supply(double ratio, double speed);
    figure leakage_mw(figure um2, const char* key) const;
    void miss(std::string_view key, std::string_view unit) const; // throws, or adds to m_missing
    [[noreturn]] void refuse_missing(const std::vector<std::string>& keys) const;

    std::string m_origin, m_name, m_process;
    std::vector<std::string> m_files;
    std::string m_second_name;
    std::shared_ptr<const technology> m_second; // itself without one
    double m_leakage = 1;
    std::map<std::string, technology_number, std::less<>> m_numbers; // by full key
    std::map<std::uint64_t, event_cost> m_sram_access;               // by bytes
    std::shared_ptr<std::vector<std::string>> m_missing;             // with units; only during list_missing()
};

/// Reads a technology without its second source; `base` returns its base, or throws input_error ("found ..., expected
/// ...").
using technology_lookup = std::function<technology(const std::string& name)>;
technology read_technology(const std::string& text, const std::string& origin, const technology_lookup& base);

/// A shipped technology by its name ("45nm", "40nm", "7nm", "fetta-7nm"), or the file at this path.
technology load_technology(const std::string& name_or_path);

/// Sets the energies of the keys event.MODULE.EVENT in the model of this module. A key of no event of it is an
/// input_error.
void set_event_energies(energy_model& model, const technology& tech, const std::string& module);

/// The model that a function makes of a technology for a module, with the energies that the technology sets, and with
/// its differences by the technology's second source, if any.
template <class Model>
energy_model with_second_source(const technology& tech, const std::string& module, const Model& model_by)
{
    energy_model model = model_by(tech);
    set_event_energies(model, tech, module);
    if (tech.second_source() == nullptr) { return model; }
    const energy_model second = model_by(*tech.second_source());
    for (std::size_t e = 0; e < model.costs.size(); ++e) {
        model.costs[e].more_pj = second.costs[e].pj - model.costs[e].pj;
    }
    for (std::size_t l = 0; l < model.leakage.size(); ++l) {
        model.leakage[l].more_mw = second.leakage[l].mw - model.leakage[l].mw;
    }
    return model;
}

std::vector<std::string> shipped_technology_names();
/// Its YAML text; empty when there is no technology of this name.
std::string_view shipped_technology_text(std::string_view name);

} // namespace tensorloom::costs
