import CMisbehaver
import Glibc

/// Takes without end.
enum Greed {
    /// 8 MiB at a time, every page written, until somebody ends it or the kernel gives no more.
    static func takeMemory() -> Never {
        while misbehave_take_memory(8 << 20) == 0 {}
        fatalError("the kernel gives no more memory")
    }

    /// Memory that counts as nobody's data: files without a name, each filled to what one may hold. Then it waits,
    /// for whoever looks how much there is.
    static func hoardNamelessFiles() -> Never {
        while misbehave_fill_nameless_file(200 << 20) == 0 {}
        while true { pause() }
    }

    /// Lines to both outputs, as fast as they are taken.
    static func floodOutput() -> Never {
        let line = [UInt8](repeating: UInt8(ascii: "!"), count: 4_095) + [UInt8(ascii: "\n")]
        while true {
            for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
                _ = unsafe line.withUnsafeBytes { unsafe misbehave_write(descriptor, $0.baseAddress, $0.count) }
            }
        }
    }
}
