internal import CAnnexLinux
internal import Glibc

/// The single owner of an open file descriptor. The owner closes the descriptor exactly once, when the owner ends.
///
/// Every descriptor that Annex opens is close-on-exec. A program that a host starts therefore does not inherit it.
public struct Descriptor: ~Copyable, Sendable {
    /// The number in this process's table. It is valid for as long as the owner lives.
    package let number: Int32

    /// Takes ownership of an open descriptor and closes it when this value ends.
    ///
    /// If another library opened the descriptor and still uses it, pass a duplicate: `Descriptor(owning: dup(number))`.
    /// - Parameter number: an open descriptor that no other code will close. Set close-on-exec on it. Otherwise
    ///   every program that the host starts inherits it.
    public init(owning number: CInt) {
        self.number = number
    }

    deinit {
        _ = Glibc.close(number)
    }

    /// Lends the descriptor's number to calls that need a number. The descriptor stays open while `body` runs. `body`
    /// must not close it.
    public borrowing func withNumber<Result: ~Copyable, Failure: Error>(
        _ body: (CInt) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(number)
    }

    /// Gives up ownership. The caller must close the returned number.
    public consuming func release() -> CInt {
        let number = self.number
        discard self
        return number
    }

    /// Duplicates the descriptor: the same open file description, close-on-exec, with a number of `lowest` or more.
    package func duplicate(atLeast lowest: Int32 = 3) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("fcntl(F_DUPFD_CLOEXEC)", annex_duplicate(number, lowest)))
    }
}

extension Descriptor {
    /// Opens a path. `flags` and `mode` have the meaning of open(2); `O_CLOEXEC` is added.
    package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) -> Descriptor {
        let number = try SystemError.retrying("open", path: path) {
            unsafe path.withCString { unsafe Glibc.open($0, flags | O_CLOEXEC, mode) }
        }
        return Descriptor(owning: number)
    }

    /// Opens an object for reference only (`O_PATH`). The object cannot be read or written, and its permissions do not
    /// matter. A reference is sufficient to compare the object, to bind-mount it, and to open paths beneath it.
    package static func reference(to path: String) throws(SystemError) -> Descriptor {
        try Descriptor.open(path, pathOnly)
    }

    /// `O_PATH`. The import of Glibc lacks this name. The number is the same on every architecture that Annex supports.
    package static let pathOnly: Int32 = 0o10_000_000

    /// Opens a path below this directory. The kernel refuses every path that could leave the directory: `..` above the
    /// directory, an absolute path, and any symbolic or magic link on the path.
    /// - Throws: `EXDEV` if the path leads out of the directory, `ELOOP` if the path contains a link.
    package func openBeneath(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) -> Descriptor {
        let opened = unsafe path.withCString { text in
            unsafe annex_open_beneath(number, text, UInt64(UInt32(bitPattern: flags)), UInt64(mode))
        }
        return Descriptor(owning: try SystemError.check("openat2", path: path, opened))
    }

    /// Opens an absolute path. The kernel refuses every path with a symbolic or magic link.
    /// - Throws: `ELOOP` if the path contains a link.
    package static func open(withoutLinks path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
        try open(withoutLinks: path, flags, from: AT_FDCWD)
    }

    /// Opens a path from this directory, which may leave it by `..`. The kernel refuses every path with a symbolic or magic
    /// link.
    /// - Throws: `ELOOP` if the path contains a link.
    package func open(withoutLinks path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
        try Descriptor.open(withoutLinks: path, flags, from: number)
    }

    private static func open(
        withoutLinks path: String, _ flags: Int32, from directory: Int32
    ) throws(SystemError) -> Descriptor {
        let opened = unsafe path.withCString { text in
            unsafe annex_open_without_links(directory, text, UInt64(UInt32(bitPattern: flags)))
        }
        return Descriptor(owning: try SystemError.check("openat2", path: path, opened))
    }

    /// The same for a path of any bytes except NUL.
    package func openBeneath(bytes path: [UInt8], _ flags: Int32) throws(SystemError) -> Descriptor {
        let text = path.map { CChar(bitPattern: $0) } + [0]
        // SAFETY: the text ends with NUL and outlives the call, which keeps no pointer to it.
        let opened = unsafe annex_open_beneath(number, text, UInt64(UInt32(bitPattern: flags)), 0)
        let shown = String(decoding: path, as: UTF8.self)
        return Descriptor(owning: try SystemError.check("openat2", path: shown, opened))
    }

    /// Opens a directory, so that paths can be opened beneath it.
    package static func directory(_ path: String) throws(SystemError) -> Descriptor {
        try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    }
}

/// Several owned descriptors in order. When the list ends, it closes the descriptors that were not taken.
public struct DescriptorList: ~Copyable, Sendable {
    /// The numbers. They are valid for as long as the list lives.
    package private(set) var numbers: [Int32]

    /// An empty list.
    public init() {
        numbers = []
    }

    /// Takes ownership of open descriptors.
    package init(owning numbers: [Int32]) {
        self.numbers = numbers
    }

    /// A list of one descriptor.
    public init(_ descriptor: consuming Descriptor) {
        numbers = [descriptor.release()]
    }

    deinit {
        for number in numbers { _ = Glibc.close(number) }
    }

    public var count: Int { numbers.count }
    public var isEmpty: Bool { numbers.isEmpty }

    public mutating func append(_ descriptor: consuming Descriptor) {
        numbers.append(descriptor.release())
    }

    /// Takes the first descriptor out of the list. Returns nil if the list is empty.
    public mutating func takeFirst() -> Descriptor? {
        numbers.isEmpty ? nil : Descriptor(owning: numbers.removeFirst())
    }

    /// Duplicates the descriptor at this position of the list.
    package func duplicate(at place: Int) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("fcntl(F_DUPFD_CLOEXEC)", annex_duplicate(numbers[place], 3)))
    }

    /// Closes the remaining descriptors.
    package mutating func closeAll() {
        for number in numbers { _ = Glibc.close(number) }
        numbers = []
    }
}

/// Two connected ends: a pipe or a pair of sockets.
package struct DescriptorPair: ~Copyable {
    /// A pipe's reading end, or either end of a socket pair.
    package var first: Descriptor
    /// A pipe's writing end, or the other end of a socket pair.
    package var second: Descriptor

    /// A pipe: bytes written to `second` come out of `first`.
    package static func pipe(nonBlocking: Bool = false) throws(SystemError) -> DescriptorPair {
        unsafe try make("pipe2") { unsafe annex_pipe($0, $1, nonBlocking ? 1 : 0) }
    }

    /// A connected pair of Unix sockets that preserve message boundaries (`SOCK_SEQPACKET`).
    package static func sockets() throws(SystemError) -> DescriptorPair {
        unsafe try make("socketpair") { unsafe annex_socket_pair($0, $1) }
    }

    /// Both ends as a list, so that each can go to its own owner.
    package consuming func list() -> DescriptorList {
        var list = DescriptorList(first)
        list.append(second)
        return list
    }

    private static func make(
        _ call: String, _ body: (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>) -> Int32
    ) throws(SystemError) -> DescriptorPair {
        var first: Int32 = -1
        var second: Int32 = -1
        // SAFETY: the call writes one number through each pointer and keeps neither pointer.
        _ = try SystemError.check(call, unsafe body(&first, &second))
        return DescriptorPair(first: Descriptor(owning: first), second: Descriptor(owning: second))
    }
}
