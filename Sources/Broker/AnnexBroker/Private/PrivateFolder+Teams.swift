internal import AnnexLinux
internal import AnnexSigning

/// The team that an app's private directories belong to. An empty directory in the app's folder records the team: the
/// directory's name is an `@` and the team's public key. No bundle identifier contains an `@`, so no extension's
/// directory has such a name.
///
/// If another team signs the app, or no team signs it any more, the app starts with empty directories. The files of the
/// former team are removed. An app without a signature has no team. When a team signs the app for the first time, the
/// app keeps its files.
extension PrivateFolder {
    /// Opens the folder of an app, and makes it if it is missing. If the app's directories belong to another team, they
    /// are moved away.
    func folder(ofApp app: String, team: Team?) throws(SystemError) -> Descriptor {
        let wanted = team.map(Self.mark)
        let found = try folder(app)
        if try Self.marks(in: found) == Self.set(wanted) { return found }
        // Another broker may record a team at the same time.
        let lock = try lockWaiting()
        defer { withExtendedLifetime(lock) {} }
        return try marked(app, as: wanted)
    }

    private func marked(_ app: String, as wanted: String?) throws(SystemError) -> Descriptor {
        let marks = try Self.marks(in: folder(app))
        if !marks.isEmpty, marks != Self.set(wanted) { try setAside(app: app) }
        let folder = try folder(app)
        if let wanted { _ = try folder.directory(making: wanted) }
        return folder
    }

    private static func mark(of team: Team) -> String { "@" + team.publicKey.hex }

    private static func set(_ mark: String?) -> Set<String> { mark.map { [$0] } ?? [] }

    private static func marks(in app: borrowing Descriptor) throws(SystemError) -> Set<String> {
        Set(try app.entries(atMost: mostNames).compactMap(\.name).filter { $0.hasPrefix("@") })
    }
}
