// A bank of FETTA's accumulation unit, apart from its memory: an adder per lane. In a cycle with a beat it reads a row of
// sums; adds: the beat is added to it, else it replaces it. passes_on: the sum leaves, and the row becomes 0; else the sum
// becomes the row. `write` and `written` go to the memory in the same cycle, the sum leaves in the next one.
//
// The SystemC twin is a bank of fetta::accumulation_unit.
module accumulator_bank #(
    parameter LANES = 4,
    parameter EXPONENT = 8, // of the sums
    parameter FRACTION = 23,
    parameter SUM = 1 + EXPONENT + FRACTION
) (
    input  wire                     clock,
    input  wire                     valid_in,
    input  wire [LANES * SUM - 1:0] beat,
    input  wire                     adds,
    input  wire                     passes_on,
    // memory, at the row of this cycle
    input  wire [LANES * SUM - 1:0] stored,
    output wire                     write,
    output wire [LANES * SUM - 1:0] written,
    // what leaves
    output reg                      valid,
    output reg  [LANES * SUM - 1:0] out
);
    wire [LANES * SUM - 1:0] total;
    genvar lane;
    generate
        for (lane = 0; lane < LANES; lane = lane + 1) begin : lanes
            adder #(.EXPONENT(EXPONENT), .FRACTION(FRACTION)) add(
                .left(stored[lane * SUM +: SUM]), .right(beat[lane * SUM +: SUM]), .sum(total[lane * SUM +: SUM]));
        end
    endgenerate
    wire [LANES * SUM - 1:0] sum = adds ? total : beat;

    assign write = valid_in;
    assign written = passes_on ? {LANES * SUM{1'b0}} : sum;
    always @(posedge clock) begin
        valid <= valid_in && passes_on;
        out <= sum;
    end
endmodule
