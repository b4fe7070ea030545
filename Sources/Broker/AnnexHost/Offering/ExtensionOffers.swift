@_exported public import AnnexActivation
public import AnnexBrokerAPI
public import AnnexModel

/// The extensions that a host can show to its user for some items. For each other extension, this value has the reason
/// why the extension is not offered.
public struct ExtensionOffers: Sendable {
    /// An extension that is not offered.
    public struct Other: Sendable, Hashable {
        /// The extension.
        public let installed: InstalledExtension
        /// Why the extension is not offered, in plain words on one line. The text is escaped and therefore safe to
        /// show.
        public let why: String
    }

    /// The extensions that take the items, sorted by identifier.
    public package(set) var offered: [InstalledExtension] = []
    /// The other installed extensions, sorted by identifier. If the host named an extension point, these are only
    /// extensions of that point.
    public package(set) var others: [Other] = []
}

extension AnnexHost {
    /// Decides which extensions are offered for items, by the `NSExtensionActivationRule` of each extension.
    ///
    /// The host itself reads and evaluates the rules. The host uses the types and numbers of the attachments, but not
    /// their contents. The text of an item without attachments counts as an attachment of the type `public.plain-text`.
    ///
    /// The host asks the broker for each rule. A rule is kept as long as its extension does not change. So a later call
    /// asks the broker only for the list of extensions.
    /// - Parameters:
    ///   - items: the items to hand over.
    ///   - extensionPoint: only extensions of this point, for example `com.apple.share-services`; nil for all.
    ///   - types: the types that the host knows; nil for `types()`.
    /// - Throws: a `BrokerError` if the broker does not list its extensions. If the broker does not send a rule, the
    ///   extension of that rule is among `others`.
    public nonisolated(nonsending) func extensions(
        for items: [ExtensionItem], at extensionPoint: String? = nil, types: TypeTable? = nil
    ) async throws(BrokerError) -> ExtensionOffers {
        try await reading { () throws(BrokerError) in
            try extensionsAndWait(for: items, at: extensionPoint, types: types)
        }
    }

    /// Does the same as `extensions(for:at:types:)`, for code without Swift concurrency. The call blocks the thread.
    public func extensionsAndWait(
        for items: [ExtensionItem], at extensionPoint: String? = nil, types: TypeTable? = nil
    ) throws(BrokerError) -> ExtensionOffers {
        let installed = try installedAndWait()
        let types = types ?? self.types(of: installed)
        return try offers(for: OfferedItems(items, types: types), among: installed, at: extensionPoint)
    }

    /// The types of the system, and the types that the installed apps declare in their `Info.plist`. The apps use the
    /// keys `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`.
    ///
    /// If the system declares a type, a file-name extension or a MIME type, apps cannot change this declaration. At
    /// most 4,096 types that apps declare are used. The types are kept as long as the installed apps do not change.
    /// - Returns: a table for questions about types. The table does not change when apps change.
    /// - Throws: a `BrokerError` if the broker does not list its extensions. If the broker does not send the types of
    ///   an app, these types are left out.
    public nonisolated(nonsending) func types() async throws(BrokerError) -> TypeTable {
        try await reading { () throws(BrokerError) in try typesAndWait() }
    }

    /// Does the same as `types`, for code without Swift concurrency. The call blocks the thread.
    public func typesAndWait() throws(BrokerError) -> TypeTable { types(of: try installedAndWait()) }

    private func types(of installed: [InstalledExtension]) -> TypeTable {
        kept.table(for: installed, again: installedAndWait) { one throws(BrokerError) in
            try typeDeclarations(of: one.id)
        }
    }

    /// Does the same as the public `extensionsAndWait(for:at:types:)`, for items of which only the types are known.
    package func offersAndWait(
        for items: OfferedItems, at extensionPoint: String? = nil
    ) throws(BrokerError) -> ExtensionOffers {
        try offers(for: items, among: try installedAndWait(), at: extensionPoint)
    }

    private func offers(
        for items: OfferedItems, among installed: [InstalledExtension], at extensionPoint: String?
    ) throws(BrokerError) -> ExtensionOffers {
        var offers = ExtensionOffers()
        var read: [(of: InstalledExtension, rule: ActivationRule)] = []
        for one in installed where extensionPoint == nil || one.extensionPoint == extensionPoint {
            if let why = reasonAgainst(one, for: items, noting: &read) {
                offers.others.append(ExtensionOffers.Other(installed: one, why: why))
            } else {
                offers.offered.append(one)
            }
        }
        try keep(read)
        return offers
    }

    /// Keeps the rules that were read, except the rules of extensions whose app was replaced meanwhile.
    private func keep(_ read: [(of: InstalledExtension, rule: ActivationRule)]) throws(BrokerError) {
        guard !read.isEmpty else { return }
        let now = Dictionary(try installedAndWait().map { ($0.id, $0) }) { first, _ in first }
        for (one, rule) in read where now[one.id]?.instance == one.instance {
            if now[one.id]?.installation == one.installation { rules.keep(rule, of: one) }
        }
    }

    private func reasonAgainst(
        _ one: InstalledExtension, for items: OfferedItems,
        noting read: inout [(of: InstalledExtension, rule: ActivationRule)]
    ) -> String? {
        if let rejection = one.rejection { return "\(rejection)" }
        guard one.isEnabled else { return "it is switched off" }
        do throws(BrokerError) {
            return try rule(of: one, noting: &read).decide(items).why
        } catch {
            return "its rule cannot be read: \(error)"
        }
    }

    private func rule(
        of one: InstalledExtension, noting read: inout [(of: InstalledExtension, rule: ActivationRule)]
    ) throws(BrokerError) -> ActivationRule {
        if let kept = rules.rule(of: one) { return kept }
        let rule = ActivationRule(attributes: try attributesAndWait(of: one.id), point: one.extensionPoint)
        read.append((one, rule))
        return rule
    }
}
