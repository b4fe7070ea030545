internal import AnnexSandbox

extension TrialPrograms {
    /// The program for this processor.
    static let own = file(Machine.name) ?? []

    /// A 32-bit program of an x86 processor that ends with 42.
    static let foreign: [UInt8] = {
        var bytes: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 1, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
        bytes.append(word: UInt16(2))
        bytes.append(word: UInt16(3))
        // Version, entry, program headers, section headers, flags.
        for word in [1, 0x0804_8054, 52, 0, 0] as [UInt32] { bytes.append(word: word) }
        for half in [52, 32, 1, 0, 0, 0] as [UInt16] { bytes.append(word: half) }
        // One segment: loaded, from 0, addresses, sizes, readable and executable.
        for word in [1, 0, 0x0804_8000, 0x0804_8000, 96, 96, 5, 0x1000] as [UInt32] { bytes.append(word: word) }
        return bytes + [0xbb, 42, 0, 0, 0, 0xb8, 1, 0, 0, 0, 0xcd, 0x80]
    }()
}
