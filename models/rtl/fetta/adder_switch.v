// A switch of FETTA's reduction network: two inputs, two outputs, and an adder per lane. A set bit of `diagonal` sends an
// input to the other output; at an output that both reach, their sum leaves, the left one first:
//
//     left, right diagonal    0, 0   pass         1, 1   swap
//                             0, 1   sum at left  1, 0   sum at right; the other output has nothing
//
// An input that is not valid is absent: the other one passes unchanged. Combinational.
module adder_switch #(
    parameter LANES = 4,
    parameter EXPONENT = 8, // of the sums
    parameter FRACTION = 23,
    parameter SUM = 1 + EXPONENT + FRACTION
) (
    input  wire                     left_valid,
    input  wire                     right_valid,
    input  wire                     left_diagonal,
    input  wire                     right_diagonal,
    input  wire [LANES * SUM - 1:0] left,
    input  wire [LANES * SUM - 1:0] right,
    output wire                     left_out_valid,
    output wire                     right_out_valid,
    output wire [LANES * SUM - 1:0] left_out,
    output wire [LANES * SUM - 1:0] right_out
);
    wire [LANES * SUM - 1:0] sum;
    genvar lane;
    generate
        for (lane = 0; lane < LANES; lane = lane + 1) begin : lanes
            adder #(.EXPONENT(EXPONENT), .FRACTION(FRACTION)) add(
                .left(left[lane * SUM +: SUM]), .right(right[lane * SUM +: SUM]), .sum(sum[lane * SUM +: SUM]));
        end
    endgenerate

    wire left_stays = left_valid && !left_diagonal;
    wire left_crosses = left_valid && left_diagonal;
    wire right_stays = right_valid && !right_diagonal;
    wire right_crosses = right_valid && right_diagonal;
    assign left_out_valid = left_stays || right_crosses;
    assign right_out_valid = right_stays || left_crosses;
    assign left_out = left_stays && right_crosses ? sum : left_stays ? left : right;
    assign right_out = right_stays && left_crosses ? sum : right_stays ? right : left;
endmodule
