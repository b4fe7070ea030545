internal import AnnexLinux

extension Backtrace {
    /// Walks the copy of a stack. The program decides how long that takes.
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

/// The mappings that can be executed, in order of their addresses.
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
