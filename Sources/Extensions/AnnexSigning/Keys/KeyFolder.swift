internal import AnnexLinux
internal import Glibc

/// The folder of a key's files. A file appears in the folder completely or not at all, and no file is ever overwritten.
struct KeyFolder: ~Copyable {
    private let folder: Descriptor

    /// - Parameter path: the path of a file. The initialiser opens the folder of this file.
    init(of path: String) throws(SystemError) {
        folder = try Descriptor.directory(Self.split(path).folder)
    }

    /// Splits a path into the folder and the name of the file.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        return (String(path[...slash]), String(path[path.utf8.index(after: slash)...]))
    }

    /// Creates a file under a free name. If the program is killed, either the whole file or no file has this name.
    /// - Throws: `EEXIST` if the name is taken.
    func make(_ name: String, mode: UInt32, bytes: UnsafeRawBufferPointer) throws(SystemError) {
        // SAFETY: the caller's buffer outlives the call.
        try unsafe folder.createNew(name, with: bytes, mode: mode)
    }

    func remove(_ name: String) {
        try? folder.removeFile(name)
    }

    /// Opens a file that must be a regular file. If the file is a pipe, the call does not block.
    static func open(_ path: String) throws(SystemError) -> Descriptor {
        let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        guard try file.status().kind == .regular else {
            throw SystemError("open", errno: EINVAL, path: path, remedy: "name an ordinary file")
        }
        return file
    }
}
