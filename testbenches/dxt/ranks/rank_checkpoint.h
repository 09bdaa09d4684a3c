#pragma once
#include <functional>
#include <optional>
#include <string>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/files/saved_state.h>
#include "dxt/ranks/rank_group.h"

namespace tensorloom::testbench {

/// The slabs of a run over ranks after its last complete stage, in a directory that all ranks see: a saved state per
/// rank (base/files/saved_state.h, with its SHA-256), and the file `checkpoint`, which names the stage and the problem.
/// That file is replaced when all slabs of a stage are stored; then those of the stage before are removed. So a rank
/// that ends at any time leaves the last stage whole.
///
/// All functions are collective, and throw base::input_error on every rank.
class rank_checkpoint {
public:
    /// `problem`: a line "--option value" for each option that determines slabs; the same on every rank.
    rank_checkpoint(std::string directory, std::string problem, const rank_group& group);

    /// Begins a checkpoint, or resumes one: stages that are complete, 1 or more. Refuses one of another problem.
    unsigned open(bool resume);
    /// Stores the slabs after stage `stages` (from 1 on); returns the bytes of this rank.
    std::uint64_t save(unsigned stages, const std::function<void(base::state_writer&)>& write);
    void load(unsigned stages, const std::function<void(base::state_reader&)>& read);

private:
    std::string slab_file(unsigned stages) const;
    std::string slab_text() const; // of this rank's saved states
    std::string manifest_file() const { return m_directory + "/checkpoint"; }
    unsigned begin();
    void remove_slabs_but(unsigned stages) const;
    unsigned stages_of_manifest() const;

    std::string m_directory;
    std::string m_problem;
    const rank_group& m_group;
    std::optional<base::directory_lock> m_lock; // of rank 0
};

} // namespace tensorloom::testbench
