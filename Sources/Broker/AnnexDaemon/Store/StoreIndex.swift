internal import AnnexChannel

/// The installed apps of a store. The file is replaced as a whole, so a kill leaves either the old index or the new
/// one.
struct StoreIndex: Message, Equatable {
    struct App: Message, Equatable {
        /// The app's bundle identifier.
        let identifier: String
        /// The app's folder in the store, and the name of its bundle there.
        let folder: String
        let name: String
        let bytes: UInt64
        /// The extensions that are switched off.
        var disabled: [String] = []

        init(identifier: String, folder: String, name: String, bytes: UInt64, disabled: [String] = []) {
            self.identifier = identifier
            self.folder = folder
            self.name = name
            self.bytes = bytes
            self.disabled = disabled
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(identifier, as: 1)
            encoder.encode(folder, as: 2)
            encoder.encode(name, as: 3)
            encoder.encode(bytes, as: 4)
            encoder.encode(list: disabled, as: 5)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            identifier = try decoder.decode(1)
            folder = try decoder.decode(2)
            name = try decoder.decode(3)
            bytes = try decoder.decode(4)
            disabled = try decoder.decodeList(5)
        }
    }

    static let version: UInt32 = 1
    static let limits = MessageLimits(bytes: 1 << 20, fields: 16_384, depth: 2)

    var apps: [App]

    init(apps: [App] = []) {
        self.apps = apps
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(Self.version, as: 1)
        encoder.encode(list: apps, as: 2)
    }

    /// The version of an index that may be newer or damaged; nil if even the version cannot be read.
    static func version(of bytes: [UInt8]) -> UInt32? {
        (try? Version(decoding: bytes, within: limits))?.number
    }

    /// The first field, which is the same in every version.
    private struct Version: Message {
        let number: UInt32

        func encode(into encoder: inout MessageEncoder) { encoder.encode(number, as: 1) }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            number = try decoder.decode(1)
        }
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        guard try decoder.decode(1, as: UInt32.self) == Self.version else {
            throw decoder.failure(1, reason: .rejected("is another version"))
        }
        apps = try decoder.decodeList(2)
    }

    var bytes: Int64 {
        apps.reduce(Int64(0)) { sum, app in
            let (next, isTooMuch) = sum.addingReportingOverflow(Int64(clamping: app.bytes))
            return isTooMuch ? .max : next
        }
    }

    func app(_ identifier: String) -> App? { apps.first { $0.identifier == identifier } }
}
