// A weight-stationary systolic array of SIDE x SIDE elements. Row i of the operands arrives at the left of row i, sums
// leave at the bottom; rows are skewed at the edges. Element (i, j) is number i SIDE + j of every bus.
//
// The SystemC twin is blocks::detailed_systolic_array.
module systolic_array #(
    parameter SIDE = 4,
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter SUM = 32,
    parameter SHADOW = 1,
    parameter ROW_BITS = SIDE > 1 ? $clog2(SIDE) : 1
) (
    input  wire                             clock,
    input  wire                             clear,
    input  wire [SIDE - 1:0]                valid_in, // by row
    input  wire [SIDE - 1:0]                end_in,
    input  wire [SIDE * ELEMENT - 1:0]      left,
    input  wire [SIDE - 1:0]                load,     // by column
    input  wire                             direct,
    input  wire [SIDE * ROW_BITS - 1:0]     load_row,
    input  wire [SIDE * ELEMENT - 1:0]      weight_in,
    // the registers of all elements; the array's results are the sums of its last row
    output wire [SIDE * SIDE - 1:0]         valid,
    output wire [SIDE * SIDE - 1:0]         ends,
    output wire [SIDE * SIDE * ELEMENT - 1:0] right,
    output wire [SIDE * SIDE * SUM - 1:0]   below,
    output wire [SIDE * SIDE * ELEMENT - 1:0] weight,
    output wire [SIDE * SIDE * ELEMENT - 1:0] shadow,
    output wire [SIDE * SIDE - 1:0]         overflow
);
    genvar i, j;
    generate
        for (i = 0; i < SIDE; i = i + 1) begin : row
            for (j = 0; j < SIDE; j = j + 1) begin : column
                localparam AT = i * SIDE + j;
                localparam LEFT = AT - 1;
                localparam ABOVE = AT - SIDE;
                wire valid_at, end_at;
                wire [ELEMENT - 1:0] left_at, weight_at;
                wire [SUM - 1:0] above_at;
                if (j == 0) begin : edge_left
                    assign valid_at = valid_in[i];
                    assign end_at = end_in[i];
                    assign left_at = left[i * ELEMENT +: ELEMENT];
                end else begin : inner_left
                    assign valid_at = valid[LEFT];
                    assign end_at = ends[LEFT];
                    assign left_at = right[LEFT * ELEMENT +: ELEMENT];
                end
                if (i == 0) begin : edge_top
                    assign above_at = {SUM{1'b0}};
                    assign weight_at = weight_in[j * ELEMENT +: ELEMENT];
                end else begin : inner_top
                    assign above_at = below[ABOVE * SUM +: SUM];
                    assign weight_at = shadow[ABOVE * ELEMENT +: ELEMENT];
                end
                systolic_element #(
                    .FORMAT(FORMAT), .ELEMENT(ELEMENT), .SUM(SUM), .SHADOW(SHADOW), .ROW_BITS(ROW_BITS)
                ) element(
                    .clock(clock), .clear(clear), .depth(i[ROW_BITS - 1:0]),
                    .valid_in(valid_at), .end_in(end_at), .left(left_at),
                    .valid(valid[AT]), .ends(ends[AT]), .right(right[AT * ELEMENT +: ELEMENT]),
                    .above(above_at), .below(below[AT * SUM +: SUM]), .overflow(overflow[AT]),
                    .load(load[j]), .direct(direct), .load_row(load_row[j * ROW_BITS +: ROW_BITS]),
                    .weight_in(weight_at), .weight_out(shadow[AT * ELEMENT +: ELEMENT]),
                    .weight(weight[AT * ELEMENT +: ELEMENT]));
            end
        end
    endgenerate
endmodule
