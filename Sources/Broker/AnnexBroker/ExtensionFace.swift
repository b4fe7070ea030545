internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexModel
internal import AnnexRegistry

/// The parts of one installed extension that hosts show to users, read from the bundles of the extension and of its
/// app. The extension may be switched off, or name an unknown point.
struct ExtensionFace {
    private let identifier: String
    private let app: AppBundle
    private let bundle: ExtensionBundle

    init(of record: ExtensionRecord, in registry: Registry) throws(BrokerError) {
        guard let bundle = record.bundle, let app = registry.app(carrying: record) else {
            throw record.rejection
                ?? BrokerError(.unknownExtension, what: "is not installed any more", place: record.identifier)
        }
        identifier = record.identifier
        self.app = app
        self.bundle = bundle
    }

    /// - Returns: nil if the extension has no icon.
    func icon() throws(BrokerError) -> IconPicture? {
        try reading { () throws(BundleError) in
            guard let icon = try app.icon(for: bundle) else { return nil }
            return IconPicture(
                bytes: try icon.bytes(), width: icon.width, height: icon.height, isTemplate: icon.isTemplate)
        }
    }

    func attributes() throws(BrokerError) -> [String: ItemValue] {
        let values = try reading { () throws(BundleError) in try bundle.attributes().mapValues(ItemValue.init) }
        return try carried(values, named: "its NSExtensionAttributes")
    }

    func typeDeclarations() throws(BrokerError) -> [String: ItemValue] {
        let values = try reading { () throws(BundleError) in try app.typeDeclarations().mapValues(ItemValue.init) }
        return try carried(values, named: "the types that its app declares")
    }

    /// - Throws: a `BrokerError` if the values do not fit into a packet.
    private func carried(
        _ values: [String: ItemValue], named name: String
    ) throws(BrokerError) -> [String: ItemValue] {
        guard ServiceWire.carries(attributes: values) else {
            throw BrokerError(
                .invalidBundle, what: "\(name) are too long, or nested too deeply, for a host",
                place: identifier, remedy: "keep them below 100 KiB and 16 levels")
        }
        return values
    }

    private func reading<Result>(_ body: () throws(BundleError) -> Result) throws(BrokerError) -> Result {
        do throws(BundleError) {
            return try body()
        } catch {
            throw BrokerError(
                .invalidBundle, what: "\(error.place): \(error.what) (\(error.rule.rawValue))", place: identifier,
                remedy: error.remedy)
        }
    }
}
