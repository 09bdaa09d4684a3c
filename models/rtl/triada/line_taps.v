// The taps of a cell on its three operand lines: lateral, frontal and horizontal, modes 0, 1 and 2; combinational.
// In a stage one of them is the cell's X line and another one its Y line.
module line_taps #(
    parameter ELEMENT = 32
) (
    input  wire [1:0]           x_mode,
    input  wire [1:0]           y_mode,
    // the lines, by mode
    input  wire [2:0]           valid,
    input  wire [2:0]           tags,
    input  wire [ELEMENT - 1:0] lateral,
    input  wire [ELEMENT - 1:0] frontal,
    input  wire [ELEMENT - 1:0] horizontal,
    // what the cell sees
    output wire                 x_valid,
    output wire                 x_tag,
    output wire [ELEMENT - 1:0] x_element,
    output wire                 y_valid,
    output wire [ELEMENT - 1:0] y_element
);
    assign x_valid = valid[x_mode];
    assign x_tag = tags[x_mode];
    assign x_element = x_mode == 0 ? lateral : x_mode == 1 ? frontal : horizontal;
    assign y_valid = valid[y_mode];
    assign y_element = y_mode == 0 ? lateral : y_mode == 1 ? frontal : horizontal;
endmodule
