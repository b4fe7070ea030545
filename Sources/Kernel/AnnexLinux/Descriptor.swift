internal import CAnnexLinux
internal import Glibc

/// The one owner of an open file descriptor; closing happens exactly once, when the owner ends.
///
/// Everything that Annex opens is close-on-exec, so that no program a host starts inherits it.
public struct Descriptor: ~Copyable, Sendable {
    /// The number in this process's table; valid for as long as the owner lives.
    package let number: Int32

    /// Takes ownership of an open descriptor: this value closes it when it ends.
    ///
    /// For what another library has opened: `Descriptor(owning: dup(number))` where that library goes on using its own.
    /// - Parameter number: an open descriptor, which nothing else may close any more. Set close-on-exec on it, or every
    ///   program that the host starts inherits it.
    public init(owning number: CInt) {
        self.number = number
    }

    deinit {
        _ = Glibc.close(number)
    }

    /// Lends the number, for calls that take one. It is open for as long as `body` runs, which must not close it.
    public borrowing func withNumber<Result: ~Copyable, Failure: Error>(
        _ body: (CInt) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(number)
    }

    /// Gives up ownership: the caller closes the returned number.
    public consuming func release() -> CInt {
        let number = self.number
        discard self
        return number
    }

    /// A second descriptor of the same open file description, close-on-exec, numbered `lowest` or more.
    package func duplicate(atLeast lowest: Int32 = 3) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("fcntl(F_DUPFD_CLOEXEC)", annex_duplicate(number, lowest)))
    }
}

extension Descriptor {
    /// Opens a path close-on-exec. `flags` and `mode` are open(2)'s; `O_CLOEXEC` is added.
    package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) -> Descriptor {
        let number = try SystemError.retrying("open", path: path) {
            unsafe path.withCString { unsafe Glibc.open($0, flags | O_CLOEXEC, mode) }
        }
        return Descriptor(owning: number)
    }
}
