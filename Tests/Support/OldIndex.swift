public import AnnexChannel

/// The index of a store as `annexd` wrote it in version 1, with one app.
public struct OldIndex {
    private struct App: Message {
        let identifier: String
        let folder: String
        let bundle: String
        let bytes: UInt64
        let disabled: [String]

        init(_ identifier: String, folder: String, bundle: String, bytes: UInt64, disabled: [String]) {
            self.identifier = identifier
            self.folder = folder
            self.bundle = bundle
            self.bytes = bytes
            self.disabled = disabled
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(identifier, as: 1)
            encoder.encode(folder, as: 2)
            encoder.encode(bundle, as: 3)
            encoder.encode(bytes, as: 4)
            encoder.encode(list: disabled, as: 5)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            identifier = try decoder.decode(1)
            folder = try decoder.decode(2)
            bundle = try decoder.decode(3)
            bytes = try decoder.decode(4)
            disabled = try decoder.decodeList(5)
        }
    }

    private let app: App

    /// - Parameters:
    ///   - identifier: the app's bundle identifier.
    ///   - folder: its folder in the store.
    ///   - bundle: the name of its bundle in that folder.
    ///   - bytes: the size of its files.
    ///   - disabled: the extensions that its user has switched off.
    public init(_ identifier: String, folder: String, bundle: String, bytes: UInt64, disabled: [String]) {
        app = App(identifier, folder: folder, bundle: bundle, bytes: bytes, disabled: disabled)
    }

    /// The bytes of the file.
    public func encoded() throws(EncodingFailure) -> [UInt8] {
        var encoder = MessageEncoder()
        encoder.encode(1 as UInt32, as: 1)
        encoder.encode(list: [app], as: 2)
        return try encoder.finish()
    }
}
