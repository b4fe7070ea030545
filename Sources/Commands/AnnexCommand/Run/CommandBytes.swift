import AnnexLinux
import AnnexLaunch
import Glibc

/// The command line in its original bytes. The parser of arguments only handles text.
enum CommandBytes {
    /// Every word, beginning with the command's own name.
    private static var words: [[UInt8]] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            CommandLine.unsafeArgv[index].map { [UInt8](UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }

    /// The bytes of the program's arguments, which are the last words of the command line.
    /// - Throws: if an option or the program's name is not UTF-8, because it could then be mistaken for another.
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
