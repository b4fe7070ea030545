internal import AnnexLinux
internal import Glibc

extension FileWatch {
    /// Notices that another process has changed the store of a group.
    ///
    /// After a process has committed a change, it writes a byte into the page of shared words
    /// (`OpenGroup.announceChange`). This write wakes the other processes, which then look for the change. The writes
    /// of SQLite itself wake no process. These writes come before the change is visible, and there are several of
    /// them for each change.
    ///
    /// The process may be killed after the commit and before it writes that byte. In this case the kernel closes the
    /// files that the process had open for writing. This close wakes the other processes too.
    /// - Parameters:
    ///   - directory: the folder of the group. The members' files are in folders below it, and changes of these files
    ///     are not noticed.
    ///   - onChange: called on the loop's thread. There may be only one call for many changes.
    convenience init(
        ofGroup directory: borrowing Descriptor, on loop: EventLoop, onChange: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let path = "/proc/self/fd/\(directory.number)"
        try self.init(
            [("\(path)/\(SharedPage.name)", IN_MODIFY), (path, IN_CLOSE_WRITE)], on: loop, onChange: onChange)
    }
}
