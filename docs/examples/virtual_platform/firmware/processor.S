/* Start-up, the entry of traps, and the functions that access control and status registers. Compiled apart, with
 * Zicsr: the C library has no variant for it. */

    .section .start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_top
    la t0, trap_entry
    csrw mtvec, t0
    la t0, bss_begin
    la t1, bss_end
    bgeu t0, t1, 2f
1:  sw zero, 0(t0)
    addi t0, t0, 4
    bltu t0, t1, 1b
2:  call run_firmware   /* with the firmware_work in a0; its result is the status */
    call end_simulation

    .text
    .balign 4
trap_entry:             /* pc = trap(mcause, mepc) */
    addi sp, sp, -64
    sw ra, 0(sp)
    sw t0, 4(sp)
    sw t1, 8(sp)
    sw t2, 12(sp)
    sw t3, 16(sp)
    sw t4, 20(sp)
    sw t5, 24(sp)
    sw t6, 28(sp)
    sw a0, 32(sp)
    sw a1, 36(sp)
    sw a2, 40(sp)
    sw a3, 44(sp)
    sw a4, 48(sp)
    sw a5, 52(sp)
    sw a6, 56(sp)
    sw a7, 60(sp)
    csrr a0, mcause
    csrr a1, mepc
    call trap
    csrw mepc, a0
    lw ra, 0(sp)
    lw t0, 4(sp)
    lw t1, 8(sp)
    lw t2, 12(sp)
    lw t3, 16(sp)
    lw t4, 20(sp)
    lw t5, 24(sp)
    lw t6, 28(sp)
    lw a0, 32(sp)
    lw a1, 36(sp)
    lw a2, 40(sp)
    lw a3, 44(sp)
    lw a4, 48(sp)
    lw a5, 52(sp)
    lw a6, 56(sp)
    lw a7, 60(sp)
    addi sp, sp, 64
    mret

    .globl enable_interrupts   /* void enable_interrupts(uint32_t sources): sets mie, and mstatus.MIE */
enable_interrupts:
    csrw mie, a0
    csrsi mstatus, 8
    ret

    .globl mask_interrupts
mask_interrupts:
    csrci mstatus, 8
    ret

    .globl unmask_interrupts
unmask_interrupts:
    csrsi mstatus, 8
    ret

    .globl wait_for_interrupt  /* returns when an interrupt is pending, also while interrupts are masked */
wait_for_interrupt:
    wfi
    ret
