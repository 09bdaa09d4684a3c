// A cell of TriADA's mesh: registers for sums and one multiply-add, between its X and its Y line (line_taps.v). It knows
// neither its position nor the problem. A time-step takes three clocks, which the stage control announces to all cells:
//
//     x_phase    the X line delivers: a coefficient and its tag are latched
//     y_phase    a pivot (tag = 1) drives its element of `source` onto its Y line; the line delivers: it is latched
//     mac_phase  a cell with both adds their product to `target`
//
// esop: a coefficient that is zero makes the cell wait for nothing; a pivot does not drive an element whose modulus is
// at most `threshold`, a number of the element's format. Only a cell that is `active` takes part.
//
// Pointwise operations change the element of `source` in mac_phase instead; `value` is the latched coefficient:
//
//     1 multiply   x b, b of the register `operand`      4 threshold   0 where |x| <= value, else x
//     2 add        x + b value                           5 relu        0 where x <= 0, else x
//     3 scale      x value
//
// The SystemC twin is triada::cell; its events are the outputs at the end. FORMAT as in mac.v.
module mesh_cell #(
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter SUM = 32,
    parameter REGISTERS = 4,
    parameter INDEX = $clog2(REGISTERS) // bits of a register's number
) (
    input  wire                 clock,
    // memory port
    input  wire                 activate,
    input  wire                 activate_as,
    input  wire                 write,
    input  wire [INDEX - 1:0]   write_register,
    input  wire [SUM - 1:0]     write_sum,
    input  wire [INDEX - 1:0]   read_register,
    output wire [SUM - 1:0]     read_sum,
    // stage control
    input  wire                 x_phase,
    input  wire                 y_phase,
    input  wire                 mac_phase,
    input  wire [INDEX - 1:0]   source,
    input  wire [INDEX - 1:0]   target,
    input  wire [4:0]           shift,
    input  wire                 esop,
    input  wire [ELEMENT - 1:0] threshold,
    input  wire [2:0]           pointwise, // 0: none
    input  wire [INDEX - 1:0]   operand,
    // lines
    input  wire                 x_valid,
    input  wire                 x_tag,
    input  wire [ELEMENT - 1:0] x_element,
    input  wire                 y_valid,
    input  wire [ELEMENT - 1:0] y_element,
    output wire                 y_drive,   // in y_phase
    output wire [ELEMENT - 1:0] y_driven,
    // what its Y line carried in y_phase, in registers: mac_phase has no path through the line
    output reg                  has_operand,
    output reg  [ELEMENT - 1:0] line_operand,
    // events of the phase before
    output reg                  latched,   // a coefficient
    output wire                 saturated, // in y_phase: the pivot's element; in a pointwise step: x
    output reg                  multiplied,
    output reg                  overflowed
);
    localparam [2:0] MULTIPLY = 1, ADD = 2, SCALE = 3, THRESHOLD = 4, RELU = 5;

    reg [SUM - 1:0] sums [0:REGISTERS - 1];
    reg active, is_pivot, waits;
    reg [ELEMENT - 1:0] coefficient;

    assign read_sum = sums[read_register];

    // ---- the element of the source, and of the operand ----

    wire [ELEMENT - 1:0] element, other;
    wire element_saturated, unused_saturated;
    narrowing #(.FORMAT(FORMAT), .ELEMENT(ELEMENT), .SUM(SUM))
        of_source(.sum(sums[source]), .shift(shift), .element(element), .saturated(element_saturated));
    narrowing #(.FORMAT(FORMAT), .ELEMENT(ELEMENT), .SUM(SUM))
        of_operand(.sum(sums[operand]), .shift(5'd0), .element(other), .saturated(unused_saturated));

    wire is_small, small_for_value, positive;
    magnitude #(.FORMAT(FORMAT), .ELEMENT(ELEMENT))
        of_element(.element(element), .limit(threshold), .is_within(is_small), .positive(positive));
    wire unused_positive;
    magnitude #(.FORMAT(FORMAT), .ELEMENT(ELEMENT))
        of_value(.element(element), .limit(coefficient), .is_within(small_for_value), .positive(unused_positive));

    wire drives = active && latched && is_pivot && pointwise == 0;
    assign y_drive = y_phase && drives && !(esop && is_small);
    assign y_driven = element;
    assign saturated = element_saturated && ((y_phase && drives) || (mac_phase && active && pointwise != 0));

    // ---- the multiply-add ----

    reg [SUM - 1:0] wide; // the element as a sum
    reg [SUM - 1:0] acc;
    reg [ELEMENT - 1:0] left, right;
    always @* begin
        wide = 0;
        if (FORMAT == 0) wide = {{SUM - ELEMENT + 1{element[ELEMENT - 1]}}, element[ELEMENT - 2:0]};
        else wide[SUM - 1 -: ELEMENT] = element;
        acc = pointwise == 0 ? sums[target] : pointwise == ADD ? wide : 0;
        left = pointwise == 0 ? line_operand : pointwise == ADD ? other : element;
        right = pointwise == MULTIPLY ? other : coefficient;
    end
    wire [SUM - 1:0] sum;
    wire wraps;
    mac #(.FORMAT(FORMAT), .ELEMENT(ELEMENT), .SUM(SUM))
        multiply_add(.acc(acc), .x(left), .c(right), .result(sum), .overflow(wraps));

    // the sign of a zero does not matter
    wire left_is_zero = FORMAT == 0 ? left == 0 : left[ELEMENT - 2:0] == 0;
    wire right_is_zero = FORMAT == 0 ? right == 0 : right[ELEMENT - 2:0] == 0;
    wire skips = esop && (left_is_zero || right_is_zero);
    wire multiplies = pointwise == 0 ? active && waits && has_operand :
                                       active && pointwise <= SCALE && !skips;
    wire x_is_zero = FORMAT == 0 ? x_element == 0 : x_element[ELEMENT - 2:0] == 0;
    reg [SUM - 1:0] changed;
    always @* begin
        case (pointwise)
            THRESHOLD: changed = small_for_value ? 0 : wide;
            RELU: changed = positive ? wide : 0;
            default: changed = skips ? acc : sum;
        endcase
    end

    always @(posedge clock) begin
        if (activate) active <= activate_as;
        if (x_phase) begin
            latched <= active && x_valid;
            is_pivot <= x_tag;
            waits <= active && x_valid && !(esop && x_is_zero);
            if (active && x_valid) coefficient <= x_element;
        end
        if (y_phase) begin
            has_operand <= y_valid;
            line_operand <= y_element;
        end
        if (write) sums[write_register] <= write_sum;
        else if (mac_phase && active && pointwise != 0) sums[source] <= changed;
        else if (mac_phase && multiplies) sums[target] <= sum;
        multiplied <= mac_phase && multiplies;
        overflowed <= mac_phase && multiplies && wraps;
        if (mac_phase) waits <= 1'b0;
    end
endmodule
