/// Rights on a file, or on everything below a directory.
public struct PathRights: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Files may be read, and directories may be listed.
    public static let read = PathRights(rawValue: 1)
    /// Files may be changed, created, renamed and removed.
    public static let write = PathRights(rawValue: 2)
    /// Programs may be executed.
    public static let execute = PathRights(rawValue: 4)

    /// Whether a program with these rights could execute a file that it wrote.
    package var isWritableCode: Bool { isSuperset(of: [.write, .execute]) }

    /// The rights as policies spell them.
    package static let names: [(name: String, right: PathRights)] = [
        ("read", .read), ("write", .write), ("execute", .execute),
    ]

    /// The single rights, in their usual order.
    package var each: [PathRights] { Self.names.map(\.right).filter { contains($0) } }
}

extension PathRights: CustomStringConvertible {
    /// For example `[read, execute]`, as in a policy's text.
    public var description: String {
        "[" + Self.names.filter { contains($0.right) }.map(\.name).joined(separator: ", ") + "]"
    }
}

/// Functions on the paths of policies, and the rules that say which paths no policy may grant.
package enum PathText {
    /// The path of the extension's own bundle inside the sandbox.
    package static let bundle = "/bundle"
    /// The path of `Frameworks` of the extension's app inside the sandbox.
    package static let frameworks = "/frameworks"

    /// The parts of an absolute path. For the kernel, a path is a sequence of bytes. So a slash separates parts even
    /// before a combining mark.
    package static func parts(_ path: String) -> [Substring] {
        path.utf8.split(separator: slash).map(Substring.init)
    }

    /// Whether two paths are the same for the kernel. `==` would compare by Unicode equivalence instead.
    package static func isSame(_ first: String, as second: String) -> Bool { first.utf8.elementsEqual(second.utf8) }

    /// Whether `path` is `directory` or below it.
    package static func isPath(_ path: String, within directory: String) -> Bool {
        // Launches compare thousands of paths. Most of them differ in this one byte.
        let (bytes, count) = (path.utf8, directory.utf8.count)
        guard bytes.count >= count else { return false }
        if directory != "/", bytes.count > count, bytes[bytes.index(bytes.startIndex, offsetBy: count)] != slash {
            return false
        }
        return bytes.starts(with: directory.utf8)
    }

    /// Whether the first path precedes the second in the order of their bytes. A directory precedes the paths below it.
    package static func isPath(_ first: String, before second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }

    private static let slash = UInt8(ascii: "/")

    /// Whether an absolute path is spelled plainly: without needless slashes, and with no part `.` or `..`.
    package static func isPlain(_ path: String) -> Bool {
        var bytes = path.utf8.makeIterator()
        guard bytes.next() == slash else { return false }
        // A part is not plain if it is empty, `.` or `..`: at most two bytes, all of them dots.
        var (length, dots) = (0, 0)
        while let byte = bytes.next() {
            if byte == slash {
                guard length > 2 || length > dots else { return false }
                (length, dots) = (0, 0)
            } else {
                length += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
            }
        }
        return length > 2 || length > dots || path.utf8.count == 1
    }

    /// The path without `.`, without `..` and without needless slashes. Only the spelling of the path is resolved, not
    /// its links.
    package static func resolved(_ path: String) -> String {
        // Most paths are plain, and `joined` is slow.
        if isPlain(path) { return path }
        var kept: [Substring] = []
        for part in parts(path) where part != "." {
            if part == ".." { _ = kept.popLast() } else { kept.append(part) }
        }
        return "/" + kept.joined(separator: "/")
    }

    /// The path as a YAML scalar.
    package static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            byte >= 0x2B && byte <= 0x39 && byte != 0x2C || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A
                || byte == 0x5F
        }
        return isPlain ? path : "'" + path.replacing("'", with: "''") + "'"
    }

    /// The fault of a path's spelling; nil if the path is spelled plainly.
    package static func misspelling(_ path: String) -> String? {
        if path.hasPrefix("~") || path.hasPrefix("$") {
            return "a policy expands neither `~` nor variables: write the whole path"
        }
        if !isUTF8(path) { return "a path that is not UTF-8 cannot be named: rename the file" }
        guard path.hasPrefix("/") else { return "a path must start with `/`" }
        guard path.utf8.count < 4096 else { return "a path must be shorter than 4096 bytes" }
        guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return "a path must not contain control characters"
        }
        if path.contains(where: { "*?[".contains($0) }) { return "patterns are not supported: name the directory" }
        let parts = path.utf8.dropFirst().split(separator: slash, omittingEmptySubsequences: false).map(Substring.init)
        if parts.contains("..") || parts.contains(".") {
            return "`.` and `..` are not allowed: write the resolved path"
        }
        if path != "/", parts.contains("") { return "the path has a double or trailing slash: remove it" }
        return nil
    }

    /// Why no policy may grant this path with these rights; nil if a policy may grant it.
    package static func danger(_ path: String, rights: PathRights) -> String? {
        if path == "/" { return "`/` contains every file: name the directories that are needed" }
        if let reason = madeInside(path) { return reason }
        if isHome(path) { return "a home contains all files of its owner: name the directories in it that are needed" }
        guard rights.contains(.write) else { return nil }
        if isOfTheSystem(path) {
            return "no policy may grant `write` on the system's own files"
        }
        if shared.contains(path) {
            return "many programs share this directory: name the directories in it that are needed"
        }
        return nil
    }

    /// Why the path cannot be a private directory; nil if it can be one.
    static func dangerAsPrivate(_ path: String) -> String? {
        if path == "/" { return "the root cannot be private" }
        if let reason = madeInside(path) { return reason }
        if isOfTheSystem(path) { return "it would hide the system's own files" }
        return nil
    }

    /// Why the path is reserved for files that the sandbox itself creates; nil if it is not reserved.
    package static func madeInside(_ path: String) -> String? {
        if isPath(path, within: "/proc") { return "`paths: proc` decides which part of /proc the sandbox contains" }
        if isPath(path, within: "/dev") { return "`devices` decides which part of /dev the sandbox contains" }
        if isPath(path, within: bundle) { return "`paths: bundle` decides the rights on the bundle" }
        if isPath(path, within: frameworks) { return "`Frameworks` of the extension's app is there" }
        let kernel = ["/sys/fs", "/sys/kernel", "/sys/firmware"]
        if path == "/sys" || kernel.contains(where: { isPath(path, within: $0) }) {
            return "the path belongs to the kernel"
        }
        return nil
    }

    /// Whether the path is one of the system's own directories, or lies in one.
    package static func isOfTheSystem(_ path: String) -> Bool { ofTheSystem.contains { isPath(path, within: $0) } }

    /// The directories in which the machine's services keep their files. Some of these files are secrets that only root
    /// may read.
    package static let ofServices = ofTheSystem + ["/run", "/var"]

    /// The directories in those in which users keep files of their own.
    package static let ofUsersInServices = ["/run/media", "/var/home", "/var/roothome", "/var/tmp"]

    private static func isHome(_ path: String) -> Bool {
        if ["/home", "/root", "/var/home", "/var/root"].contains(path) { return true }
        let parts = parts(path)
        return parts.count == 2 && parts[0] == "home" || parts.count == 3 && parts[0] == "var" && parts[1] == "home"
    }

    package static let ofTheSystem = [
        "/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/sys", "/usr",
    ]

    /// The directories that many programs share.
    package static let shared: Set<String> = [
        "/media", "/mnt", "/opt", "/run", "/srv", "/tmp", "/var", "/var/lib", "/var/run", "/var/tmp",
    ]
}
