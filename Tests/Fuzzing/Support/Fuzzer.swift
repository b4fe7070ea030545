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
}
