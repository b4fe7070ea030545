package import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The place to which a path on the host leads, and the links on the path. Some links, such as `/bin` that points at
/// `usr/bin`, lie in no bound directory. These links must be made again in the sandbox. Otherwise their names would
/// lead nowhere in the sandbox.
package struct HostPath: ~Copyable {
    /// The path with every link resolved.
    package let path: String
    /// The object to which the path leads, as an `O_PATH` descriptor.
    package let object: Descriptor
    package let isDirectory: Bool
    /// Every link on the path, with the path at which it was found.
    package let links: [LaunchPlan.Link]

    /// The number of the object's descriptor. The caller must close this descriptor.
    package consuming func releaseObject() -> Int32 { object.release() }

    /// The most links that are followed, as in the kernel.
    private static let mostLinks = 40

    /// - Parameter trusting: whether to follow links that a program in a sandbox made. Use this only for files that are
    ///   executed anyway.
    /// - Throws: `ENOENT` if there is nothing at the path, `ELOOP` after too many links, `ESTALE` if the path changed
    ///   meanwhile, and `EPERM` if a program in a sandbox made a link on the path.
    package static func resolve(_ path: String, trusting: Bool = false) throws(SystemError) -> HostPath {
        if let host = try plain(path) { return host }
        return try walked(path, trusting: trusting)
    }

    /// Resolves a path on which no link is followed. The kernel looks for links while it opens the object. So no program
    /// can put a link on the path between a check and the use.
    /// - Throws: `ELOOP` with the path of the first link if there is a link on the path.
    package static func resolve(withoutLinks path: String) throws(SystemError) -> HostPath {
        if let host = try plain(path) { return host }
        let link = try firstLink(on: path)
        throw SystemError(
            "open", errno: ELOOP, path: link?.target ?? path,
            remedy: link.map { "name its target (\(Escaped($0.contents))) instead, if you trust the link" })
    }

    /// The first link on a path; nil if there is none any more.
    private static func firstLink(on path: String) throws(SystemError) -> LaunchPlan.Link? {
        var place = ""
        for part in PathText.parts(path) {
            place += "/" + part
            if let contents = try contents(ofLink: place, true) { return LaunchPlan.Link(at: place, to: contents) }
        }
        return nil
    }

    /// Resolves a path without links in one call. Most paths have no links. nil if there may be a link on the path.
    private static func plain(_ path: String) throws(SystemError) -> HostPath? {
        guard let plain = spelledPlainly(path) else { return nil }
        let object: Descriptor
        do throws(SystemError) {
            object = try Descriptor.open(withoutLinks: plain, Descriptor.pathOnly)
        } catch {
            guard error.errno == ELOOP || error.errno == EXDEV else {
                throw SystemError(error.call, errno: error.errno, path: path)
            }
            return nil
        }
        let isDirectory = try object.status().kind == .directory
        return HostPath(path: plain, object: object, isDirectory: isDirectory, links: [])
    }

    /// The path without needless slashes; nil for the root, and if the path has a part `.` or `..`.
    private static func spelledPlainly(_ path: String) -> String? {
        if PathText.isPlain(path) { return path == "/" ? nil : path }
        let parts = PathText.parts(path)
        guard !parts.isEmpty, !parts.contains(".."), !parts.contains(".") else { return nil }
        return "/" + parts.joined(separator: "/")
    }

    /// Where a path leads, also if its last parts do not exist yet, and the links on the path. The result is for
    /// comparisons with other paths, because nothing is opened.
    package static func leading(
        _ path: String
    ) throws(SystemError) -> (place: String, links: [LaunchPlan.Link]) {
        try walk(path) { place throws(SystemError) in
            do throws(SystemError) {
                return try contents(ofLink: place, true)
            } catch {
                guard error.errno == ENOENT || error.errno == ENOTDIR else { throw error }
                return nil
            }
        }
    }

    private static func walked(_ path: String, trusting: Bool) throws(SystemError) -> HostPath {
        let (place, links) = try walk(path) { place throws(SystemError) in try contents(ofLink: place, trusting) }
        return try opened(place, links: links)
    }

    /// - Parameter contents: the contents of a link; nil if the path is no link.
    private static func walk(
        _ path: String, contents: (_ place: String) throws(SystemError) -> String?
    ) throws(SystemError) -> (place: String, links: [LaunchPlan.Link]) {
        var waiting = Array(PathText.parts(path).map(String.init).reversed())
        var reached = "/"
        var links: [LaunchPlan.Link] = []
        while let part = waiting.popLast() {
            if part == "." { continue }
            if part == ".." {
                reached = reached.parentPath
                continue
            }
            let place = reached == "/" ? "/" + part : reached + "/" + part
            guard let contents = try contents(place) else {
                reached = place
                continue
            }
            links.append(LaunchPlan.Link(at: place, to: contents))
            guard links.count <= mostLinks else { throw SystemError("readlink", errno: ELOOP, path: path) }
            if contents.hasPrefix("/") { reached = "/" }
            waiting += PathText.parts(contents).map(String.init).reversed()
        }
        return (reached, links)
    }

    private static func opened(_ path: String, links: [LaunchPlan.Link]) throws(SystemError) -> HostPath {
        let object = try Descriptor.reference(to: path)
        // The path was walked by name. If a component was replaced by a link meanwhile, the opened object is a
        // different object.
        guard PathText.isSame(try LaunchPlan.path(of: object), as: path) else {
            throw SystemError("open", errno: ESTALE, path: path)
        }
        let isDirectory = try object.status().kind == .directory
        return HostPath(path: path, object: object, isDirectory: isDirectory, links: links)
    }

    /// The contents of a link; nil if the path is no link.
    private static func contents(ofLink path: String, _ trusting: Bool) throws(SystemError) -> String? {
        var seen = stat()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe lstat(path, &seen) == 0 else { throw SystemError("lstat", errno: Glibc.errno, path: path) }
        guard seen.st_mode & S_IFMT == S_IFLNK else { return nil }
        // The owner and the contents are read through one descriptor, so that both belong to the same link even if the
        // name changes.
        let link = try Descriptor.open(path, Descriptor.pathOnly | O_NOFOLLOW)
        let status = try link.status()
        guard status.kind == .symbolicLink else { throw SystemError("readlink", errno: ESTALE, path: path) }
        // A link that a program made for root belongs to root, but its group is still the program's own.
        let isPlanted = [status.user, status.group].contains { IdentityRange.standard.contains($0) }
        guard trusting || !isPlanted else {
            throw SystemError(
                "readlink", errno: EPERM, path: path,
                remedy: "a program in a sandbox made this link: name its target instead, if you trust it")
        }
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        let file = link.number
        // SAFETY: an empty path names the descriptor itself; readlinkat writes at most the array's size.
        let count = unsafe readlinkat(file, "", &room, room.count)
        guard count >= 0 else { throw SystemError("readlink", errno: Glibc.errno, path: path) }
        guard let text = String(validating: room.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) else {
            throw SystemError("readlink", errno: EILSEQ, path: path)
        }
        return text
    }
}

extension String {
    /// Whether this path is `directory` or below it.
    package func isWithin(_ directory: String) -> Bool { PathText.isPath(self, within: directory) }

    /// The directory that holds this absolute path.
    package var parentPath: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")), slash != startIndex else { return "/" }
        return String(self[..<slash])
    }
}
