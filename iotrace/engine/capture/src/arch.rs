//! Where the registers of a call stand in the kernel's `struct pt_regs` at its return.

/// The part of `struct pt_regs` that is read, and offsets from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// Where the part begins.
    pub start: i32,
    pub bytes: i32,
    /// The call's number, of `number_bytes` bytes.
    pub number: i16,
    pub number_is_32_bits: bool,
    pub arguments: [i16; 6],
    /// What says that a call is one of a 32-bit program: a register, its bits that count, and their value.
    pub mode: (i16, i32, i32),
}

/// `arch/x86/include/asm/ptrace.h`: r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs; cs of 32-bit programs is 0x23.
pub const X86_64: Registers = Registers {
    start: 56,
    bytes: 88,
    number: 64,
    number_is_32_bits: false,
    arguments: [56, 48, 40, 0, 16, 8],
    mode: (80, 0xffff, 0x23),
};

/// `arch/arm64/include/asm/ptrace.h`: the first argument is in orig_x0, as x0 has the result; a bit of pstate says that
/// a program is of 32 bits.
pub const AARCH64: Registers = Registers {
    start: 0,
    bytes: 288,
    number: 280,
    number_is_32_bits: true,
    arguments: [272, 8, 16, 24, 32, 40],
    mode: (264, 0x10, 0x10),
};

/// The architecture that this is built for.
#[cfg(target_arch = "aarch64")]
pub const HERE: Registers = AARCH64;
/// The architecture that this is built for.
#[cfg(not(target_arch = "aarch64"))]
pub const HERE: Registers = X86_64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_the_kernels_headers() {
        // struct pt_regs of x86: r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax, of 8 bytes each
        let x86 = [
            "r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", "dx", "si", "di",
            "orig_ax", "ip", "cs",
        ];
        let offset =
            |name: &str| x86.iter().position(|&one| one == name).map(|place| 8 * place as i32 - X86_64.start);
        let arguments = ["di", "si", "dx", "r10", "r8", "r9"].map(|name| offset(name).unwrap_or(-1) as i16);
        assert_eq!(X86_64.arguments, arguments);
        assert_eq!(offset("orig_ax"), Some(i32::from(X86_64.number)));
        assert_eq!(offset("cs"), Some(i32::from(X86_64.mode.0)));
        assert_eq!(offset("cs").map(|cs| cs + 8), Some(X86_64.bytes));
        // of arm64: regs[31] sp pc pstate orig_x0 of 8 bytes each, then syscallno of 4
        let after = 8 * (31 + 3);
        assert_eq!(AARCH64.arguments, [after as i16, 8, 16, 24, 32, 40]);
        assert_eq!(AARCH64.number, after as i16 + 8);
        assert_eq!(AARCH64.mode.0, after as i16 - 8);
    }
}
