import AnnexLinux
import AnnexPolicy
import AnnexShippedPolicies

/// HOME of a program whose HOME lies in its own directory, such as `/tmp`, and the caller's home.
///
/// The program finds nothing of the caller's home there, and what it writes there is gone at the end.
struct ProgramsHome {
    /// HOME of the program.
    let place: String
    /// The program's own directory, which is or contains HOME.
    let scratch: String
    /// The caller's home without links; nil if there is none.
    let real: String?

    /// - Parameter value: HOME of the program, if the caller has set it; nil if the policy decides.
    /// - Returns: nil if HOME does not lie in the program's own directory.
    init?(_ value: [UInt8]?, policy: Policy) {
        guard let text = value.map(PathText.text) ?? policy.paths.home, text.hasPrefix("/"),
            let scratch = policy.paths.scratch?.path
        else { return nil }
        let place = PathText.resolved(text)
        guard PathText.isSame(place, as: scratch) || PathText.isPath(place, within: scratch) && policy.isPrivate(place)
        else { return nil }
        self.place = place
        self.scratch = scratch
        real = UserEnvironment.path("HOME").flatMap(GivenPaths.resolved).flatMap { $0 == "/" ? nil : $0 }
    }

    /// The part of the path below HOME; nil if the path is not below HOME.
    func name(of path: String) -> String? {
        guard PathText.isPath(path, within: place), !PathText.isSame(path, as: place) else { return nil }
        return PathText.parts(path).dropFirst(PathText.parts(place).count).joined(separator: "/")
    }

    /// The path of a name below HOME.
    func path(of name: String) -> String { "\(place)/\(name)" }

    /// The path of HOME below the program's own directory; nil if HOME is this directory.
    var below: String? {
        let names = PathText.parts(place).dropFirst(PathText.parts(scratch).count)
        return names.isEmpty ? nil : names.joined(separator: "/")
    }

    // MARK: - Names in a home

    /// Directories of a home that all programs share. Each name in them belongs to one program.
    static let shared = [".config", ".local", ".local/share", ".local/state"]

    /// What one program keeps: the first part of a path below HOME that is no shared directory.
    static func unit(of name: String) -> String {
        var unit = ""
        for part in PathText.parts(name) {
            unit += (unit.isEmpty ? "" : "/") + part
            if !shared.contains(unit) { break }
        }
        return unit
    }

    /// Programs outside execute what lies here, and no shipped list of parts names these places.
    private static let executed = [
        "bin", ".local/bin", ".local/lib", ".local/share/applications", ".local/share/systemd", ".local/share/dbus-1",
    ]

    /// Whether a name below HOME leads to keys or to something that programs outside execute. The program chose the name.
    /// So no hint may offer to hand over such a directory as a whole.
    static func isDelicate(_ name: String) -> Bool {
        let parts = ((try? ShippedParts.credentials()) ?? []) + ((try? ShippedParts.protected()) ?? [])
        let known = parts.map { $0.path.hasPrefix("~/") ? String($0.path.dropFirst(2)) : $0.path } + executed
        return known.contains { PathText.isPath($0, within: name) || PathText.isPath(name, within: $0) }
    }
}
