#include <tensorloom/workloads/tensor_network/named_layers.h>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

using factors = std::vector<std::uint64_t>;
constexpr auto verified = layer_provenance::verified;
constexpr auto recalled = layer_provenance::recalled;
constexpr auto assumed = layer_provenance::assumed;

constexpr std::uint64_t ucf_batch = 16 * 6;    // videos x frames
constexpr std::uint64_t bert_batch = 32 * 128; // sentences x tokens
constexpr std::uint64_t wmt_batch = 4096;      // tokens
constexpr char ucf_meaning[] = "UCF11 video frames of 160 x 120 x 3 into an LSTM of 256, four gates";

tensorized_layer layer_of(layer_format format, const factors& rows, const factors& columns, factors ranks,
                          std::uint64_t batch)
{
    tensorized_layer layer;
    layer.format = format;
    layer.rows = rows;
    layer.columns = columns;
    layer.ranks = std::move(ranks);
    layer.batch = batch;
    return layer;
}
tensorized_layer tt(const factors& m, const factors& n, const factors& ranks, std::uint64_t batch, core_order order)
{
    auto layer = layer_of(layer_format::tt, m, n, ranks, batch);
    layer.order = order;
    return layer;
}
tensorized_layer ttm(const factors& m, const factors& n, std::uint64_t rank, std::uint64_t batch)
{
    return layer_of(layer_format::ttm, m, n, factors(m.size() - 1, rank), batch);
}
tensorized_layer ring(const factors& m, const factors& n, std::uint64_t first_rank, std::uint64_t rank,
                      std::uint64_t batch)
{
    factors ranks(m.size() + n.size(), rank);
    ranks.front() = first_rank;
    auto layer = layer_of(layer_format::tr, m, n, ranks, batch);
    layer.order = core_order::nm;
    return layer;
}
tensorized_layer tree(const factors& m, const factors& n, std::uint64_t rank, std::uint64_t batch)
{
    return layer_of(layer_format::ht, m, n, factors(2 * m.size() - 2, rank), batch);
}
tensorized_layer block_term(const factors& m, const factors& n, std::uint64_t rank, std::uint64_t blocks,
                            std::uint64_t batch)
{
    auto layer = layer_of(layer_format::bt, m, n, factors(m.size(), rank), batch);
    layer.blocks = blocks;
    return layer;
}

std::vector<named_layer> made_layers()
{
    const factors ucf_n{8, 20, 20, 18}, ucf_m{16, 4, 4, 4};
    const auto nm = core_order::nm;
    return {
        {"ucf-ttm", ucf_meaning, verified, "Yang 2017, Tuyki/TT_RNN; 3,360 parameters", true,
         ttm(ucf_m, ucf_n, 4, ucf_batch)},
        {"ucf-ttm-1gate", "the same of one gate", verified, "Yang 2017, Tuyki/TT_RNN", true,
         ttm({4, 4, 4, 4}, ucf_n, 4, ucf_batch)},
        {"ucf-tt", ucf_meaning, verified, "a public file of M. Yin (ETTE), 2022", true,
         tt({16, 8, 8}, ucf_n, {4, 5, 9, 12, 6, 3}, ucf_batch, core_order::mn)},
        {"ucf-tr", ucf_meaning, recalled, "Pan 2019; 14 nodes and 1,725 parameters match", true,
         ring({16, 4, 2, 4, 2}, {4, 2, 5, 8, 6, 5, 3, 2}, 10, 5, ucf_batch)},
        {"ucf-ht", ucf_meaning, assumed, "Yin 2020; factors as ucf-ttm, all ranks 4", true,
         tree(ucf_m, ucf_n, 4, ucf_batch)},
        {"ucf-bt", ucf_meaning, verified, "Ye 2018, BTRNN; compression 17,388", true,
         block_term(ucf_m, ucf_n, 4, 2, ucf_batch)},
        {"ucf-bt-d2", ucf_meaning, verified, "Ye 2018, BTRNN, of two factors", true,
         block_term({4 * 16, 16}, {320, 180}, 4, 2, ucf_batch)},
        {"ucf-bt-d3", ucf_meaning, verified, "Ye 2018, BTRNN, of three factors", true,
         block_term({4 * 8, 4, 8}, {36, 40, 40}, 4, 2, ucf_batch)},
        {"ucf-bt-d5", ucf_meaning, verified, "Ye 2018, BTRNN, of five factors", true,
         block_term({4 * 4, 2, 2, 4, 4}, {8, 10, 10, 9, 8}, 4, 2, ucf_batch)},
        {"atis-tt", "ATIS transformer of 768, one sentence of 32 tokens", recalled, "Tian 2025, Yang 2023", false,
         tt({8, 8, 12}, {12, 8, 8}, {12, 12, 12, 12, 12}, 32, nm)},
        {"atis-ttm-embedding", "the same, 1000 tokens to 768, as a product with one-hot rows", recalled, "Tian 2025",
         true, ttm({12, 8, 8}, {10, 10, 10}, 30, 32)},
        {"bert-tt-attention", "BERT-like transformer of 768, attention", verified, "CoMERA utils.py", false,
         tt({8, 8, 12}, {12, 8, 8}, {12, 30, 30, 30, 12}, bert_batch, nm)},
        {"bert-tt-ffn1", "the same, 768 to 3072", verified, "CoMERA utils.py", false,
         tt({12, 16, 16}, {12, 8, 8}, {12, 30, 30, 30, 16}, bert_batch, nm)},
        {"bert-tt-ffn2", "the same, 3072 to 768", verified, "CoMERA utils.py", false,
         tt({8, 8, 12}, {16, 16, 12}, {16, 30, 30, 30, 12}, bert_batch, nm)},
        {"bert-tt-classifier", "the same, its classifier, a row per sentence", verified, "CoMERA utils.py", false,
         tt({8, 8, 12}, {12, 8, 8}, {12, 30, 30, 30, 12}, 32, nm)},
        {"bert-ttm-embedding", "the same, 32,000 tokens to 768, as a product with one-hot rows", verified,
         "CoMERA utils.py", true, ttm({4, 4, 8, 6}, {16, 20, 10, 10}, 32, bert_batch)},
        {"wmt-tt-attention", "WMT14 transformer of 512, attention", assumed, "transformer-base", false,
         tt({8, 8, 8}, {8, 8, 8}, {8, 16, 16, 16, 8}, wmt_batch, nm)},
        {"wmt-tt-ffn1", "the same, 512 to 2048", assumed, "transformer-base", false,
         tt({8, 16, 16}, {8, 8, 8}, {8, 16, 16, 16, 16}, wmt_batch, nm)},
        {"wmt-tt-ffn2", "the same, 2048 to 512", assumed, "transformer-base", false,
         tt({8, 8, 8}, {16, 16, 8}, {16, 16, 16, 16, 8}, wmt_batch, nm)},
        {"vgg-fc6-ttm", "VGG, 25,088 to 4096", recalled, "TIE; compression 50,972", true,
         ttm({4, 4, 4, 4, 4, 4}, {2, 7, 8, 8, 7, 4}, 4, 16)},
        {"vgg-fc7-ttm", "VGG, 4096 to 4096", recalled, "TIE", false,
         ttm({4, 4, 4, 4, 4, 4}, {4, 4, 4, 4, 4, 4}, 4, 16)},
        {"youtube-ttm", "YouTube faces, frames of 57,600 into an LSTM of 256, one gate", recalled, "TIE", true,
         ttm({4, 4, 4, 4}, {4, 20, 20, 36}, 4, ucf_batch)},
        {"fc4096-ttm", "4096 to 4096, rank 16", assumed, "ours", false, ttm({8, 8, 8, 8}, {8, 8, 8, 8}, 16, 64)},
        {"tednet-ttm", "UCF11 CNN features of 2048 into an LSTM of 2048, four gates", verified, "TedNet benchmark",
         true, ttm({128, 64}, {64, 32}, 10, ucf_batch)},
        {"tednet-tr", "the same", verified, "TedNet benchmark", true, ring({128, 64}, {64, 32}, 20, 20, ucf_batch)},
        {"tednet-bt", "the same", verified, "TedNet benchmark", true, block_term({128, 64}, {64, 32}, 5, 2, ucf_batch)},
        {"ht-4096", "4096 to 4096, rank 8", assumed, "ours", false, tree({8, 8, 8, 8}, {8, 8, 8, 8}, 8, 64)},
    };
}

} // namespace

const std::vector<named_layer>& named_layers()
{
    static const std::vector<named_layer> layers = made_layers();
    return layers;
}

const named_layer& find_named_layer(const std::string& name)
{
    std::string known;
    for (const auto& layer : named_layers()) {
        if (name == layer.name) { return layer; }
        known += (known.empty() ? "" : ", ") + std::string(layer.name);
    }
    throw base::input_error("found layer " + base::in_quotes(name) + ", expected one of " + known);
}

} // namespace tensorloom::workloads
