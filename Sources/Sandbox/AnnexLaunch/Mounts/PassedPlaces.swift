package import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// What a path with `..` passes. The kernel follows the links before a `..`, and enters the directory that the `..`
/// leaves. So the same spelling works in a sandbox only if the sandbox has these links and directories.
package struct PassedPlaces: Sendable {
    /// The links that were followed.
    private(set) var links: [LaunchPlan.Link] = []
    /// The directories that a `..` left, without links.
    private(set) var directories: [String] = []

    package init() {}

    package mutating func add(_ more: PassedPlaces) {
        links += more.links
        for directory in more.directories where !directories.contains(directory) { directories.append(directory) }
    }

    /// The path without `.` and `..`, and what it passes. A `..` leads where it leads the kernel. Links behind the last
    /// `..` are not followed.
    /// - Throws: what `HostPath.resolve` throws about the directory before a `..`.
    package static func walk(_ path: String) throws(SystemError) -> (path: String, passed: PassedPlaces) {
        var passed = PassedPlaces()
        let parts = PathText.parts(path)
        guard parts.contains("..") else { return (PathText.resolved(path), passed) }
        var reached = "/"
        for part in parts where part != "." {
            if part != ".." {
                reached = reached == "/" ? "/" + part : reached + "/" + part
                continue
            }
            let host = try HostPath.resolve(reached)
            guard host.isDirectory else { throw SystemError("open", errno: ENOTDIR, path: reached) }
            passed.links += host.links
            if !passed.directories.contains(host.path) { passed.directories.append(host.path) }
            reached = host.path.parentPath
        }
        return (reached, passed)
    }
}
