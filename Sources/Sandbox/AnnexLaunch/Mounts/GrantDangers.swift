internal import AnnexLinux
package import AnnexPolicy
internal import Glibc

/// Finds host paths that are too dangerous to hand over, even through a link. One of them is the home of this process's
/// user.
package struct GrantDangers {
    private let home: String?

    package init() {
        // SAFETY: the text is copied before anything can change the environment.
        let named = unsafe getenv("HOME").map { unsafe String(cString: $0) }
        home = named.flatMap { try? HostPath.resolve($0).path }
    }

    /// - Parameters:
    ///   - place: where the path leads, with every link resolved.
    ///   - spelling: the path as spelled, which was checked before.
    package func danger(of place: String, _ rights: PathRights, spelled spelling: String) -> String? {
        if home.map({ PathText.isSame($0, place) }) == true { return "it is your home: name what is needed in it" }
        if PathText.isSame(place, spelling) { return nil }
        return PathText.danger(place, rights).map { "it leads to \(Escaped(place)): \($0)" }
    }
}
