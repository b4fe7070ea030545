/// The fields of `/proc/PID/status` that are used for a thread.
package struct ProcessStatus: Sendable, Hashable {
    /// The process that the thread belongs to, in the reader's pid namespace.
    package let process: UInt32
    /// Whether an unblocked signal is pending for the thread.
    package let hasPendingSignal: Bool
    /// The real user, in the reader's numbers; nil if the kernel does not state it.
    package let user: UInt32?
    /// How many process namespaces it is in, from the one of this `/proc` inwards: 1 is the outermost.
    package let namespaces: Int

    /// Parses the file; nil if it names no process. The first line holds the thread's name, which the process chose,
    /// and is skipped. The kernel escapes a newline in it. A key counts only at the beginning of a line, and only its
    /// first line.
    package static func read(_ bytes: [UInt8]) -> ProcessStatus? {
        let lines = bytes.prefix(1 << 16).split(separator: UInt8(ascii: "\n"), maxSplits: 128).dropFirst()
        guard let process = value(of: "Tgid", in: lines).flatMap(NumberText.decimal).flatMap({ UInt32(exactly: $0) })
        else { return nil }
        let sets = ["SigPnd", "ShdPnd", "SigBlk"].map { value(of: $0, in: lines).flatMap(NumberText.hexadecimal) ?? 0 }
        return ProcessStatus(
            process: process, hasPendingSignal: (sets[0] | sets[1]) & ~sets[2] != 0,
            user: words(of: "Uid", in: lines).first.flatMap(NumberText.decimal).flatMap { UInt32(exactly: $0) },
            namespaces: words(of: "NSpid", in: lines).count)
    }

    /// Whether both have the same user and are as deep in process namespaces, or the kernel does not state it.
    package func mayShareNamespaces(with other: ProcessStatus) -> Bool {
        (user == nil || other.user == nil || user == other.user)
            && (namespaces == 0 || other.namespaces == 0 || namespaces == other.namespaces)
    }

    private static func words(of key: String, in lines: ArraySlice<ArraySlice<UInt8>>) -> [ArraySlice<UInt8>] {
        value(of: key, in: lines)?.split(separator: UInt8(ascii: "\t")) ?? []
    }

    private static func value(
        of key: String, in lines: ArraySlice<ArraySlice<UInt8>>
    ) -> ArraySlice<UInt8>? {
        let start = Array("\(key):\t".utf8)
        return lines.first { $0.starts(with: start) }?.dropFirst(start.count)
    }
}
