#pragma once
#include "dxt/dxt.h"

namespace tensorloom::testbench {

/// The program of a rank, beside dxt.
inline constexpr char rank_program[] = "dxt_ranks";
/// In the environment of the ranks: rank 0 writes its progress on stderr, as lines "@FRACTION TEXT", and "@" at the
/// end.
inline constexpr char progress_variable[] = "TENSORLOOM_PROGRESS_LINES";

/// Runs the same command line on ranks, by mpirun; returns the exit status. Shows their errors and progress as those of
/// this program. Throws base::input_error if this build or machine has no MPI.
int launch_ranks(const dxt_options& options, int argc, char** argv);

} // namespace tensorloom::testbench
