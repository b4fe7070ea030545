import AnnexLaunch
import AnnexLinux
internal import AnnexSandbox
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
    private let path: String
    /// The folder of the report, or the open pipe or device.
    private let descriptor: Descriptor
    /// The report's name in the folder; nil for a pipe or device.
    private let name: String?
    /// How long the report waits for the reader of a pipe.
    private static let patience = Duration.seconds(10)

    /// Finds the place for the report, and removes an older report there, because it could be mistaken for the new
    /// report.
    init(path: String) throws(SandboxError) {
        self.path = path
        do throws(SystemError) {
            if let open = try Self.opened(path) {
                descriptor = open
                name = nil
                return
            }
            let (folder, name) = Self.parts(of: path)
            descriptor = try Descriptor.directory(folder)
            self.name = name
            // The call only proves that the report can be made.
            _ = try Self.newFile(name, in: descriptor)
            try descriptor.removeFile(name)
        } catch {
            throw Self.failure(path, of: error)
        }
    }

    func write(_ report: SandboxRunReport) throws {
        let bytes = Array((try EncodedJSON.text(report) + "\n").utf8)
        do throws(SystemError) {
            if let name {
                try Self.newFile(name, in: descriptor).writeAll(bytes)
            } else {
                try descriptor.writeAll(bytes, within: Self.patience)
            }
        } catch {
            throw Self.failure(path, of: error)
        }
    }

    /// A new file, pipe or device at a path, open for writing.
    static func stream(path: String) throws(SandboxError) -> Descriptor {
        do throws(SystemError) {
            if let open = try opened(path) { return open }
            let (folder, name) = parts(of: path)
            return try newFile(name, in: Descriptor.directory(folder))
        } catch {
            throw failure(path, of: error)
        }
    }

    private static func parts(of path: String) -> (folder: String, name: String) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return (folder, String(slash.map { path[path.index(after: $0)...] } ?? path[...]))
    }

    /// Opens an existing target that is not a regular file, such as a pipe. Nil if a new file must be made.
    private static func opened(_ path: String) throws(SystemError) -> Descriptor? {
        let follows = path.hasPrefix("/dev/") || path.hasPrefix("/proc/") ? 0 : O_NOFOLLOW
        guard let kind = try? Descriptor.open(path, Descriptor.pathOnly | follows).status().kind else { return nil }
        switch kind {
        case .regular, .symbolicLink: return nil
        // Writing a report would overwrite the contents of the block device.
        case .blockDevice: throw SystemError("open", errno: EINVAL)
        default: return try Descriptor.open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | follows)
        }
    }

    /// Makes a new file with this name. An existing file is removed first.
    private static func newFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
        do throws(SystemError) {
            try folder.removeFile(name)
        } catch {
            guard error.errno == ENOENT else { throw error }
        }
        return try folder.openBeneath(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
    }

    private static func failure(_ path: String, of error: SystemError) -> SandboxError {
        SandboxError("report", cause: "\(Escaped(path)): \(Errno.text(error.errno))")
    }
}
