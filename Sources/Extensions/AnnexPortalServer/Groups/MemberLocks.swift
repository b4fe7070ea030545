package import AnnexLinux
internal import Glibc
internal import Synchronization

/// A member's open file description of its group's file of locks, which no other member shares.
///
/// The member locks ranges of the file by itself. The broker keeps a duplicate to see them: it counts them, and finds the holder
/// that others wait for. The locks end when both the member and this duplicate are closed.
package final class MemberLocks: Sendable {
    /// The bundle identifier of the member.
    let holder: String
    /// The number of the member's descriptor; nil if the member gets one when it joins.
    package let number: Int32?
    private let file: Mutex<Descriptor?>

    init(_ file: consuming Descriptor, of holder: String, number: Int32?) {
        self.holder = holder
        self.number = number
        self.file = Mutex(file)
    }

    /// A descriptor for the member.
    package func duplicate() throws(SystemError) -> Descriptor {
        try file.withLock { (file) throws(SystemError) in
            guard let copy = try file?.duplicate() else { throw SystemError("dup", errno: EBADF, path: "locks") }
            return copy
        }
    }

    /// The ranges that the member has locked; none after its end.
    package func ranges() throws(SystemError) -> [FileRange] {
        try file.withLock { (file) throws(SystemError) in try file?.heldRanges().map(\.range) ?? [] }
    }

    /// Lets go of the locks of a member that has ended.
    func close() { file.withLock { _ = $0.take() } }
}

/// The group's file of locks: a pipe with a name. Locks need a descriptor that may write, and what a member writes into a pipe takes
/// no room on the disk. It lies in a folder of its own, because brokers are woken by changes in the folder of the group.
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
