#include <tensorloom/models/activity/transaction_files.h>

#include <charconv>
#include <tensorloom/models/activity/csv_text.h>
#include <tensorloom/models/activity/output_file.h>

namespace tensorloom::activity {

std::string hexadecimal(std::uint64_t number)
{
    char digits[16];
    return "0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, number, 16).ptr);
}

const char* text_of(bus::transfer_command command)
{
    switch (command) {
    case bus::transfer_command::read: return "read";
    case bus::transfer_command::write: return "write";
    default: return "ignore";
    }
}

const char* text_of(bus::transfer_status status)
{
    switch (status) {
    case bus::transfer_status::ok: return "ok";
    case bus::transfer_status::generic_error: return "generic_error";
    case bus::transfer_status::address_error: return "address_error";
    case bus::transfer_status::command_error: return "command_error";
    case bus::transfer_status::burst_error: return "burst_error";
    case bus::transfer_status::byte_enable_error: return "byte_enable_error";
    default: return "incomplete";
    }
}

void write_transactions_csv(const std::string& path, const transaction_log& log)
{
    output_file file(path);
    file << "recorder,initiator,transport,command,address,bytes,status,begin_ps,end_request_ps,begin_response_ps,"
            "end_ps\n";
    for (const auto& [recorder, r] : log.records()) {
        file << csv_text(log.name(recorder)) << "," << csv_text(log.initiator(recorder)) << ","
             << (r.kind == bus::transfer_kind::blocking ? "blocking" : "phases") << "," << text_of(r.command) << ","
             << hexadecimal(r.address) << "," << r.bytes << "," << text_of(r.status) << "," << r.begin_ps << ",";
        if (r.kind == bus::transfer_kind::phases) { file << r.end_request_ps << "," << r.begin_response_ps; }
        if (r.kind == bus::transfer_kind::blocking) { file << ","; }
        file << "," << r.end_ps << "\n";
    }
    file.commit();
}

void write_traffic_csv(const std::string& path, const transaction_log& log)
{
    output_file file(path);
    file
        << "recorder,initiator,transactions,reads,writes,bytes_read,bytes_written,errors,busy_ps,latency_min_ps,"
           "latency_mean_ps,latency_max_ps,debug_calls,debug_bytes,dmi_requests,dmi_grants,dmi_invalidations,dropped\n";
    for (std::size_t n = 0; n < log.recorders(); ++n) {
        const auto t = log.totals(n);
        file << csv_text(log.name(n)) << "," << csv_text(log.initiator(n)) << "," << t.transactions << "," << t.reads
             << "," << t.writes << "," << t.bytes_read << "," << t.bytes_written << "," << t.errors << "," << t.busy_ps
             << "," << t.latency_min_ps << "," << t.latency_mean_ps() << "," << t.latency_max_ps << "," << t.debug_calls
             << "," << t.debug_bytes << "," << t.dmi_requests << "," << t.dmi_grants << "," << t.dmi_invalidations
             << "," << log.dropped(n) << "\n";
    }
    file.commit();
}

} // namespace tensorloom::activity
