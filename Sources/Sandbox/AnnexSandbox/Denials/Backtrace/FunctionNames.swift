internal import AnnexLinux
internal import Synchronization

/// The functions that were found in programs before: one that crashes or is refused the same again and again has its
/// symbols read once.
final class FunctionNames: Sendable {
    /// A file as it was at one moment. The kernel sets the moment of the last change; no program can set it back.
    struct Version: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let changed: Int64

        /// Nil for what is no regular file.
        init?(of file: borrowing Descriptor) {
            guard let found = try? file.status(), found.kind == .regular else { return nil }
            device = found.device
            inode = found.inode
            size = found.size
            changed = found.changed
        }
    }

    private struct Known {
        let version: Version
        /// Nil: no function is there.
        var functions: [UInt64: ElfFile.Function?] = [:]
    }

    static let shared = FunctionNames()
    /// Programs that are remembered, the one last asked about at the end, and addresses in each.
    static let mostPrograms = 8
    static let mostAddresses = 1_024

    private let known = Mutex<[Known]>([])

    /// The functions that these addresses lie in. Only where one of them is new, the symbols are read.
    func functions(at wanted: [UInt64], in elf: ElfFile, _ version: Version) -> [UInt64: ElfFile.Function] {
        var functions = known.withLock { known in known.first { $0.version == version }?.functions ?? [:] }
        let new = wanted.filter { functions[$0] == nil }
        if !new.isEmpty {
            let found = elf.functions(at: new)
            for address in new { functions[address] = .some(found[address]) }
            if functions.count > Self.mostAddresses { functions = functions.filter { wanted.contains($0.key) } }
            keep(functions, version)
        }
        return wanted.reduce(into: [:]) { result, address in
            if let function = functions[address] ?? nil { result[address] = function }
        }
    }

    private func keep(_ functions: [UInt64: ElfFile.Function?], _ version: Version) {
        known.withLock { known in
            known.removeAll { $0.version == version }
            if known.count >= Self.mostPrograms { known.removeFirst() }
            known.append(Known(version: version, functions: functions))
        }
    }
}
