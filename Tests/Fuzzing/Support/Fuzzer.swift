import CLibFuzzer
import Glibc

/// Runs libFuzzer over one reader of hostile bytes.
public enum Fuzzer {
    /// Never returns: the engine ends the program, with 0 when every run came back.
    public static func run(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32) -> Never {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, test))
    }

    /// What the engine made, as bytes and, with everything that is no UTF-8 replaced, as text.
    public static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// A promise that a reader made and did not keep: the engine keeps the bytes that showed it.
    public static func expect(_ holds: Bool, _ what: String) {
        if !holds { fatalError(what) }
    }
}
