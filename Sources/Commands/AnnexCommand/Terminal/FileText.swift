import Glibc

/// Reads the files that a command line names. Each file is read as a whole.
enum FileText {
    /// The reason why a file could not be read, in one line.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The bytes of a file. If the file has more than `limit` bytes, this is an error. So even a pipe or a device
    /// without an end is not read for ever.
    ///
    /// - Parameter onlyRegular: whether a pipe or a device is refused at once. The call then does not wait for data.
    static func bytes(of path: String, limit: Int, onlyRegular: Bool = false) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (onlyRegular ? O_NONBLOCK : 0))
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path) }
        guard !onlyRegular || status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(description: "\(path): not a regular file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= limit else { throw Failure(description: "\(path): longer than \(limit) bytes") }
        }
    }

    /// The names in a folder, sorted.
    static func names(in folder: String) throws -> [String] {
        guard let directory = opendir(folder) else { throw failure(folder) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names.sorted()
    }

    /// Whether two paths lead to the same file.
    static func isSame(_ path: String, as other: String) -> Bool {
        var (one, two) = (stat(), stat())
        guard stat(path, &one) == 0, stat(other, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func failure(_ path: String) -> Failure {
        Failure(description: "\(path): \(String(cString: strerror(errno)))")
    }
}
