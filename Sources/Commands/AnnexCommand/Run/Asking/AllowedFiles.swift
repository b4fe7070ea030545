import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSigning
import Glibc

/// The project files that the user has allowed, each with its present contents.
///
/// Another person may have written a project file, and a program that may write to the file's directory can change
/// it. So a project file counts only as long as it has the contents that the user allowed last. There is one note for
/// each place. So if the user allows other contents, an older file no longer counts, even if a program brings it back.
struct AllowedFiles {
    /// The directory with the notes. Each note is a file, and its first line is a digest of place and contents.
    let folder: String

    /// The largest note in bytes: the digest and the escaped path.
    private static let largest = 8 << 10

    /// - Returns: the user's allowed files; nil if `XDG_STATE_HOME` and `HOME` both name no directory.
    static var ofUser: AllowedFiles? { ProjectNotes.folder.map(AllowedFiles.init(folder:)) }

    /// The directory, if it lies in a path that the program may change. The sandbox must then keep the program from
    /// changing the directory, because the program could otherwise allow files for the user.
    /// - Parameters:
    ///   - policy: the policy, whose own paths count, too.
    ///   - privateDirectory: the directory on the host that becomes the program's private directory.
    static func kept(from given: GivenPaths, policy: Policy, privateDirectory: String?) throws -> String? {
        guard let folder = ProjectNotes.folder else { return nil }
        let granted = policy.paths.grants.filter { $0.rights.contains(.write) }.map(\.path)
        let written = given.written.map(\.path) + granted.compactMap(GivenPaths.resolved)
        guard !written.isEmpty || privateDirectory != nil else { return nil }
        let own = privateDirectory.flatMap(GivenPaths.resolved)
        let (notes, links) = try HostPath.leading(folder)
        try reject(links.map(\.target), in: written + (own.map { [$0] } ?? []), leadingTo: notes)
        if let own, isDirectory(own, around: notes) {
            throw SandboxError(
                "private directory",
                cause: "\(Escaped(own)) cannot be the private directory: \(ProjectNotes.protection(of: notes))",
                remedy: "name another directory")
        }
        // The launch itself refuses a path in the directory.
        let isInside = written.contains { PathText.isPath(notes, within: $0) && !PathText.isSame(notes, as: $0) }
        guard isInside else { return nil }
        try Descriptor.makeDirectories(notes, mode: 0o700)
        return notes
    }

    /// Whether a private directory shows the notes. In the sandbox, they would have another path there, so the sandbox
    /// could not protect them. The result is false for a directory that no run accepts as a private directory.
    private static func isDirectory(_ own: String, around notes: String) -> Bool {
        let rights: PathRights = [.read, .write]
        guard PathText.danger(own, rights: rights) == nil,
            GrantDangers().danger(of: own, rights, spelled: own) == nil
        else { return false }
        return PathText.isPath(notes, within: own) || PathText.isPath(own, within: notes)
    }

    /// Rejects a link that leads to the notes and lies where the program may write. A mount cannot keep a link in its
    /// place. So the program could replace the link, and lead the next run to notes of its own.
    private static func reject(_ links: [String], in written: [String], leadingTo notes: String) throws(SystemError) {
        let found = links.first { link in written.contains { PathText.isPath(link, within: $0) } }
        guard let found else { return }
        throw SystemError(
            "hand over for writing", errno: EPERM, path: found,
            remedy: "\(ProjectNotes.protection(of: notes)), and this link leads there: hand over a directory without "
                + "the link, or replace the link by a directory")
    }

    /// Whether the user allowed this file with these contents, and no other contents since then.
    func contain(_ place: String, contents: [UInt8]) -> Bool {
        guard let directory = try? ownDirectory(),
            let file = try? directory.openBeneath(
                Self.name(place), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY),
            (try? file.checkOwn(folder)) != nil, let status = try? file.status(),
            status.kind == .regular, status.links == 1, let note = try? file.readAll(atMost: Self.largest)
        else { return false }
        return note.starts(with: Self.line(place, contents: contents))
    }

    /// Notes that the user allowed this file with these contents. The note replaces the note on earlier contents in one
    /// step, so at any moment exactly one text is allowed.
    func set(_ place: String, contents: [UInt8]) throws(SystemError) {
        try makeFolder()
        let directory = try ownDirectory()
        // The path is only for people who look for the note.
        let path = "\(Escaped(place, limit: 4_096))\n"
        try directory.replace(Self.name(place), with: Self.line(place, contents: contents) + Array(path.utf8))
    }

    /// Removes the note, if there is one. After that, no contents of this file are allowed.
    func remove(_ place: String) throws(SystemError) {
        do throws(SystemError) {
            try ownDirectory().removeFile(Self.name(place))
        } catch  where error.errno == ENOENT {}
    }

    func makeFolder() throws(SystemError) { try Descriptor.makeDirectories(folder, mode: 0o700) }

    private func ownDirectory() throws(SystemError) -> Descriptor {
        let directory = try Descriptor.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        try directory.checkOwn(folder)
        return directory
    }

    /// The name of the note on a project file. It depends on the file's place only.
    private static func name(_ place: String) -> String { Digest(ofFile: Array(place.utf8)).hex }

    /// The first line of a note. No path contains a NUL byte, so different pairs of place and contents give different
    /// bytes.
    private static func line(_ place: String, contents: [UInt8]) -> [UInt8] {
        Array("\(Digest(ofFile: Array(place.utf8) + [0] + contents).hex)\n".utf8)
    }
}
