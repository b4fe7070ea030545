import AnnexHost
import AnnexPolicy

/// The question whether an extension may have an entitlement. If no user can be asked, a note is printed instead of the
/// question.
///
/// The extension's maker chooses the extension's name, so control characters in the name are escaped. The text about
/// the entitlement's meaning comes from Annex.
struct GrantQuestion: Sendable, Hashable {
    let identifier: String
    let displayName: String
    let entitlement: String

    /// The questions about extensions that can be used. There is one question for each entitlement that the user could
    /// grant.
    static func about(_ extensions: [InstalledExtension]) -> [GrantQuestion] {
        extensions.filter { $0.rejection == nil }.flatMap { one in
            one.entitlements.filter { $0.isAllowed && !$0.isGranted }.map {
                GrantQuestion(identifier: one.id, displayName: one.displayName, entitlement: $0.name)
            }
        }
    }

    /// The question in several lines. The user answers on the next line.
    var text: String {
        let fragment = try? PolicyFragment.shipped(entitlement)
        let wish = fragment?.name ?? entitlement
        return """
            \(PlainText.shown(identifier)) (\(PlainText.shown(displayName))) asks to \(wish).
              \(fragment?.means ?? "This version of Annex does not say what that means.")
            Grant \(PlainText.shown(entitlement))? \(choice)
            """
    }

    /// The answers that a user can give.
    private var choice: String {
        PolicyFragment.withNamedHosts[entitlement] == nil
            ? "[y/N]" : "[y/N, or the only machines that it may reach, such as feed.example.org:443]"
    }

    /// A user's answer.
    enum Answer: Sendable, Hashable {
        case no
        /// - Parameter hosts: the machines of the grant; none for a grant that names no machines.
        case yes(hosts: [String])
    }

    /// What a line means. Any line that is neither a clear yes nor a list of machines is a no.
    func meaning(of line: String?) -> Answer {
        if UserAnswer.isYes(line) { return .yes(hosts: []) }
        let words = (line ?? "").split { $0 == " " || $0 == "," }.map(String.init)
        // A single word such as `yesterday` could be the name of a machine, too.
        let isList = words.allSatisfy { ($0.contains(".") || $0.contains(":")) && (try? HostRule($0)) != nil }
        guard PolicyFragment.withNamedHosts[entitlement] != nil, !words.isEmpty, isList else { return .no }
        return .yes(hosts: words)
    }

    /// The note that is printed if there is no terminal. It names the command to use.
    var note: String {
        let name = PlainText.shown(entitlement)
        return "\(PlainText.shown(identifier)) asks for \(name), which is not in force; "
            + "annex grant \(PlainText.shown(identifier)) \(name)"
    }

    /// Asks on the terminal. If there is no terminal, prints the note.
    func ask(mayAsk: Bool) -> Answer {
        guard mayAsk else {
            StandardError.print("annex: \(note)")
            return .no
        }
        return meaning(of: UserAnswer.after(text, on: .nextLines))
    }
}

/// An entitlement that the command line grants, but that is not in force for any installed extension. `note` states
/// the reason.
struct UngrantedName: Sendable, Hashable {
    let name: String
    /// An extension that asks for the entitlement. The extension belongs to a version of its app that is installed but
    /// not used. Nil if there is no such extension.
    let unused: InstalledExtension?

    /// - Parameter extensions: the extensions of one installation.
    static func all(_ names: [String], of extensions: [InstalledExtension]) -> [UngrantedName] {
        let inForce = Set(
            extensions.filter { $0.rejection == nil }.flatMap(\.entitlements).filter(\.isInForce).map(\.name))
        return names.filter { !inForce.contains($0) }.map { name in
            UngrantedName(
                name: name,
                unused: extensions.first { one in
                    one.verdict == .superseded && one.entitlements.contains { $0.name == name }
                })
        }
    }

    var note: String {
        let name = PlainText.shown(name)
        guard let unused else { return "no installed extension asks for \(name); --grant had no effect" }
        let (extensionName, app) = (PlainText.shown(unused.id), PlainText.shown(unused.containingApp))
        let version = PlainText.shown(unused.build.version)
        return "\(extensionName) does not get \(name), because version \(version) of \(app) is not used; "
            + "annex pin \(app) \(version), then annex grant \(extensionName) \(name)"
    }
}
