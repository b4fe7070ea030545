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
        /// The user's own choices: whether an extension is on. The others have the default of their point.
        var choices: [String: Bool] = [:]
        /// Whether the app was recorded under version 1, when every extension was on until the user switched it off.
        /// Its extensions stay as they were. The next start that can open the app records that as the user's choices.
        var isOld = false

        init(identifier: String, folder: String, name: String, bytes: UInt64, choices: [String: Bool] = [:]) {
            self.identifier = identifier
            self.folder = folder
            self.name = name
            self.bytes = bytes
            self.choices = choices
        }

        /// The app with a choice for each of its extensions, if the record is old.
        /// - Parameter extensions: the identifiers of the app's extensions.
        func renewed(with extensions: [String]) -> App {
            guard isOld else { return self }
            var app = self
            for identifier in extensions where choices[identifier] == nil { app.choices[identifier] = true }
            app.isOld = false
            return app
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(identifier, as: 1)
            encoder.encode(folder, as: 2)
            encoder.encode(name, as: 3)
            encoder.encode(bytes, as: 4)
            encoder.encode(list: chosen(false), as: 5)
            encoder.encode(list: chosen(true), as: 6)
            encoder.encode(!isOld, as: 7)
        }

        private func chosen(_ isOn: Bool) -> [String] {
            choices.filter { $0.value == isOn }.keys.sorted()
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            identifier = try decoder.decode(1)
            folder = try decoder.decode(2)
            name = try decoder.decode(3)
            bytes = try decoder.decode(4)
            for identifier in try decoder.decodeList(5, of: String.self) { choices[identifier] = false }
            for identifier in try decoder.decodeList(6, of: String.self) { choices[identifier] = true }
            isOld = try !(decoder.decodeIfPresent(7, as: Bool.self) ?? false)
        }
    }

    /// The version that is written. Version 1 is read as well.
    static let version: UInt32 = 2
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
        guard try (1...Self.version).contains(decoder.decode(1, as: UInt32.self)) else {
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
