internal import AnnexLinux
internal import AnnexPortalServer
internal import AnnexTransferWire
internal import Glibc

/// A job with the descriptors of its files.
struct PreparedJob: ~Copyable {
    let job: TransferJob
    let files: DescriptorList
    /// The longest time in which a server may say nothing, in seconds. Meanwhile, the task has a connection of the agent.
    private static let longestIdle: UInt32 = 600

    /// Opens the files of a task.
    init(_ task: BookedTask, at desk: TransferDesk, until end: WallClock) throws(SystemError) {
        let staging: TransferStaging
        do throws(StoreError) {
            guard let found = try desk.staging(of: task) else { throw StoreError(.notFound, what: "no session") }
            staging = found
        } catch {
            throw SystemError("open", errno: error.kind == .notFound ? ENOENT : EAGAIN)
        }
        let left = max((end.microseconds - WallClock.now().microseconds) / 1_000_000, 1)
        let whole = UInt32(clamping: min(left, Int64(TransferLimits.longestSeconds)))
        var files = DescriptorList()
        let work: TransferWork
        switch task.job.work {
        case .download(let download):
            let file = try staging.destination(keeping: task.validator != nil)
            let bytes = UInt64(clamping: try file.status().size)
            let most = max(bytes, min(download.mostBytes, task.promised))
            work = .download(TransferDownload(offset: bytes, validator: task.validator, mostBytes: most))
            files.append(file)
        case .upload(let size):
            work = .upload(size: size)
            files.append(try staging.file(0, size: size))
        case .form(let parts):
            work = task.job.work
            for (index, size) in parts.compactMap(\.size).enumerated() {
                files.append(try staging.file(index, size: size))
            }
        }
        let idle = min(task.job.patience.idle, Self.longestIdle)
        job = task.job.with(work).within(TransferPatience(idle: idle, whole: whole))
        self.files = files
    }

    /// Whether a failure says that the files of an upload are gone or not whole. The file of a download begins anew.
    static func isLoss(_ error: SystemError, of task: BookedTask) -> Bool {
        !task.job.work.isDownload && [ENOENT, EIO].contains(error.errno)
    }
}
