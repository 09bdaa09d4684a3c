// A processing element of FETTA's contraction engine: a multiply-add, two registers for IB, of which one is active and
// the other one the shadow, a register for the sum and a shadow of it. The signals of its row say what it does:
//
//     step     psum <= psum_above + ia ib, of the active IB; output_stationary: psum <= psum (starts: 0) + ia ib_above
//     shift    the shadow IB takes ib_above; horizontal: ib_left
//     finish   the shadow sum takes psum, as it is before this cycle
//     move     the shadow sum takes shadow_above
//
// `second` selects the active IB. The SystemC twin is a PE of fetta::contraction_engine. FORMAT as in mac.v.
module engine_element #(
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter SUM = 32
) (
    input  wire                 clock,
    // data path
    input  wire                 output_stationary,
    input  wire                 horizontal,
    // row
    input  wire                 second,
    input  wire                 starts,
    input  wire                 step,
    input  wire                 shift,
    input  wire                 finish,
    input  wire                 move,
    input  wire [ELEMENT - 1:0] ia,
    // neighbours
    input  wire [ELEMENT - 1:0] ib_above,
    input  wire [ELEMENT - 1:0] ib_left,
    input  wire [SUM - 1:0]     psum_above,
    input  wire [SUM - 1:0]     shadow_above,
    output wire [ELEMENT - 1:0] ib_shadow,
    // registers
    output reg  [ELEMENT - 1:0] ib_first,
    output reg  [ELEMENT - 1:0] ib_second,
    output reg  [SUM - 1:0]     psum,
    output reg  [SUM - 1:0]     psum_shadow
);
    assign ib_shadow = second ? ib_first : ib_second;
    wire [ELEMENT - 1:0] ib_active = second ? ib_second : ib_first;

    wire [SUM - 1:0] acc = !output_stationary ? psum_above : starts ? {SUM{1'b0}} : psum;
    wire [ELEMENT - 1:0] ib = output_stationary ? ib_above : ib_active;
    wire [SUM - 1:0] sum;
    wire unused_overflow;
    mac #(.FORMAT(FORMAT), .ELEMENT(ELEMENT), .SUM(SUM))
        multiply_add(.acc(acc), .x(ia), .c(ib), .result(sum), .overflow(unused_overflow));

    wire [ELEMENT - 1:0] ib_in = horizontal ? ib_left : ib_above;

    always @(posedge clock) begin
        if (step) psum <= sum;
        if (shift && second) ib_first <= ib_in;
        if (shift && !second) ib_second <= ib_in;
        if (finish) psum_shadow <= psum;
        else if (move) psum_shadow <= shadow_above;
    end
endmodule
