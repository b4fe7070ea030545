internal import AnnexActivation
internal import AnnexBrokerAPI
internal import AnnexModel
internal import Synchronization

/// The types of the system and of the installed apps. Their table is kept as long as the installed apps do not change.
final class KeptTypes: Sendable {
    private struct Table {
        let builds: [KeptRules.Key]
        let types: TypeTable
    }

    private let kept = Mutex<Table?>(nil)

    /// - Parameters:
    ///   - installed: the installed extensions.
    ///   - again: lists the installed extensions once more, after their declarations were read.
    ///   - read: asks the broker for the declarations of an extension's app. If this request fails, the app's types are
    ///     left out.
    func table(
        for installed: [InstalledExtension], again: () throws(BrokerError) -> [InstalledExtension],
        read: (_ one: InstalledExtension) throws(BrokerError) -> [String: ItemValue]
    ) -> TypeTable {
        let carriers = Self.carriers(installed)
        let builds = carriers.compactMap(KeptRules.Key.init)
        if builds.count == carriers.count, let known = kept.withLock({ $0 }), known.builds == builds {
            return known.types
        }
        let (declared, isWhole) = Self.declared(by: carriers, read: read)
        let types = TypeTable.system.adding(declared.inOrder)
        // Declarations that could not be read now may be readable the next time. An app may also have been replaced
        // while its declarations were read. In these cases, the table is not kept.
        if isWhole, builds.count == carriers.count,
            let now = try? again(), Self.carriers(now).compactMap(KeptRules.Key.init) == builds
        {
            kept.withLock { $0 = Table(builds: builds, types: types) }
        }
        return types
    }

    /// The first usable extension of each app, in the order of identifiers. This order ensures that the same app wins
    /// each time if two apps declare the same type.
    private static func carriers(_ installed: [InstalledExtension]) -> [InstalledExtension] {
        var seen: Set<String> = []
        return installed.filter {
            $0.rejection == nil && $0.isEnabled && seen.insert($0.containingApp).inserted
        }
    }

    private static func declared(
        by carriers: [InstalledExtension], read: (InstalledExtension) throws(BrokerError) -> [String: ItemValue]
    ) -> (DeclaredTypes, isWhole: Bool) {
        var all = DeclaredTypes()
        for one in carriers {
            do throws(BrokerError) {
                all.add(try read(one), of: one.containingApp)
            } catch {
                // If the code is `invalidBundle`, this build has no types that a host can read. Any other error may
                // affect all apps, so the host does not ask for the declarations of the remaining apps.
                guard error.code == .invalidBundle else { return (all, false) }
            }
        }
        return (all, true)
    }
}

/// The types that apps declare. The types whose names begin with the identifier of their app have priority. Other
/// exported types follow, and imported types are last. Imported types only describe the types of other apps.
private struct DeclaredTypes {
    private var own: [TypeDeclarations] = []
    private var exported: [TypeDeclarations] = []
    private var imported: [TypeDeclarations] = []

    var inOrder: [TypeDeclarations] { own + exported + imported }

    mutating func add(_ values: [String: ItemValue], of app: String) {
        for key in TypeDeclarations.keys {
            guard let value = values[key] else { continue }
            let declarations = TypeDeclarations(info: [key: value])
            guard key == TypeDeclarations.exported else {
                imported.append(declarations)
                continue
            }
            own.append(declarations.only { $0.hasPrefix("\(app.lowercased()).") })
            exported.append(declarations)
        }
    }
}
