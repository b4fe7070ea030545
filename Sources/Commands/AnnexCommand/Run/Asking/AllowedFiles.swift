import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSigning
import Glibc

/// The project files that the user has allowed, each by its place and contents.
///
/// Another person may have written a project file, and a program that may write to the file's directory can change
/// it. So a project file counts only as long as it has the contents that the user allowed.
struct AllowedFiles {
    /// The directory with one empty file for each allowed project file.
    let folder: String

    /// - Returns: the user's allowed files; nil if `XDG_STATE_HOME` and `HOME` both name no directory.
    static var ofUser: AllowedFiles? {
        let home = UserEnvironment.path("HOME").map { $0 + "/.local/state" }
        return (UserEnvironment.path("XDG_STATE_HOME") ?? home).map { AllowedFiles(folder: $0 + "/annex/run") }
    }

    /// The directory, if it lies in a path that the program may change. The sandbox must then keep the program from
    /// changing the directory, because the program could otherwise allow files for the user. If root calls `annex
    /// run`, the result is nil: the program runs as another user, and files of another user do not count.
    static func kept(from given: GivenPaths) throws(SystemError) -> String? {
        guard geteuid() != 0, let allowed = ofUser, !given.written.isEmpty else { return nil }
        let place = PathText.resolved(allowed.folder)
        guard let outer = given.written.first(where: { PathText.isPath(real(place), within: $0.path) }) else {
            return nil
        }
        guard !PathText.isSame(outer.path, as: real(place)) else {
            throw SystemError(
                "hand over for writing", errno: EPERM, path: outer.path,
                remedy: "this directory lists the project files that you have allowed, so no program may change it: "
                    + "leave the option out")
        }
        try allowed.makeFolder()
        return GivenPaths.resolved(place) ?? outer.path
    }

    /// The path without links. Links are resolved as far as the path's directories exist.
    private static func real(_ path: String) -> String {
        if let real = GivenPaths.resolved(path) { return real }
        return path == "/" ? path : real(path.parentPath) + "/" + (PathText.parts(path).last ?? "")
    }

    /// Whether the user allowed this file with these contents.
    func contain(_ place: String, contents: [UInt8]) -> Bool {
        guard let directory = try? ownDirectory(),
            let file = try? directory.openBeneath(
                Self.name(place, contents: contents), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        else { return false }
        return (try? file.checkOwn(folder)) != nil
    }

    /// Notes that the user allowed this file with these contents.
    func add(_ place: String, contents: [UInt8]) throws(SystemError) {
        try makeFolder()
        let name = Self.name(place, contents: contents)
        do throws(SystemError) {
            _ = try ownDirectory().openBeneath(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        } catch  where error.errno == EEXIST {}
    }

    func makeFolder() throws(SystemError) { try Descriptor.makeDirectories(folder, mode: 0o700) }

    private func ownDirectory() throws(SystemError) -> Descriptor {
        let directory = try Descriptor.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        try directory.checkOwn(folder)
        return directory
    }

    /// The name of the empty file for a project file: a digest of its place and contents. No path contains a NUL byte,
    /// so different pairs of place and contents give different bytes.
    private static func name(_ place: String, contents: [UInt8]) -> String {
        Digest(ofFile: Array(place.utf8) + [0] + contents).hex
    }
}
