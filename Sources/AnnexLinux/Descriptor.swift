internal import CAnnexLinux
internal import Glibc

/// The one owner of an open file descriptor; closing happens exactly once, when the owner ends.
///
/// Everything that Annex opens is close-on-exec, so that no program a host starts inherits it.
public struct Descriptor: ~Copyable, Sendable {
    /// The number in this process's table; valid for as long as the owner lives.
    package let number: Int32

    /// Takes ownership of an open descriptor. The caller must not close it any more.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        _ = Glibc.close(number)
    }

    /// Gives up ownership: the caller closes the returned number.
    package consuming func release() -> Int32 {
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
