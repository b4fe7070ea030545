package import AnnexLinux
internal import Glibc
internal import Synchronization

/// The open file description through which a member, an extension or app of a group, locks ranges of the group's file
/// of locks. No other member shares this description.
///
/// The member locks the ranges by itself. The broker keeps a duplicate of the descriptor to read the locks. So the
/// broker can count the locks, and find the member that holds a range for which other members wait. The kernel frees
/// the locks once both the member's descriptor and the broker's duplicate are closed.
package final class MemberLocks: Sendable {
    /// The bundle identifier of the member.
    let holder: String
    /// The number of the member's descriptor; nil if the member gets the descriptor only when it joins the group.
    package let number: Int32?
    private let file: Mutex<Descriptor?>

    init(_ file: consuming Descriptor, of holder: String, number: Int32?) {
        self.holder = holder
        self.number = number
        self.file = Mutex(file)
    }

    /// A new descriptor of the same open file description, for the member.
    package func duplicate() throws(SystemError) -> Descriptor {
        try file.withLock { (file) throws(SystemError) in
            guard let copy = try file?.duplicate() else { throw SystemError("dup", errno: EBADF, path: "locks") }
            return copy
        }
    }

    /// The ranges that the member has locked. After the member has ended, the list is empty.
    package func ranges() throws(SystemError) -> [FileRange] {
        try file.withLock { (file) throws(SystemError) in try file?.heldRanges().map(\.range) ?? [] }
    }

    /// Closes the broker's duplicate after a member has ended, so that the kernel frees the member's locks.
    func close() { file.withLock { _ = $0.take() } }
}

/// The group's file of locks, which is a named pipe. A lock needs a writable descriptor. If a member writes bytes
/// through this descriptor, they go into the pipe and use no space on the disk. The pipe lies in a folder of its own,
/// because changes in the folder of the group wake brokers.
enum LockFile {
    private static let (folder, name) = ("turns", "locks")

    /// A new open file description.
    static func open(in group: borrowing Descriptor) throws(SystemError) -> Descriptor {
        let folder = try group.directory(making: folder)
        // SAFETY: the name outlives the call.
        if unsafe mkfifoat(folder.number, name, 0o600) < 0, errno != EEXIST {
            throw SystemError("mkfifoat", errno: errno, path: name)
        }
        let file = try folder.openBeneath(name, O_RDWR | O_NONBLOCK)
        guard try file.status().kind == .pipe else {
            throw SystemError("open", errno: EEXIST, path: "turns/locks", remedy: "it is not a pipe: move it away")
        }
        return file
    }
}
