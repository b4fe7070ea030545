public import Foundation

/// The parts of a statically linked program that the check of a bundle reads. The program cannot be started.
public enum StaticProgram {
    /// An ELF header without program headers.
    /// - Parameters:
    ///   - elfClass: the class of the file; 2 means 64 bits.
    ///   - machine: a machine number of ELF; nil for this machine's.
    public static func header(class elfClass: UInt8 = 2, machine: UInt8? = nil) -> Data {
        let identification: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, elfClass, 1, 1] + [UInt8](repeating: 0, count: 9)
        let rest = [UInt8](repeating: 0, count: 44)
        return Data(identification + [2, 0, machine ?? ownMachine, 0] + rest)
    }

    #if arch(x86_64)
        private static let ownMachine: UInt8 = 62
    #else
        private static let ownMachine: UInt8 = 183
    #endif
}
