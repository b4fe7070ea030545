internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The executable of a launch, as the broker checked it. Functions are named from this file, never from a file that the
/// sandbox chose.
///
/// The broker opens the file only for the first backtrace, so a sandbox without denials needs no descriptor for it. The
/// broker opens it through the kernel's own link to the process's executable. The opened file must be the checked file.
/// The contents are read later, when no call waits.
final class ProgramFile: Sendable {
    private struct State {
        var file: (source: OpenFile, version: FunctionNames.Version)?
        var elf: ElfFile?
    }

    let inode: UInt64
    private let device: UInt64
    private let state = Mutex(State())

    /// - Parameter checked: any descriptor of the executable. The caller keeps this descriptor.
    init(_ checked: borrowing Descriptor) throws(SystemError) {
        let status = try checked.status()
        inode = status.inode
        device = status.device
    }

    /// The headers of the file; nil if the file was not opened or is no ELF file.
    var elf: ElfFile? {
        assert(PostMortem.shared.isCurrent, "a program was read on a thread that others wait for")
        let (known, source) = state.withLock { ($0.elf, $0.file?.source) }
        guard known == nil, let source else { return known }
        let elf = ElfFile { offset, count in source.bytes(at: offset, count) }
        state.withLock { $0.elf = elf }
        return elf
    }

    /// Opens the file if `thread` still executes it. Otherwise the functions get no names.
    func open(through thread: UInt32) {
        guard state.withLock({ $0.file == nil }),
            let file = try? Descriptor.open(ProcNumber.folder(of: thread) + "/exe", O_RDONLY | O_NONBLOCK),
            let version = FunctionNames.Version(of: file), version.inode == inode, version.device == device
        else { return }
        let source = OpenFile(file)
        state.withLock { $0.file = (source, version) }
    }

    /// Adds names to the frames that lie in this executable. The search for the names passes over the file's symbols
    /// at most once.
    func name(_ backtraces: inout [Backtrace?]) {
        let wanted = backtraces.flatMap { $0?.frames.compactMap(\.programOffset) ?? [] }
        guard !wanted.isEmpty, let elf, let version = state.withLock({ $0.file?.version }) else { return }
        let functions = FunctionNames.shared.functions(at: wanted, in: elf, version)
        for index in backtraces.indices { backtraces[index]?.apply(functions) }
    }

    private final class OpenFile: Sendable {
        private let descriptor: Descriptor

        init(_ descriptor: consuming Descriptor) {
            self.descriptor = descriptor
        }

        func bytes(at offset: UInt64, _ count: Int) -> [UInt8] {
            guard let offset = Int64(exactly: offset), offset < .max - Int64(count) else { return [] }
            return (try? descriptor.read(at: offset, count: count)) ?? []
        }
    }
}

extension Backtrace {
    fileprivate mutating func apply(_ functions: [UInt64: ElfFile.Function]) {
        for index in frames.indices { frames[index].apply(functions) }
    }
}

extension Backtrace.Frame {
    /// The address whose function is looked up; nil if the frame lies in another file. A return address may already
    /// belong to the next function, so the address before it is looked up.
    fileprivate var programOffset: UInt64? { isOfProgram ? offset.map { isReturn ? $0 &- 1 : $0 } : nil }

    fileprivate mutating func apply(_ functions: [UInt64: ElfFile.Function]) {
        guard let offset, let place = programOffset, let known = functions[place] else { return }
        let readable = SymbolName.readable(known.name)
        function = Escaped(readable, limit: SymbolName.limit)
        distance = offset &- known.address
        if readable != known.name { symbol = Escaped(known.name, limit: ElfFile.longestName) }
    }
}

/// A cache of the functions found in programs. If a program crashes or is denied the same call repeatedly, its symbols
/// are read only once.
final class FunctionNames: Sendable {
    /// The state of a file at one moment. The kernel sets the time of the last change, and no program can set this time
    /// back.
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
    /// The most programs in the cache, and the most addresses for each program. The program whose symbols were read
    /// last is at the end of the cache.
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
            keep(functions, for: version)
        }
        return wanted.reduce(into: [:]) { result, address in
            if let function = functions[address] ?? nil { result[address] = function }
        }
    }

    private func keep(_ functions: [UInt64: ElfFile.Function?], for version: Version) {
        known.withLock { known in
            known.removeAll { $0.version == version }
            if known.count >= Self.mostPrograms { known.removeFirst() }
            known.append(Known(version: version, functions: functions))
        }
    }
}
