// An actuator: a store of one window of a coefficient matrix, with a tag bit per element, and the face that it drives.
// `fetch` reads a row of the store into its output registers, which drive the face until the next fetch. An element
// without tag that is zero is not driven with `esop`; elements from `length` on never are.
//
// The SystemC twin is triada::actuator. FORMAT as in mac.v.
module actuator #(
    parameter FORMAT = 2,
    parameter ELEMENT = 32,
    parameter ROWS = 8,   // of the store
    parameter LENGTH = 8, // elements of a row
    parameter ROW = $clog2(ROWS),
    parameter SIZE = $clog2(LENGTH + 1)
) (
    input  wire                          clock,
    // memory port
    input  wire                          write,
    input  wire [ROW - 1:0]              write_row,
    input  wire [LENGTH * ELEMENT - 1:0] write_elements,
    input  wire [LENGTH - 1:0]           write_tags,
    // stage control
    input  wire                          esop,
    input  wire [SIZE - 1:0]             length,
    input  wire                          fetch,
    input  wire [ROW - 1:0]              row,
    output reg  [ROWS - 1:0]             nonzero, // by row: an element is not zero
    // face
    output reg  [LENGTH - 1:0]           valid,
    output reg  [LENGTH - 1:0]           tags,
    output reg  [LENGTH * ELEMENT - 1:0] elements
);
    reg [LENGTH * ELEMENT - 1:0] store [0:ROWS - 1];
    reg [LENGTH - 1:0] stored_tags [0:ROWS - 1];

    // Which elements are not zero; the sign of a zero does not matter.
    localparam MAGNITUDE = FORMAT == 0 ? ELEMENT : ELEMENT - 1;
    reg [LENGTH - 1:0] written_nonzeros, nonzeros;
    integer k;
    always @* begin
        for (k = 0; k < LENGTH; k = k + 1) begin
            written_nonzeros[k] = write_elements[k * ELEMENT +: MAGNITUDE] != 0;
            nonzeros[k] = elements[k * ELEMENT +: MAGNITUDE] != 0;
            valid[k] = k[SIZE - 1:0] < length && (!esop || tags[k] || nonzeros[k]);
        end
    end

    always @(posedge clock) begin
        if (write) begin
            store[write_row] <= write_elements;
            stored_tags[write_row] <= write_tags;
            nonzero[write_row] <= |written_nonzeros;
        end
        if (fetch) begin
            elements <= store[row];
            tags <= stored_tags[row];
        end
    end
endmodule
