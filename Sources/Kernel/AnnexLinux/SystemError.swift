internal import CAnnexLinux
internal import Glibc

/// A system call failed. The error names the call, the errno, the path and the remedy.
///
/// Higher modules wrap this value, not only its text, so that a program can still read the errno.
public struct SystemError: Error, Sendable, Hashable {
    /// The kernel's name of the call, for example `memfd_create`.
    public let call: String
    /// The errno that the kernel returned, as a positive number.
    public let errno: Int32
    /// The path of the file that the call used. Nil if the call used no path.
    public let path: String?
    /// The remedy. Nil if none is known.
    public let remedy: String?

    public init(_ call: String, errno: Int32, path: String? = nil, remedy: String? = nil) {
        self.call = call
        self.errno = errno
        self.path = path
        self.remedy = remedy ?? (errno == EMFILE ? "raise this program's limit on open files (ulimit -n)" : nil)
    }
}

extension SystemError: CustomStringConvertible {
    public var description: String { cause + (remedy.map { "; \($0)" } ?? "") }

    /// The text about the failure, without the remedy.
    package var cause: String {
        let place = path.map { " \($0)" } ?? ""
        return "\(call)\(place): \(Errno.name(errno)) (\(Errno.text(errno)))"
    }
}

extension SystemError {
    /// Whether a non-blocking call failed because the queue had no room.
    package var isLackOfRoom: Bool { errno == EAGAIN }

    /// Turns the `result or -errno` of a CAnnexLinux call into a value or a thrown error.
    package static func check(
        _ call: String, path: String? = nil, _ result: Int32
    ) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(call, errno: -result, path: path) }
        return result
    }

    /// Turns a C library call's `-1 and errno` into a value or a thrown error. Retries after an interruption by a
    /// signal.
    package static func retrying<Result: SignedInteger & Sendable>(
        _ call: String, path: String? = nil, _ body: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = body()
            if result >= 0 { return result }
            let number = Glibc.errno
            if number != EINTR { throw SystemError(call, errno: number, path: path) }
        }
    }
}

/// Names and texts of errno values.
package enum Errno {
    /// The symbol, for example `ENOENT`. If the number has no symbol, the result is `errno NUMBER`.
    package static func name(_ number: Int32) -> String {
        guard let name = unsafe annex_errno_name(number) else { return "errno \(number)" }
        return unsafe String(cString: name)
    }

    /// The C library's text, for example `No such file or directory`.
    package static func text(_ number: Int32) -> String {
        guard let text = unsafe annex_errno_text(number) else { return "unknown error" }
        return unsafe String(cString: text)
    }
}
