import AnnexHost
import AnnexPolicy

/// Prints installed extensions as text or as JSON.
enum InstalledText {
    /// One extension a line, in columns.
    /// - Parameter withSwitch: whether each line says if the extension is on, off or refused. The word comes before the
    ///   name, because a name may contain any word.
    static func lines(_ extensions: [InstalledExtension], withSwitch: Bool = false) -> [String] {
        let columns = extensions.map { one in
            [one.id] + (withSwitch ? [state(of: one)] : []) + [one.extensionPoint]
        }
        let widths = (columns.first ?? []).indices.map { place in columns.map { $0[place].count }.max() ?? 0 }
        return zip(extensions, columns).map { one, row in
            let cells = zip(row, widths).map { $0.padded(to: $1) }
            return (cells + [PlainText.shown(one.displayName)]).joined(separator: "  ")
        }
    }

    private static func state(of one: InstalledExtension) -> String {
        if one.refusal != nil { return "refused" }
        return one.isEnabled ? "on" : "off"
    }

    static func json(_ one: InstalledExtension) -> JSON {
        .object([
            .init("identifier", .text(one.id)), .init("displayName", .text(PlainText.shown(one.displayName))),
            .init("extensionPoint", .text(one.extensionPoint)), .init("containingApp", .text(one.containingApp)),
            .init("enabled", .boolean(one.isEnabled)),
            .init("refusal", .optional(one.refusal.map { PlainText.shown("\($0)") })),
        ])
    }
}
