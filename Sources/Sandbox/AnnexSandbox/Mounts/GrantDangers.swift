internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// What nobody should hand over, on purpose or by way of a link: also whoever's home this process has.
struct GrantDangers {
    private let home: String?

    init() {
        // SAFETY: the text is copied before anything can change the environment.
        let named = unsafe getenv("HOME").map { unsafe String(cString: $0) }
        home = named.flatMap { try? HostPath.resolve($0).path }
    }

    /// - Parameters:
    ///   - place: where a path leads, without any link.
    ///   - spelling: the path, which was looked at already.
    func danger(of place: String, _ rights: PathRights, spelled spelling: String) -> String? {
        if home.map({ PathText.isSame($0, place) }) == true { return "it is your home: name what is needed in it" }
        if PathText.isSame(place, spelling) { return nil }
        return PathText.danger(place, rights).map { "it leads to \(Escaped(place)): \($0)" }
    }
}
