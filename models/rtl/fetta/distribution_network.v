// FETTA's distribution network: a transpose layer, then a butterfly of 2:1 multiplexers, whose levels join the ports that
// differ in one bit, the highest bit first. A set bit q PORTS + p of `diagonal` connects output p of the level on bit q to
// the input at the other end of its diagonal. Combinational. PORTS is a power of two; with an odd power there is no
// transpose layer.
//
// The SystemC twin is fetta::distribution_network.
module distribution_network #(
    parameter PORTS = 16,
    parameter BEAT = 128, // bits of a port
    parameter LEVELS = $clog2(PORTS)
) (
    input  wire [PORTS - 1:0]                 valid_in,
    input  wire [PORTS * BEAT - 1:0]          in,
    input  wire [LEVELS * PORTS - 1:0]        diagonal,
    input  wire                               transpose,
    // after each level; the last one is the output
    output wire [LEVELS * PORTS - 1:0]        valid,
    output wire [LEVELS * PORTS * BEAT - 1:0] out
);
    localparam HALF = LEVELS / 2;

    wire [PORTS - 1:0] valid_transposed;
    wire [PORTS * BEAT - 1:0] transposed;

    genvar l, p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : layer
            localparam FROM = LEVELS % 2 == 0 ? ((p & ((1 << HALF) - 1)) << HALF) | (p >> HALF) : p;
            assign valid_transposed[p] = transpose ? valid_in[FROM] : valid_in[p];
            assign transposed[p * BEAT +: BEAT] = transpose ? in[FROM * BEAT +: BEAT] : in[p * BEAT +: BEAT];
        end
        for (l = 0; l < LEVELS; l = l + 1) begin : level
            localparam BIT = LEVELS - 1 - l;
            wire [PORTS - 1:0] valid_here, valid_next;
            wire [PORTS * BEAT - 1:0] beats_in, beats_out;
            if (l == 0) begin : first
                assign valid_here = valid_transposed;
                assign beats_in = transposed;
            end else begin : later
                assign valid_here = level[l - 1].valid_next;
                assign beats_in = level[l - 1].beats_out;
            end
            for (p = 0; p < PORTS; p = p + 1) begin : multiplexer
                localparam OTHER = p ^ (1 << BIT);
                wire across = diagonal[BIT * PORTS + p];
                assign valid_next[p] = across ? valid_here[OTHER] : valid_here[p];
                assign beats_out[p * BEAT +: BEAT] = across ? beats_in[OTHER * BEAT +: BEAT] : beats_in[p * BEAT +: BEAT];
            end
            assign valid[l * PORTS +: PORTS] = valid_next;
            assign out[l * PORTS * BEAT +: PORTS * BEAT] = beats_out;
        end
    endgenerate
endmodule
