package import AnnexLinux
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
            guard let copy = try file?.duplicate() else { throw SystemError("dup", errno: 9, path: "locks") }
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
