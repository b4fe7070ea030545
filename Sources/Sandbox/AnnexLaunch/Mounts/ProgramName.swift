internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The name by which the caller started a program: the path that was given, or the path that was found on `PATH`.
///
/// Outside, the kernel hands this name to the interpreter of a script, and some scripts look at their own name. So a
/// script is started under this name wherever the name leads, in the sandbox, to the script that was checked. The
/// executable itself is found by its name only if nobody but root could change the way meanwhile.
package struct ProgramName: Sendable {
    /// The name: a path, which may be relative and may have links.
    private let path: String
    /// The same as an absolute path.
    private let absolute: String
    /// The directory from which a relative name leads to the program; nil if it is unknown.
    private let directory: String?
    /// The object to which the name leads.
    private let device: UInt64
    private let inode: UInt64
    /// The links on the name.
    let links: [LaunchPlan.Link]
    /// The index of the program's own name in the arguments. Before the name of a script, there are its interpreters.
    package var argument = 0
    /// Whether the kernel may follow the name to execute the program.
    private var isExecuted: Bool

    /// nil if the object's identity is unknown, or if the name is too long for a path.
    /// - Parameter directory: this process's working directory.
    package init?(
        _ name: String, at absolute: String, in directory: String?, leadingTo host: borrowing HostPath
    ) {
        guard let status = try? host.object.status(), absolute.utf8.count < Int(PATH_MAX) else { return nil }
        // An interpreter would take a name that begins with a hyphen for an option.
        path = name.hasPrefix("-") ? absolute : name
        (self.absolute, self.directory) = (absolute, directory)
        (device, inode) = (status.device, status.inode)
        isExecuted = !Self.leavesDirectory(absolute)
        links = host.links
    }

    /// Notes one more file that the kernel would find by its name: the program, or an interpreter.
    package mutating func pass(_ host: borrowing HostPath) {
        isExecuted = isExecuted && Self.isSettled(host)
    }

    /// The name for a program whose working directory is this one.
    func seen(from place: String) -> LaunchPlan.Name {
        let isHere = directory.map { PathText.isSame($0, as: place) } ?? false
        return LaunchPlan.Name(
            path: path.hasPrefix("/") || isHere ? path : absolute, device: device, inode: inode, argument: argument,
            isExecuted: isExecuted)
    }

    // MARK: - The way to a file

    /// Whether a path enters a directory that a later `..` leaves. The way to the object does not show this directory, and
    /// whoever can exchange it can lead the path elsewhere.
    private static func leavesDirectory(_ path: String) -> Bool {
        PathText.parts(path).drop { $0 == ".." }.contains("..")
    }

    /// Whether only root can change what lies on a path, and no sandbox can get the right to. The second condition is
    /// for the programs of root.
    private static func isSettled(_ host: borrowing HostPath) -> Bool {
        guard !host.links.contains(where: { leavesDirectory($0.contents) }) else { return false }
        var seen: Set<String> = ["/"]
        for end in host.links.map(\.target) + [host.path] {
            guard end.parentPath == "/" || PathText.isOfTheSystem(end) else { return false }
            var place = end
            while seen.insert(place).inserted {
                guard isRoots(place) else { return false }
                place = place.parentPath
            }
        }
        return isRoots("/")
    }

    /// Whether only root can change the object at this path. A link has no mode of its own.
    private static func isRoots(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe lstat(path, &status) == 0, status.st_uid == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFLNK || status.st_mode & 0o022 == 0
    }
}
