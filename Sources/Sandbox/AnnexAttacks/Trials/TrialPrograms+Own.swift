internal import AnnexLaunch

extension TrialPrograms {
    /// The trial's program for this processor.
    static let own = file(Machine.name) ?? []

    /// A 32-bit program for x86. It reports that it has begun, in the form of a trial's answer, and exits.
    static let foreign: [UInt8] = {
        var bytes: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 1, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
        bytes.append(word: UInt16(2))
        bytes.append(word: UInt16(3))
        // The words are version, entry, program headers, section headers and flags.
        for word in [1, 0x0804_8054, 52, 0, 0] as [UInt32] { bytes.append(word: word) }
        for half in [52, 32, 1, 0, 0, 0] as [UInt16] { bytes.append(word: half) }
        // One segment: type, offset, addresses, sizes, flags (readable and executable) and alignment.
        for word in [1, 0, 0x0804_8000, 0x0804_8000, 132, 132, 5, 0x1000] as [UInt32] { bytes.append(word: word) }
        // write(4, 0x8048074, 16); exit(0), by the 32-bit gate.
        bytes += [0xb8, 4, 0, 0, 0, 0xbb, 4, 0, 0, 0, 0xb9, 0x74, 0x80, 0x04, 0x08, 0xba, 16, 0, 0, 0, 0xcd, 0x80]
        bytes += [0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80, 0x90]
        bytes.append(word: TrialAnswers.begun)
        return bytes + [UInt8](repeating: 0, count: 12)
    }()
}
