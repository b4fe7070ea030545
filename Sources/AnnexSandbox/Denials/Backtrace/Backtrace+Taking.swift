internal import AnnexLinux
internal import Glibc

extension Backtrace {
    /// Looks at the thread whose call is held: its stack and what is mapped where. Nothing is traced, and the thread is
    /// not touched.
    /// - Parameter fault: where it stood when it faulted; nil: where the kernel says that it stands.
    init(of call: HeldCall, at fault: StoppedThread? = nil, program: ProgramFile, on listener: borrowing Descriptor) {
        self.init()
        program.open(through: call.thread)
        let place = "/proc/\(call.thread)"
        guard let thread = fault ?? ProcessText.read("\(place)/syscall").flatMap(StoppedThread.read) else {
            lack = "the kernel does not show where the thread stands (Yama, or the program is not dumpable)"
            return
        }
        guard let maps = ProcessText.read("\(place)/maps", atMost: 1 << 20) else {
            lack = "the kernel does not show what the program has mapped"
            return
        }
        let areas = MemoryArea.read(maps)
        let (base, stack) = Self.stack(of: call, thread, areas)
        // Thread numbers are used again: what was read is this call's only while the kernel holds it.
        guard call.isHeld(on: listener) else {
            lack = "the thread ended meanwhile"
            return
        }
        let code = CodeAreas(areas)
        let addresses = FrameWalk.addresses(
            stack: stack, base: base, instruction: thread.instruction, frame: thread.framePointer,
            isCode: code.contains)
        frames = addresses.enumerated().map { index, address in
            Frame(
                address, in: code.area(of: address), program: program,
                isReturn: index > 0 || thread.framePointer == nil)
        }
    }

    /// A copy of the stack and where it begins: of one that overflowed, from its last frame on.
    private static func stack(
        of call: HeldCall, _ thread: StoppedThread, _ areas: [MemoryArea]
    ) -> (base: UInt64, bytes: [UInt8]) {
        for pointer in [thread.stackPointer, thread.framePointer].compactMap(\.self) {
            guard let area = areas.first(where: { $0.contains(pointer) }) else { continue }
            let room = min(area.end &- pointer, UInt64(FrameWalk.window))
            return (pointer, call.memory(at: pointer, count: Int(room)) ?? [])
        }
        return (thread.stackPointer, [])
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
