import CLibFuzzer
import Glibc

/// Runs libFuzzer over one reader of hostile bytes.
public enum Fuzzer {
    /// Never returns. The engine ends the program, with exit status 0 if every run returned.
    public static func run(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32) -> Never {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, test))
    }

    /// The engine's input, as bytes and as text. In the text, bytes that are not UTF-8 are replaced.
    public static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// Ends the run if a condition is false, because the reader broke its promise. The engine stores the bytes that
    /// caused this.
    public static func expect(_ holds: Bool, _ what: String) {
        if !holds { fatalError(what) }
    }
}
