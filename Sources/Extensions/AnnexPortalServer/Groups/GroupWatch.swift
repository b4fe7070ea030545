internal import AnnexLinux
internal import Glibc

extension FileWatch {
    /// Notices that another process has changed the store of a group.
    ///
    /// A process that has committed a change writes a byte into the page of shared words (`OpenGroup.announceChange`), and the other
    /// processes look. The writes of SQLite itself do not wake them: they come before the change is visible, and several for each change.
    /// If the process was killed between both, the kernel closes the files that the process had open for writing, and that wakes the
    /// others too.
    /// - Parameters:
    ///   - directory: the folder of the group. The members' files lie deeper, and their changes are not noticed.
    ///   - onChange: called on the loop's thread. One call may stand for many changes.
    convenience init(
        ofGroup directory: borrowing Descriptor, on loop: EventLoop, onChange: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let path = "/proc/self/fd/\(directory.number)"
        try self.init(
            [("\(path)/\(SharedPage.name)", IN_MODIFY), (path, IN_CLOSE_WRITE)], on: loop, onChange: onChange)
    }
}
