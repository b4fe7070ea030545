import CMisbehaver
import Glibc

/// Takes resources without end.
enum Greed {
    /// Takes 8 MiB at a time and writes every page, until the process is killed or the kernel refuses.
    static func takeMemory() -> Never {
        while misbehave_take_memory(8 << 20) == 0 {}
        fatalError("the kernel gives no more memory")
    }

    /// Takes memory that does not count as a process's own data: files without a name, each filled to the largest size
    /// that is allowed. Then it waits for the memory watch to find them.
    static func hoardNamelessFiles() -> Never {
        while misbehave_fill_nameless_file(200 << 20) == 0 {}
        while true { pause() }
    }

    /// Writes lines to both outputs as fast as they are read.
    static func floodOutput() -> Never {
        let line = [UInt8](repeating: UInt8(ascii: "!"), count: 4_095) + [UInt8(ascii: "\n")]
        while true {
            for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
                _ = unsafe line.withUnsafeBytes { unsafe misbehave_write(descriptor, $0.baseAddress, $0.count) }
            }
        }
    }
}
