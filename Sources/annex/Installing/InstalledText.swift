import AnnexHost
import AnnexPolicy

/// Installed extensions, for a reader or a program.
enum InstalledText {
    /// One a line, in columns.
    static func lines(_ extensions: [InstalledExtension]) -> [String] {
        let rows = extensions.map { [$0.id, $0.extensionPoint, PlainText.shown($0.displayName)] }
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in "\(row[0].padded(to: widths[0]))  \(row[1].padded(to: widths[1]))  \(row[2])" }
    }

    static func json(_ one: InstalledExtension) -> JSON {
        .object([
            .init("identifier", .text(one.id)), .init("displayName", .text(PlainText.shown(one.displayName))),
            .init("extensionPoint", .text(one.extensionPoint)), .init("containingApp", .text(one.containingApp)),
        ])
    }
}
