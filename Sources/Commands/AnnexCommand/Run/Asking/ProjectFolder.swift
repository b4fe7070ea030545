import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Glibc

/// A directory whose project file the user may rely on.
///
/// Only the caller can write to the directory and the file, and neither of them is a link. Otherwise another user, or
/// the maker of a link, could decide what the caller's programs may do.
struct ProjectFolder: ~Copyable {
    /// The directory's path without links.
    let path: String
    private let directory: Descriptor

    /// The largest project file in bytes.
    private static let largest = 64 << 10

    var place: String { path == "/" ? "/" + ProjectFile.name : path + "/" + ProjectFile.name }

    /// - Throws: an error if the directory belongs to another user, or if others can write to it.
    init(_ path: String) throws(SystemError) {
        let opened = try Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        try opened.checkOwn(path)
        self.path = path
        directory = opened
    }

    /// The nearest directory with a project file: the given directory or one above it. The search does not go above the
    /// home directory.
    static func nearest(from directory: String, home: String?) -> String? {
        var path = directory
        while true {
            var status = stat()
            let place = (path == "/" ? "" : path) + "/" + ProjectFile.name
            // SAFETY: the text is a NUL-terminated copy, and the structure belongs to this frame.
            if unsafe lstat(place, &status) == 0 { return path }
            if path == "/" || path == home { return nil }
            path = path.parentPath
        }
    }

    /// The file's bytes.
    /// - Throws: `ENOENT` if there is no file. Another error if the file is a link, has a second name (hard link), or
    ///   is not a regular file. Also an error if the file belongs to another user, or if others can write to it.
    func read() throws(SystemError) -> [UInt8] {
        let file = try directory.openBeneath(ProjectFile.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        try file.checkOwn(place)
        let status = try file.status()
        guard status.kind == .regular, status.links == 1 else {
            throw SystemError("open", errno: EPERM, path: place, remedy: "it must be a regular file with one name")
        }
        return try file.readAll(atMost: Self.largest)
    }

    /// Replaces the file.
    func write(_ text: String) throws(SystemError) {
        try directory.replace(ProjectFile.name, with: Array(text.utf8), mode: 0o644)
    }
}
