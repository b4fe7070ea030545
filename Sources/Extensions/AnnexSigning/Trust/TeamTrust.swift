/// The trust of a user: the teams whose keys the user trusts, and for each app the only team that may sign it.
///
/// The first signed installation of an app pins the app to its team. From then on, only that team's signature is
/// accepted for the app. Only the user can pin the app to another team or remove the pin.
package struct TeamTrust: Sendable, Hashable {
    /// The team that may sign an app.
    package struct Pin: Sendable, Hashable {
        package let team: Team
        /// Whether the user named the team for this app. If not, the app's first installation made the pin.
        package let isByUser: Bool
    }

    /// The teams whose keys the user declared as trusted, sorted by identifier.
    package private(set) var trusted: [Team] = []
    /// The pins by the app's `CFBundleIdentifier`.
    package private(set) var pins: [String: Pin] = [:]

    /// The most pins and the most trusted teams of one user.
    package static let most = 4_096

    /// Creates a value that does not trust any team yet.
    package init() {}

    /// Decides whether an app may be installed. This function changes nothing. `accept` records the result.
    ///
    /// - Parameters:
    ///   - app: the app's `CFBundleIdentifier`.
    ///   - team: the team whose signature over the app was verified; nil if the app is not signed.
    package func decide(app: String, signedBy team: Team?) -> TrustVerdict {
        switch (pins[app]?.team, team) {
        case (nil, nil): .unsigned
        case (nil, .some(let team)): .firstUse(team, isTrusted: trusted.contains(team))
        case (.some(let pinned), nil): .refused(TrustRefusal(app: app, pinned: pinned, offered: nil))
        case (.some(let pinned), .some(let team)):
            pinned == team
                ? .known(team, isTrusted: trusted.contains(team))
                : .refused(TrustRefusal(app: app, pinned: pinned, offered: team))
        }
    }

    /// Pins an app to the team that signed its first signed installation. Call this function after `decide` has
    /// accepted the team. If the app has a pin already, nothing changes.
    /// - Returns: whether the pin is new.
    /// - Throws: an error if there is no room for another pin. Without a pin, the app must not be installed.
    @discardableResult
    package mutating func accept(_ team: Team, for app: String) throws(SigningError) -> Bool {
        guard pins[app] == nil else { return false }
        try pin(app, to: team, isByUser: false)
        return true
    }

    mutating func pin(_ app: String, to team: Team, isByUser: Bool) throws(SigningError) {
        guard Self.isIdentifier(app), pins[app] != nil || pins.count < Self.most else {
            throw SigningError(
                .system, what: "cannot be pinned to its team: at most \(Self.most) apps are", place: app,
                remedy: "remove apps that you do not need")
        }
        pins[app] = Pin(team: team, isByUser: isByUser)
    }

    /// Records that the user trusts a team's key.
    ///
    /// - Parameter apps: the apps that only this team may sign from now on, whichever team signed them before. Trust in
    ///   the key alone does not allow the team to replace another team's app.
    /// - Throws: an error if there is no room for another team or pin, or if a text is not an app's identifier.
    package mutating func trust(_ team: Team, for apps: [String] = []) throws(SigningError) {
        guard trusted.contains(team) || trusted.count < Self.most else {
            throw SigningError(
                .system, what: "cannot be trusted: at most \(Self.most) teams are", place: team.identifier)
        }
        for app in apps { try pin(app, to: team, isByUser: true) }
        trusted.removeAll { $0 == team }
        trusted.append(team)
        trusted.sort { ($0.identifier, $0.publicKey.hex) < ($1.identifier, $1.publicKey.hex) }
    }

    /// Whether the user declared a team's key as trusted.
    package func trusts(_ team: Team) -> Bool { trusted.contains(team) }

    /// Removes an app's pin, because the user removed the app. Any team may sign the app at its next installation.
    package mutating func forget(app: String) {
        pins[app] = nil
    }

    /// Removes the pins that first installations made for apps that are not installed. Such a pin remains if a program
    /// is killed between writing the pin and installing the app.
    package mutating func forgetFirstUses(butOf installed: Set<String>) {
        pins = pins.filter { $0.value.isByUser || installed.contains($0.key) }
    }

    /// Whether a text can stand in the file of the user's trust as an app's identifier: printable ASCII without blanks.
    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        (1...155).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// The decision whether an app may be installed under its user's trust.
package enum TrustVerdict: Sendable, Hashable {
    /// The app is not signed, and it is not pinned to a team.
    case unsigned
    /// The app is signed, and it is not pinned to a team yet.
    case firstUse(Team, isTrusted: Bool)
    /// The app is signed by the team that it is pinned to.
    case known(Team, isTrusted: Bool)
    /// The app is pinned to a team that did not sign it. Another team signed it, or it is not signed.
    case refused(TrustRefusal)
}

/// Why an app's signature is not accepted.
package struct TrustRefusal: Sendable, Hashable, CustomStringConvertible {
    package let app: String
    /// The team that may sign the app.
    package let pinned: Team
    /// The team that signed the app; nil if the app is not signed.
    package let offered: Team?

    /// The fault, in one line.
    package var what: String {
        guard let offered else { return "is not signed, but belongs to the team \(pinned) (P8)" }
        return "is signed by the team \(offered), but belongs to the team \(pinned) (P8)"
    }

    package var remedy: String {
        let trust =
            offered == nil
            ? "install a signed copy" : "if the new team may take it over, annex key trust FILE --app \(app)"
        return "\(trust); or annex remove \(app) first"
    }

    package var description: String { "\(app): \(what); \(remedy)" }
}
