internal import AnnexActivation
internal import AnnexBrokerAPI
internal import AnnexModel
internal import Synchronization

/// The types of the system and of the installed apps, kept for as long as the apps stay the same.
final class KeptTypes: Sendable {
    /// An installed build of an app.
    private struct App: Hashable {
        let identifier: String
        let instance: String
        let installation: UInt64?
    }

    private struct Table {
        let apps: [App]
        let types: TypeTable
    }

    private let kept = Mutex<Table?>(nil)

    /// - Parameters:
    ///   - installed: the installed extensions. Apps come in the order of their extensions' identifiers, so that the same app
    ///     wins each time if two declare the same type.
    ///   - read: asks the broker for the declarations of an extension's app. If it fails, the app's types are left out.
    func table(
        for installed: [InstalledExtension],
        read: (_ one: InstalledExtension) throws(BrokerError) -> [String: ItemValue]
    ) -> TypeTable {
        let carriers = Self.carriers(installed)
        let apps = carriers.map {
            App(identifier: $0.containingApp, instance: $0.instance, installation: $0.installation)
        }
        if let known = kept.withLock({ $0 }), known.apps == apps { return known.types }
        var isWhole = true
        let declarations = carriers.compactMap { one in
            let values = try? read(one)
            if values == nil { isWhole = false }
            return values
        }
        let types = Self.table(of: declarations)
        // What could not be read now may be readable the next time.
        if isWhole { kept.withLock { $0 = Table(apps: apps, types: types) } }
        return types
    }

    /// The first usable extension of each app.
    private static func carriers(_ installed: [InstalledExtension]) -> [InstalledExtension] {
        var seen: Set<String> = []
        return installed.filter { $0.rejection == nil && seen.insert($0.containingApp).inserted }
    }

    /// The types that apps export come before those that others import, which only describe them.
    private static func table(of declarations: [[String: ItemValue]]) -> TypeTable {
        TypeDeclarations.keys.reduce(TypeTable.system) { table, key in
            declarations.reduce(table) { table, values in
                values[key].map { table.adding(TypeDeclarations(info: [key: $0])) } ?? table
            }
        }
    }
}
