internal import AnnexLinux
package import AnnexPolicy
internal import Glibc

/// Finds host paths that are too dangerous to give to a sandbox, even through a link. The home directory of this
/// process's user is one of them. The directory with the user's notes on project files is another one.
package struct GrantDangers {
    private let home: String?

    package init() {
        // SAFETY: the text is copied before anything can change the environment.
        let named = unsafe getenv("HOME").map { unsafe String(cString: $0) }
        home = named.flatMap { try? HostPath.resolve($0).path }
    }

    /// - Parameters:
    ///   - place: the path with every link resolved.
    ///   - spelling: the path as the grant spells it. This spelling was checked before the call.
    package func danger(of place: String, _ rights: PathRights, spelled spelling: String) -> String? {
        if home.map({ PathText.isSame($0, as: place) }) == true {
            return "it is your home: name the files or directories in it that are needed"
        }
        if rights.contains(.write), let notes = ProjectNotes.place, PathText.isPath(place, within: notes) {
            return ProjectNotes.protection(of: notes)
        }
        if !PathText.isSame(place, as: spelling), let danger = PathText.danger(place, rights: rights) {
            return "it leads to \(Escaped(place)): \(danger)"
        }
        // An ordinary user has no right to change the system's files, wherever they are.
        guard rights.contains(.write), geteuid() == 0, let shown = Self.system(shownIn: place) else { return nil }
        return "a mount shows the system's own files at \(Escaped(shown)), and no policy may grant `write` on them: "
            + "unmount it"
    }

    /// The path at which a mount shows the system's own files, at a place or below it; nil if none does.
    private static func system(shownIn place: String) -> String? {
        guard let mounts = MountTable.read() else { return nil }
        let system = mounts.files(
            at: PathText.ofTheSystem.map { path in Array(((try? HostPath.leading(path).place) ?? path).utf8) })
        let view = mounts.views(within: Array(place.utf8)).first { view in
            system.contains { view.lies(in: $0) || $0.lies(in: view) }
        }
        return view.map { PathText.text($0.point) }
    }
}

/// The directory in which `annex run` notes the project files that the user has allowed. A program that changes it could
/// allow files for the user. So no launch hands it over for writing.
package enum ProjectNotes {
    /// Why no program may change the directory at this path.
    package static func protection(of place: String) -> String {
        "\(Escaped(place)) lists the project files that you have allowed, so no program may change it"
    }

    /// The directory's path; nil if `XDG_STATE_HOME` and `HOME` both name no directory.
    package static var folder: String? {
        let home = UserEnvironment.path("HOME").map { $0 + "/.local/state" }
        return (UserEnvironment.path("XDG_STATE_HOME") ?? home).map { $0 + "/annex/run" }
    }

    /// The directory's path without links; nil if nobody can use the directory. The directory need not exist.
    package static var place: String? { folder.flatMap { try? HostPath.leading($0).place } }
}
