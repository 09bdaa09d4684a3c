// A processing element of a weight-stationary systolic array: left operands move right, sums move down.
//
//     every cycle with valid data    right <= left;  below <= above + left x weight
//     data that is not valid         registers keep theirs
//
// With SHADOW = 1 the element has two weight registers. A weight that is loaded goes to the one that is not in use, and
// the token of a tile's end, which moves like the data, makes the two change their parts. In a column that loads, the
// number of the arriving row passes all elements: those at or above that depth shift, so that row t stops at depth t.
// A direct load goes to the register in use, which is the first one from then on; its column shifts as a whole, as with
// SHADOW = 0, where there is one register.
//
// The SystemC twin is an element of blocks::detailed_systolic_array.
module systolic_element #(
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter SUM = 32,
    parameter SHADOW = 1,
    parameter ROW_BITS = 2
) (
    input  wire                  clock,
    input  wire                  clear,     // data in flight is dropped
    input  wire [ROW_BITS - 1:0] depth,     // the element's row in the array: constant
    // left to right
    input  wire                  valid_in,
    input  wire                  end_in,
    input  wire [ELEMENT - 1:0]  left,
    output reg                   valid,
    output reg                   ends,
    output reg  [ELEMENT - 1:0]  right,
    // down
    input  wire [SUM - 1:0]      above,
    output reg  [SUM - 1:0]      below,
    output reg                   overflow,  // of the sum in `below`, in the cycle after it was taken
    // weights, down
    input  wire                  load,
    input  wire                  direct,
    input  wire [ROW_BITS - 1:0] load_row,
    input  wire [ELEMENT - 1:0]  weight_in,
    output wire [ELEMENT - 1:0]  weight_out,
    output wire [ELEMENT - 1:0]  weight     // in use
);
    wire [SUM - 1:0] sum;
    wire wraps;
    mac #(.FORMAT(FORMAT), .ELEMENT(ELEMENT), .SUM(SUM))
        multiply_add(.acc(above), .x(left), .c(weight), .result(sum), .overflow(wraps));

    always @(posedge clock) begin
        if (clear) valid <= 1'b0;
        else valid <= valid_in;
        overflow <= valid_in && wraps;
        if (valid_in) begin
            right <= left;
            below <= sum;
        end
    end

    generate
        if (SHADOW != 0) begin : two_weights
            reg [ELEMENT - 1:0] first, second;
            reg uses_second;
            wire to_first = direct || uses_second;
            wire takes = load && (direct || depth <= load_row);
            assign weight = uses_second ? second : first;
            assign weight_out = to_first ? first : second;
            always @(posedge clock) begin
                ends <= end_in && !clear;
                if (load && direct) uses_second <= 1'b0;
                else if (end_in && !clear) uses_second <= !uses_second;
                if (takes && to_first) first <= weight_in;
                if (takes && !to_first) second <= weight_in;
            end
        end else begin : one_weight
            reg [ELEMENT - 1:0] only;
            assign weight = only;
            assign weight_out = only;
            always @(posedge clock) begin
                ends <= 1'b0;
                if (load) only <= weight_in;
            end
            wire unused = &{1'b0, depth, direct, load_row, end_in};
        end
    endgenerate
endmodule
