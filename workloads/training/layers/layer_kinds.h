#pragma once
#include <variant>
#include <tensorloom/workloads/training/layers/activation/activation_layer.h>
#include <tensorloom/workloads/training/layers/convolution/convolution_layer.h>
#include <tensorloom/workloads/training/layers/dropout/dropout_layer.h>
#include <tensorloom/workloads/training/layers/embedding/embedding_layer.h>
#include <tensorloom/workloads/training/layers/encoder/encoder_layer.h>
#include <tensorloom/workloads/training/layers/linear/linear_layer.h>
#include <tensorloom/workloads/training/layers/lstm/lstm_layer.h>
#include <tensorloom/workloads/training/layers/norm/norm_layer.h>
#include <tensorloom/workloads/training/layers/pool/pool_layer.h>
#include <tensorloom/workloads/training/layers/residual/residual_layer.h>

namespace tensorloom::workloads {

/// A layer of any kind (layer_kind.h). The first kind is the default of a layer in a file without the key `kind`.
using layer_kind = std::variant<linear_layer, embedding_layer, convolution_layer, lstm_layer, encoder_layer, norm_layer,
                                pool_layer, activation_layer, dropout_layer, residual_layer>;

} // namespace tensorloom::workloads
