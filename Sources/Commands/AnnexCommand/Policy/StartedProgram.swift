import Glibc

/// Files that the kernel executes when it starts a program. The program itself makes no call that shows them.
enum StartedProgram {
    /// The program and, for a script, its interpreter. Each absolute path is returned as it is and with links resolved.
    /// A name without a slash is first looked up in `PATH`; a relative path is returned with links resolved only. The
    /// dynamic linker, and the interpreter of an interpreter, are not among the files.
    static func files(_ name: String) -> [String] {
        guard let path = located(name) else { return [] }
        var files = [path]
        if let interpreter = interpreter(of: path) { files.append(interpreter) }
        let resolved = files.compactMap { path -> String? in
            guard let found = realpath(path, nil) else { return nil }
            defer { free(found) }
            return String(cString: found)
        }
        return Array(Set(files + resolved)).sorted()
    }

    private static func located(_ name: String) -> String? {
        if name.contains("/") { return name.hasPrefix("/") ? name : absolute(name) }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static func absolute(_ name: String) -> String? {
        guard let found = realpath(name, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// The interpreter that the first line names after `#!`; nil if there is none.
    private static func interpreter(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var start = [UInt8](repeating: 0, count: 256)
        let count = read(file, &start, start.count)
        guard count > 2, start[0] == 0x23, start[1] == 0x21 else { return nil }
        let line = start[2..<count].prefix { $0 != 0x0A }
        return line.split(separator: 0x20).first.map { String(decoding: $0, as: UTF8.self) }
    }
}
