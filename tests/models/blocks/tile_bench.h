#pragma once
#include <cstdint>
#include <random>
#include <vector>
#include <tensorloom/models/blocks/systolic_array.h>
#include "models/blocks/array_bench.h"

namespace tensorloom::test {

/// Tiles of any sizes and speeds, their results one after the other.
template <class Element> struct random_tiles {
    /// `odd`: with zeros, infinities, NaN, ends of the range.
    random_tiles(unsigned side, unsigned count, std::mt19937_64& random, bool odd = false)
    {
        for (unsigned t = 0; t < count; ++t) {
            array_job<Element> job;
            job.side = side;
            job.left_columns = 1 + static_cast<unsigned>(random() % side);
            job.result_columns = 1 + static_cast<unsigned>(random() % side);
            job.elements_of_rows = 1 + random() % (4 * side * side);
            job.weights_stride = job.result_stride = static_cast<std::ptrdiff_t>(job.result_columns);
            job.left_stride = static_cast<std::ptrdiff_t>(job.left_columns);
            job.weight_row_cycles = 1 + random() % 3;
            job.row_cycles = 1 + random() % 3;
            if (random() % 2 == 0) {
                job.call_rows = 1 + random() % 5;
                job.call_interval = random() % 12;
            }
            job.fill(random, odd ? odd_element<Element, std::mt19937_64> : ordinary_element<Element, std::mt19937_64>);
            jobs.push_back(job);
        }
    }

    std::vector<blocks::array_tile> tiles()
    {
        std::vector<blocks::array_tile> all;
        for (auto& job : jobs) {
            blocks::array_tile t;
            t.weights = {reinterpret_cast<const unsigned char*>(job.weights.data()), job.weights_stride,
                         job.left_columns, job.result_columns, job.weight_row_cycles};
            t.rows.left = reinterpret_cast<const unsigned char*>(job.left.data());
            t.rows.left_stride = job.left_stride;
            t.rows.left_columns = job.left_columns;
            t.rows.result = reinterpret_cast<unsigned char*>(job.result.data());
            t.rows.result_stride = job.result_stride;
            t.rows.result_columns = job.result_columns;
            t.rows.elements = job.elements_of_rows;
            t.rows.pace = {job.row_cycles, job.call_rows, job.call_interval};
            all.push_back(t);
        }
        return all;
    }

    std::vector<array_job<Element>> jobs;
};

} // namespace tensorloom::test
