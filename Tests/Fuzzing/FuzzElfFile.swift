@testable import AnnexLaunch

/// A program's own file and its stack, which a backtrace needs. The program can choose all bytes of both.
enum FuzzElfFile {
    static func main() {
        Fuzzer.run { start, count in
            FuzzElfFile.read(Fuzzer.bytes(start, count))
            return 0
        }
    }

    private static func read(_ bytes: [UInt8]) {
        let file = ElfFile { offset, count in
            guard let place = Int(exactly: offset), place < bytes.count, count > 0 else { return [] }
            return Array(bytes[place...].prefix(count))
        }
        if let file {
            _ = file.address(ofByteAt: 0x1000)
            _ = file.functions(at: [0x40_1136, 0, .max, 0x1000])
        }
        walk(bytes)
    }

    /// The first words state the address of the stack, and the thread's position.
    private static func walk(_ bytes: [UInt8]) {
        let words = LittleEndian(bytes)
        guard let base = words.number(UInt64.self, at: 0), let instruction = words.number(UInt64.self, at: 8) else {
            return
        }
        let frames = FrameWalk.addresses(stack: Array(bytes.dropFirst(16)), base: base, instruction: instruction) {
            $0 & 1 == 0
        }
        Fuzzer.expect(frames.count <= FrameWalk.most + 1, "a walk without an end")
        let faulted = FrameWalk.addresses(
            stack: Array(bytes.dropFirst(24)), base: base, instruction: instruction,
            frame: words.number(UInt64.self, at: 16)
        ) { $0 & 1 == 0 }
        Fuzzer.expect(faulted.count <= FrameWalk.most + 1, "a walk without an end")
    }
}
