import AnnexHost

/// The two rows of a share sheet: the share extensions, which post items, and the actions. Both rows contain only
/// extensions that take the user's items.
struct ShareSheet {
    private static let points = ["com.apple.share-services", "com.apple.ui-services"]

    let share: [InstalledExtension]
    let actions: [InstalledExtension]

    var isEmpty: Bool { share.isEmpty && actions.isEmpty }

    init(for item: ExtensionItem, on host: AnnexHost) throws(BrokerError) {
        share = try host.extensionsAndWait(for: [item], at: Self.points[0]).offered
        actions = try host.extensionsAndWait(for: [item], at: Self.points[1]).offered
    }

    /// The rows, with a number for each extension.
    func lines(_ style: Style) -> [String] {
        row("Share", of: share, from: 1, style: style) + row("Action", of: actions, from: 1 + share.count, style: style)
    }

    private func row(_ title: String, of all: [InstalledExtension], from first: Int, style: Style) -> [String] {
        all.enumerated().map { index, one in
            let head = index == 0 ? title : ""
            return style.faint(head.padded(to: 8)) + "[\(first + index)] "
                + style.bold(PlainText.shown(one.displayName))
        }
    }

    /// Asks until the user types the number of an extension.
    func pick(from typed: TypedLines, on screen: ShareScreen) async throws -> InstalledExtension {
        screen.draw(lines(screen.style))
        typed.prompt("Number, or :cancel")
        for await line in typed.lines {
            if line == ":cancel" { break }
            if let picked = pickable(numbered: line) { return picked }
            screen.draw(["there is no \(PlainText.shown(line)); type one of the numbers in brackets, or :cancel"])
            typed.prompt("Number, or :cancel")
        }
        throw ShareFailure.givenUp
    }

    private func pickable(numbered line: String) -> InstalledExtension? {
        let all = share + actions
        guard let number = Int(line), all.indices.contains(number - 1) else { return nil }
        return all[number - 1]
    }
}
