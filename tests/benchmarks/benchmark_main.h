#pragma once
#include <functional>
#include <iostream>
#include <string>
#include <nlohmann/json.hpp>
#include <tensorloom/models/base/files/atomic_file.h>
#include "platform/process/main.h"
#include "platform/options/options.h"
#include "platform/report/run_report.h"

namespace tensorloom::benchmarks {

/// What a benchmark's main function does: reads --json FILE, --help and, when `filtered`, --filter TEXT, which measures
/// the cases whose names contain it; measures; writes the records that `measure(filter)` returns. Bad use ends with
/// status 2 before anything is measured, as does a filter that leaves no record.
inline int benchmark_main(int argc, char** argv, const std::string& name, const std::string& purpose, bool filtered,
                          const std::function<nlohmann::ordered_json(const std::string& filter)>& measure)
{
    return testbench::run_main(argc, argv, [&](int count, char** arguments) -> int {
        testbench::option_table table(name, purpose);
        table.add_value("json", "FILE", "Write the figures here, a record per case.");
        if (filtered) {
            table.add_value("filter", "TEXT",
                            "Measure only the cases whose name contains it, such as 'dense 37x37x37 f32'.");
        }
        table.add_flag("help", "Print this text and stop.");
        const auto values = table.parse(count, arguments, std::cout);
        if (!values) { return testbench::exit_right; }
        const std::string json = values->has("json") ? values->get_string("json") : "";
        if (!json.empty()) { base::check_writable(json); }
        const std::string filter = filtered && values->has("filter") ? values->get_string("filter") : "";
        const auto records = measure(filter);
        if (records.empty()) { throw values->error("filter", "a part of a case's name"); }
        if (!json.empty()) { testbench::write_summary(json, records); }
        testbench::leave(arguments[0], testbench::exit_right);
    });
}

} // namespace tensorloom::benchmarks
