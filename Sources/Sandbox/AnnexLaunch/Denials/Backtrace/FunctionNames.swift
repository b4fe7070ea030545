internal import AnnexLinux
internal import Synchronization

/// A cache of the functions found in programs. If a program crashes or is denied the same call repeatedly, its symbols
/// are read only once.
final class FunctionNames: Sendable {
    /// The state of a file at one moment. The kernel sets the time of the last change; no program can set it back.
    struct Version: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let changed: Int64

        /// nil if the descriptor is no regular file.
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
        /// The functions by address; a nil value means that no function contains the address.
        var functions: [UInt64: ElfFile.Function?] = [:]
    }

    static let shared = FunctionNames()
    /// The most programs in the cache, the last used at the end, and the most addresses for each.
    static let mostPrograms = 8
    static let mostAddresses = 1_024

    private let known = Mutex<[Known]>([])

    /// The functions that contain these addresses. The symbols are read only if one of the addresses is not cached.
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
