#pragma once
#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/activity/transaction_log.h>
#include <tensorloom/models/blocks/pass_sequencer.h>
#include <tensorloom/models/fetta/unified_memory.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/isa/program/memory_map.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/shell/command_issue.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/dma_turn.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/shell/transfer_unit.h>
#include <tensorloom/models/torus/node.h>
#include <tensorloom/models/triada/actuator.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/models/triada/tensor_core.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/at_target.h>
#include <tensorloom/tlm/dma_ports.h>
#include <tensorloom/tlm/dma_socket.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/tlm/register_bank.h>
#include <tensorloom/tlm/stop_request.h>
#include <tensorloom/tlm/transaction_sink.h>

namespace tensorloom {

/// The objects that usage examples in headers (header_examples.py) take for granted. Examples are compiled and not run:
/// nothing here is defined.
struct example_context {
    // A platform.
    tlm::tlm_initiator_socket<32>& initiator;
    tlm::tlm_target_socket<32>& target;
    tlm::tlm_initiator_socket<512>& wide_initiator;
    tlm::tlm_target_socket<512>& wide_target;
    sc_core::sc_signal<bool>& reset;
    sc_core::sc_signal<bool>& interrupt;
    sc_core::sc_trace_file& waveform;
    bus::activity_sink& sink;
    bus::transaction_sink& transactions;
    isa::host_port& host;
    triada::device<32>& device;

    // A payload and its annotated delay.
    tlm::tlm_generic_payload& transaction;
    sc_core::sc_time& delay;

    // What a module inside a device gets.
    bus::dma_ports& dma;
    bus::dma_port& dma_port;
    const bus::stop_request& stop;
    shell::dma_turn& turn;
    shell::program_clock& clock;
    shell::command_unit& unit;
    shell::unit_table& units;
    shell::local_memory& local;
    const shell::issue_context& issue;
    shell::device_log& records;
    const isa::command_descriptions& commands;
    const isa::memory_map& map;
    bus::timed_service& service;
    bus::register_owner& owner;
    blocks::pass_series_if& passes;
    fetta::unified_memory& unified_memory;
    torus::node<double>& node;
    triada::actuator& actuator;
    triada::row_observer& skipped_rows;
    triada::step_observer& steps;

    // Data and results.
    std::vector<std::uint8_t>& program;
    std::vector<unsigned char>& buffer;
    activity::program_log& log;
    activity::energy_report& energy;
    activity::transaction_log& traffic;
    const costs::energy_model& model;
    std::ostream& out;

    example_context();
};

} // namespace tensorloom
