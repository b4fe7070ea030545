import AnnexLaunch
import AnnexLinux
internal import AnnexSandbox
import FoundationEssentials
import Glibc

/// Writes the whole report as one JSON object to a place that is fixed before the program runs.
///
/// The program may be allowed to write to the report's folder. So the folder is held open from the start. A file or
/// link with the report's name is removed, and the link is never followed. The report is always a new file.
///
/// If there is a pipe or a device at the path, the caller wants the report to be written into it. So the pipe or device
/// is opened before the program begins. Links are followed only in `/dev` and `/proc`, because in other places an
/// earlier run may have left them.
final class RunReportFile {
    private enum Target {
        case folder(Int32, name: String)
        case open(Int32)
    }

    private let path: String
    private let target: Target

    /// Finds the place for the report, and removes an older report there, because it could be mistaken for the new
    /// report.
    init(path: String) throws {
        self.path = path
        if let file = try Self.opened(path) {
            target = .open(file)
            return
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = String(slash.map { path[path.index(after: $0)...] } ?? path[...])
        let held = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard held >= 0 else { throw Self.failure(folder) }
        target = .folder(held, name: name)
        try makeNew(in: held, name)
    }

    /// Opens an existing target that is not a regular file, such as a pipe. Nil if a new file must be made.
    private static func opened(_ path: String) throws -> Int32? {
        let follows = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
        var status = stat()
        guard (follows ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFLNK: return nil
        // Writing a report would overwrite the contents of the block device.
        case S_IFBLK: throw failure(path, errno: EINVAL)
        default:
            let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follows ? 0 : O_NOFOLLOW)
            let file = open(path, flags)
            guard file >= 0 else { throw failure(path) }
            return file
        }
    }

    deinit {
        switch target {
        case .folder(let number, _), .open(let number): close(number)
        }
    }

    func write(_ report: SandboxRunReport) throws {
        let text = Data((try EncodedJSON.text(report) + "\n").utf8)
        switch target {
        case .open(let file): try write(text, to: file)
        case .folder(let folder, let name):
            let file = try makeNew(in: folder, name, keeping: true)
            defer { close(file) }
            try write(text, to: file)
        }
    }

    /// Makes a new file with this name. An existing file is removed first.
    /// - Parameter keeping: whether the file stays. If not, the file is removed again, and the call only proves that
    ///   the file can be made.
    @discardableResult
    private func makeNew(in folder: Int32, _ name: String, keeping: Bool = false) throws -> Int32 {
        if unlinkat(folder, name, 0) != 0, errno != ENOENT { throw Self.failure(path) }
        let file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Self.failure(path) }
        if !keeping {
            close(file)
            unlinkat(folder, name, 0)
        }
        return file
    }

    private func write(_ text: Data, to file: Int32) throws {
        var rest = text[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EAGAIN {
                var entry = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                // Wait a limited time for a reader of the pipe.
                guard poll(&entry, 1, 10_000) == 1 else { throw Self.failure(path, errno: ETIMEDOUT) }
                continue
            }
            guard count >= 0 || errno == EINTR else { throw Self.failure(path) }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    private static func failure(_ path: String, errno number: Int32 = errno) -> SandboxError {
        SandboxError("report", cause: "\(Escaped(path)): \(String(cString: strerror(number)))")
    }
}
