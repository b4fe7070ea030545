import AnnexLinux
import AnnexSandbox
import Glibc

/// The command line as it was given: of any bytes, while what parses it knows text only.
enum CommandBytes {
    /// Every word, the command's own name first.
    private static var words: [[UInt8]] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            CommandLine.unsafeArgv[index].map { [UInt8](UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }

    /// The bytes of the last words, which are the program and its arguments.
    /// - Throws: where an option or the program's name is no UTF-8, and so could be taken for another.
    static func arguments(of program: [String]) throws(SandboxError) -> [[UInt8]] {
        let words = words
        let arguments = words.suffix(max(0, program.count - 1))
        for word in words.dropLast(arguments.count) where String(validating: word, as: UTF8.self) == nil {
            throw SandboxError(
                "command line", cause: "\(Escaped(word)) is not UTF-8",
                remedy: "only a program's arguments, and values that --env passes on by their name, may be of any bytes"
            )
        }
        return Array(arguments)
    }
}
