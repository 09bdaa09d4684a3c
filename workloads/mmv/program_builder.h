#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/workloads/device_session.h>

namespace tensorloom::workloads {

/// The interface of an MMU/VCU pair for algorithms. Its scratchpad keeps its contents between programs.
using mmv_session = device_session<mmv::limits, mmv::counts>;

/// Elements in the scratchpad, one after the other.
struct mmv_array {
    std::uint32_t address = 0; ///< in bytes
    std::uint64_t elements = 0;
    base::element_type type = base::element_type::int64;

    /// The array from this element on.
    mmv_array from(std::uint64_t element) const
    {
        return {static_cast<std::uint32_t>(address + element * base::element_bytes(type)), elements - element, type};
    }
};

/// Commands of a program from `first_command` on, up to the next mark: the part of an algorithm to which they belong.
struct part_mark {
    std::uint32_t first_command = 0;
    const char* part = nullptr; ///< none: to no part
};

/// Total costs of programs of an MMU/VCU pair.
struct session_costs {
    mmv::counts counts;                        ///< mmv/isa/meters.h turns them into the models' numbers
    std::uint64_t cycles = 0;                  ///< START to DONE; 0 in a session without timing
    std::uint64_t programs = 0;                ///< run one after the other
    std::uint64_t scratchpad_bytes = 0;        ///< of the program that needs most
    std::vector<std::vector<part_mark>> parts; ///< by program, in the order of its commands; empty without parts
};

/// Writes and runs programs for an MMU/VCU pair: places arrays in its scratchpad, records instructions, and runs them
/// in their order with run(), or when a program has grown long. STOREs deliver their values with run(). Arrays keep
/// their contents between programs. Numbers are int64_t, double or complex<double> and are converted to the format of
/// the array. Throws base::input_error when the arrays of a program do not fit into the scratchpad (with the bytes
/// required), the data not into the memory, or a number not into its format; program_error for a device error.
class mmv_program_builder {
public:
    explicit mmv_program_builder(mmv_session& session);
    mmv_program_builder(const mmv_program_builder&) = delete;
    mmv_program_builder& operator=(const mmv_program_builder&) = delete;

    const mmv::limits& limits() const { return m_session.limits(); }
    std::uint32_t side() const { return limits().side; }

    // ---- arrays ----
    mmv_array words(std::uint64_t n);    ///< of the word type; not initialized
    mmv_array elements(std::uint64_t n); ///< of the device's format: left operands and weights
    /// release(mark()) frees the arrays placed in between. Arrays are not cleared.
    std::uint64_t mark() const { return m_used; }
    void release(std::uint64_t mark) { m_used = mark; }

    // ---- data ----
    /// Records a LOAD of these values, which are copied now; at most as many as the array has.
    template <class T> void load(const mmv_array& to, const std::vector<T>& values);
    /// Records a STORE; `to` gets the array's elements with the next run() and must live until then.
    template <class T> void store(const mmv_array& from, std::vector<T>& to);
    /// The same; `deliver` is called with the elements.
    template <class T> void store(const mmv_array& from, std::function<void(std::vector<T>)> deliver);
    /// Places an array and loads it.
    template <class T> mmv_array loaded(const std::vector<T>& values)
    {
        const mmv_array to = words(values.size());
        load(to, values);
        return to;
    }

    // ---- instructions ----
    void add(const mmv::matmul_command& command);
    void add(const mmv::product_command& command, bool accumulate);
    void add(isa::vector::opcode code, const isa::vector::vector_command& command);
    /// REPL, or an instruction of the scalar unit.
    void add(isa::command_code code, const isa::vector::strided_command& command);
    void loop(std::uint32_t count);
    void end();

    /// Instructions recorded until the matching leave() belong to this part of the algorithm. Parts within a part
    /// belong to the outermost one. `part` must live as long as costs().
    void enter(const char* part);
    void leave();

    /// Runs the recorded instructions, if there are any.
    void run();

    /// Costs of all programs so far.
    const session_costs& costs() const { return m_costs; }

private:
    struct pending_store {
        std::uint64_t address;
        std::size_t bytes;
        std::function<void(const std::uint8_t*)> deliver;
    };

    mmv_array place(std::uint64_t n, base::element_type type);
    std::uint64_t place_data(std::size_t bytes);
    void load_bytes(const mmv_array& to, std::uint64_t elements, const std::vector<std::uint8_t>& bytes);
    void record(isa::opcode code, std::uint16_t flags, const std::vector<std::uint8_t>& payload);
    void mark_part();

    mmv_session& m_session;
    isa::program_builder m_program;
    std::uint32_t m_commands = 0; // of m_program
    std::vector<part_mark> m_marks;
    const char* m_part = nullptr;
    unsigned m_entered = 0; // parts
    std::size_t m_recorded_bytes = 0;
    unsigned m_depth = 0; // of open loops
    std::uint64_t m_used = 0;
    std::uint64_t m_data_used = 0; // by the current program
    std::vector<pending_store> m_stores;
    session_costs m_costs;
};

/// Instructions that are recorded during its lifetime belong to a part of the algorithm.
class part_scope {
public:
    part_scope(mmv_program_builder& builder, const char* part) : m_builder(builder) { builder.enter(part); }
    ~part_scope() { m_builder.leave(); }
    part_scope(const part_scope&) = delete;
    part_scope& operator=(const part_scope&) = delete;

private:
    mmv_program_builder& m_builder;
};

/// Frees the arrays that are placed during its lifetime.
class scratch_scope {
public:
    explicit scratch_scope(mmv_program_builder& builder) : m_builder(builder), m_mark(builder.mark()) {}
    ~scratch_scope() { m_builder.release(m_mark); }
    scratch_scope(const scratch_scope&) = delete;
    scratch_scope& operator=(const scratch_scope&) = delete;

private:
    mmv_program_builder& m_builder;
    std::uint64_t m_mark;
};

} // namespace tensorloom::workloads
