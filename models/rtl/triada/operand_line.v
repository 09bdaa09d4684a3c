// One straight operand line with its drivers; combinational. The actuator's face drives it with a coefficient and its
// tag, or the one pivot among its SIDE cells with an operand. Drivers are gated and joined by OR: there is no
// tri-state. A line without a driver carries zeros.
//
// The SystemC twin is triada::operand_line.
module operand_line #(
    parameter SIDE = 4,
    parameter ELEMENT = 32
) (
    // the face
    input  wire                        face_valid,
    input  wire                        face_tag,
    input  wire [ELEMENT - 1:0]        face_element,
    // its cells
    input  wire [SIDE - 1:0]           drive,
    input  wire [SIDE * ELEMENT - 1:0] driven,
    // what all cells on it see
    output reg                         valid,
    output reg                         tag,
    output reg  [ELEMENT - 1:0]        element
);
    integer c;
    always @* begin
        valid = face_valid || |drive;
        tag = face_valid && face_tag;
        element = face_valid ? face_element : {ELEMENT{1'b0}};
        for (c = 0; c < SIDE; c = c + 1) element = element | (driven[c * ELEMENT +: ELEMENT] & {ELEMENT{drive[c]}});
    end
endmodule
