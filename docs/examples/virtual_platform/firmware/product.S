/* The program that the assembler made of product.asm. */
    .data
    .balign 16
    .globl product_program, product_program_end
product_program:
    .incbin "product.bin"
product_program_end:
