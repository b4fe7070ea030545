import AnnexLaunch
import AnnexLinux
import AnnexSandbox
import Glibc

/// The descriptors of the caller that the program's arguments name, as `/dev/fd/63` for `<(…)` of a shell. The program
/// gets these descriptors, and no other descriptor of the caller above 2.
enum NamedDescriptors {
    private static let folders = ["/dev/fd/", "/proc/self/fd/"]
    /// A descriptor with this number or a larger one is above the program's limit on open files.
    private static let bound = Int32(HeldLimits.mostDescriptorsOfShared)

    /// The numbers in increasing order.
    /// - Throws: an error if a program cannot have a descriptor of such a number.
    static func inherited(in arguments: [String]) throws(SandboxError) -> [Int32] {
        let named = Set(arguments.flatMap(numbers)).filter(isInherited).sorted()
        if let largest = named.last, largest >= bound {
            throw SandboxError(
                "descriptors", cause: "/dev/fd/\(largest): a program has no descriptors above \(bound - 1)",
                remedy: "give the descriptor a smaller number, as in `3<FILE`")
        }
        return named
    }

    private static func numbers(in word: String) -> [Int32] {
        folders.flatMap { folder in
            word.ranges(of: folder).compactMap { Int32(word[$0.upperBound...].prefix { "0"..."9" ~= $0 }) }
        }.filter { $0 > STDERR_FILENO }
    }

    /// Whether the caller gave this process the descriptor. This process closes its own descriptors at `exec`.
    static func isInherited(_ number: Int32) -> Bool {
        let flags = fcntl(number, F_GETFD)
        return flags >= 0 && flags & FD_CLOEXEC == 0
    }
}
