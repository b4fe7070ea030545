public import AnnexLinux

/// The chain of function calls that led to a denied call, innermost first. The chain is read from the program's own
/// memory, so the program can forge it.
public struct Backtrace: Sendable, Hashable {
    /// One function that had not returned yet.
    public struct Frame: Sendable, Hashable {
        /// The address of the instruction in the program's memory.
        public let address: UInt64
        /// The file that holds the code; nil if the kernel names no file.
        public let module: Escaped?
        /// The position of the instruction in that file. For the program's own executable, it is the address that
        /// `addr2line` takes. For another file, it is a byte offset. nil if the file is unknown.
        public let offset: UInt64?
        /// The function's name, and the distance in bytes from the function's beginning to the instruction. Both are
        /// nil unless the launched executable names the function.
        public internal(set) var function: Escaped?
        public internal(set) var distance: UInt64?
        /// The function's name as the file spells it; nil if that spelling equals `function`.
        public internal(set) var symbol: Escaped?

        /// Whether the address lies in the executable that the broker itself checked. Function names are read from that
        /// file only.
        let isOfProgram: Bool
        /// Whether the address is a return address. If a function ends with a call, the return address may belong to
        /// the next function.
        let isReturn: Bool
    }

    public internal(set) var frames: [Frame] = []
    /// Why there are no frames; nil if there are frames.
    public internal(set) var missing: String?

    init(missing: String? = nil) {
        self.missing = missing
    }
}

extension Backtrace.Frame: CustomStringConvertible {
    /// For example `main.Shout.run + 12 (program+0x4f10)`.
    public var description: String {
        let place = offset.map { "\(module?.description ?? "?")+0x" + String($0, radix: 16) }
        let spot = place ?? "0x" + String(address, radix: 16)
        guard let function else { return spot }
        return "\(function) + \(distance ?? 0) (\(spot))"
    }
}

/// The signal and the backtrace of a program that crashed. They were read before the process was gone.
package struct Crash: Sendable, Hashable {
    /// The signal that was about to end the program.
    package let signal: Int32
    /// The chain of calls that led to the crash.
    package internal(set) var backtrace: Backtrace
}

extension Backtrace {
    /// Walks the copy of a stack. The program decides how long the walk takes.
    init(_ sample: StackSample, of program: ProgramFile) {
        self.init()
        assert(PostMortem.shared.isCurrent, "a stack was walked on a thread that others wait for")
        let code = CodeAreas(MemoryArea.read(sample.maps))
        let thread = sample.thread
        let addresses = FrameWalk.addresses(
            stack: sample.stack, base: sample.base, instruction: thread.instruction, frame: thread.framePointer,
            isCode: code.contains)
        frames = addresses.enumerated().map { index, address in
            Frame(
                address, in: code.area(of: address), program: program,
                isReturn: index > 0 || thread.framePointer == nil)
        }
    }
}

extension Backtrace.Frame {
    fileprivate init(_ address: UInt64, in area: MemoryArea?, program: ProgramFile, isReturn: Bool) {
        let byte = area.map { address &- $0.start &+ $0.offset }
        let isOfProgram = area.map { $0.inode != 0 && $0.inode == program.inode } ?? false
        let name = area.map { $0.name.split(separator: UInt8(ascii: "/")).last ?? [] } ?? []
        self.init(
            address: address, module: name.isEmpty ? nil : Escaped(name, limit: 128),
            offset: isOfProgram ? byte.flatMap { program.elf?.address(ofByteAt: $0) } : byte,
            isOfProgram: isOfProgram, isReturn: isReturn)
    }
}

/// The executable mappings, in the order of their addresses.
private struct CodeAreas {
    private let areas: [MemoryArea]

    init(_ areas: [MemoryArea]) {
        self.areas = areas.filter(\.isExecutable).sorted { $0.start < $1.start }
    }

    func contains(_ address: UInt64) -> Bool { area(of: address) != nil }

    func area(of address: UInt64) -> MemoryArea? {
        var low = 0
        var high = areas.count
        while low < high {
            let middle = low + (high - low) / 2
            if areas[middle].end <= address { low = middle + 1 } else { high = middle }
        }
        guard low < areas.count, areas[low].contains(address) else { return nil }
        return areas[low]
    }
}
