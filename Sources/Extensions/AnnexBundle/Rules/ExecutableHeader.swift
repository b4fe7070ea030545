/// Checks the first bytes of an ELF file: is it a program for this machine?
struct ExecutableHeader: Equatable {
    /// The bytes of the header that the check needs.
    static let size = 20

    /// Why this machine cannot run a file that begins with these bytes; nil if it can.
    static func fault(in bytes: [UInt8]) -> String? {
        guard bytes.count >= size, bytes.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")])
        else { return "is no ELF program" }
        guard bytes[4] == 2, bytes[5] == 1 else { return "is not a 64-bit little-endian program" }
        let type = UInt16(bytes[16]) | UInt16(bytes[17]) << 8
        guard type == 2 || type == 3 else { return "is an ELF file but no program" }
        let machine = UInt16(bytes[18]) | UInt16(bytes[19]) << 8
        guard machine == ownMachine else {
            return "is for \(name(of: machine)), this machine is \(name(of: ownMachine))"
        }
        return nil
    }

    #if arch(x86_64)
        private static let ownMachine: UInt16 = 62
    #elseif arch(arm64)
        private static let ownMachine: UInt16 = 183
    #endif

    private static func name(of machine: UInt16) -> String {
        switch machine {
        case 3: "x86 (32 bits)"
        case 40: "ARM (32 bits)"
        case 62: "x86-64"
        case 183: "aarch64"
        case 243: "RISC-V"
        default: "machine \(machine)"
        }
    }
}
