internal import AnnexChannel

/// The wire form of an installed extension.
struct InstalledExtensionMessage: Message {
    let value: InstalledExtension

    init(_ value: InstalledExtension) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.id, as: 1)
        encoder.encode(value.displayName, as: 2)
        encoder.encode(value.extensionPoint, as: 3)
        encoder.encode(value.containingApp, as: 4)
        encoder.encode(value.isEnabled, as: 5)
        encoder.encode(value.refusal.map(BrokerErrorMessage.init), as: 6)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let id = try decoder.decode(1, as: String.self)
        let name = try decoder.decode(2, as: String.self)
        let point = try decoder.decode(3, as: String.self)
        let app = try decoder.decode(4, as: String.self)
        let isEnabled = try decoder.decode(5, as: Bool.self)
        value = InstalledExtension(
            id: id, displayName: name, extensionPoint: point, containingApp: app, isEnabled: isEnabled,
            refusal: try decoder.decodeIfPresent(6, as: BrokerErrorMessage.self)?.value)
    }
}
