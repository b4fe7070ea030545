internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The executable of a launch as the broker checked it, to name its functions: never a file that the sandbox names.
///
/// It is opened when the first backtrace is taken, through the kernel's own link to what the process executes, and must
/// then be the very file that was checked: no sandbox without refusals holds a descriptor for this. What is in it is
/// read later, where nobody waits.
final class ProgramFile: Sendable {
    private struct State {
        var file: (source: OpenFile, version: FunctionNames.Version)?
        var elf: ElfFile?
    }

    let inode: UInt64
    private let device: UInt64
    private let state = Mutex(State())

    /// - Parameter checked: any descriptor of it; it stays the caller's.
    init(_ checked: borrowing Descriptor) throws(SystemError) {
        let status = try checked.status()
        inode = status.inode
        device = status.device
    }

    /// Its headers; nil where it was not opened.
    var elf: ElfFile? {
        assert(PostMortem.shared.isCurrent, "a program was read on a thread that others wait for")
        let (known, source) = state.withLock { ($0.elf, $0.file?.source) }
        guard known == nil, let source else { return known }
        let elf = ElfFile { offset, count in source.bytes(at: offset, count) }
        state.withLock { $0.elf = elf }
        return elf
    }

    /// Opens it where `thread` still executes it; otherwise functions stay without names.
    func open(through thread: UInt32) {
        guard state.withLock({ $0.file == nil }),
            let file = try? Descriptor.open("/proc/\(thread)/exe", O_RDONLY | O_NONBLOCK),
            let version = FunctionNames.Version(of: file), version.inode == inode, version.device == device
        else { return }
        let source = OpenFile(file)
        state.withLock { $0.file = (source, version) }
    }

    /// Puts names to the frames that lie in this executable: one pass over its symbols at most for all of them.
    func name(_ summary: inout DenialSummary) {
        let backtraces = summary.denials.map(\.backtrace) + [summary.crash?.backtrace]
        let wanted = backtraces.flatMap { $0?.frames.compactMap(\.programOffset) ?? [] }
        guard !wanted.isEmpty, let elf, let version = state.withLock({ $0.file?.version }) else { return }
        let functions = FunctionNames.shared.functions(at: wanted, in: elf, version)
        for index in summary.denials.indices { summary.denials[index].backtrace?.take(functions) }
        summary.crash?.backtrace.take(functions)
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
    fileprivate mutating func take(_ functions: [UInt64: ElfFile.Function]) {
        for index in frames.indices { frames[index].take(functions) }
    }
}

extension Backtrace.Frame {
    /// Whose function is looked for.
    fileprivate var programOffset: UInt64? { isOfProgram ? offset.map { isReturn ? $0 &- 1 : $0 } : nil }

    fileprivate mutating func take(_ functions: [UInt64: ElfFile.Function]) {
        guard let offset, let place = programOffset, let known = functions[place] else { return }
        let readable = SymbolName.readable(known.name)
        function = Escaped(readable, limit: SymbolName.limit)
        distance = offset &- known.address
        if readable != known.name { symbol = Escaped(known.name, limit: ElfFile.longestName) }
    }
}
