internal import AnnexChannel
internal import AnnexModel
internal import AnnexRegistry

/// The installed apps of a store. The index file is replaced as a whole. So after a kill, the file contains either the
/// old index or the new index.
struct StoreIndex: Message, Equatable {
    /// The version that this daemon writes. This daemon also reads version 1.
    static let version: UInt32 = 2
    static let limits = MessageLimits(bytes: 1 << 20, fields: 16_384, depth: 3)

    var apps: [App]

    init(apps: [App] = []) {
        self.apps = apps
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(Self.version, as: 1)
        encoder.encode(list: apps, as: 2)
    }

    /// The version of an index; nil if even the version cannot be read. A newer daemon may have written the index, or
    /// the index may be damaged.
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

    func app(_ identifier: String) -> App? { apps.first { $0.identifier == identifier } }

    /// The bytes of all versions of all apps.
    var bytes: Int64 { StoreIndex.sum(apps.map(\.bytes)) }

    static func sum(_ sizes: some Sequence<UInt64>) -> Int64 {
        sizes.reduce(Int64(0)) { sum, bytes in
            let (next, isTooMuch) = sum.addingReportingOverflow(Int64(clamping: bytes))
            return isTooMuch ? .max : next
        }
    }
}

extension StoreIndex {
    /// One version of an app, and its folder in the store.
    struct Build: Message, Hashable {
        /// The app's `CFBundleVersion`; empty in an index of version 1.
        var version: String
        var digest: String?
        /// The app's folder in the store, and the name of its bundle in that folder.
        let folder: String
        let name: String
        let bytes: UInt64

        init(version: String, digest: String? = nil, folder: String, name: String, bytes: UInt64) {
            self.version = version
            self.digest = digest
            self.folder = folder
            self.name = name
            self.bytes = bytes
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(folder, as: 2)
            encoder.encode(name, as: 3)
            encoder.encode(bytes, as: 4)
            encoder.encode(version, as: 8)
            encoder.encode(digest, as: 9)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            folder = try decoder.decode(2)
            name = try decoder.decode(3)
            bytes = try decoder.decode(4)
            version = try decoder.decodeIfPresent(8, as: String.self) ?? ""
            digest = try decoder.decodeIfPresent(9, as: String.self)
        }

        var number: BundleVersion { BundleVersion(version) ?? .unstated }
    }

    /// An installed app: the version in use, its other versions, and the user's decisions.
    struct App: Message, Equatable {
        /// The app's bundle identifier.
        let identifier: String
        var elected: Build
        var others: [Build] = []
        /// The version that the user chose. If it is nil, the highest version is used.
        var pinned: String?
        /// The user's own choices: whether an extension is on. Other extensions have the default of their point.
        var choices: [String: Bool] = [:]
        /// The entitlements that the user has granted to each extension.
        var grants: [String: GrantedEntitlements] = [:]
        /// Whether the app was recorded under version 1 of the index. In version 1, every extension was on until the
        /// user switched it off. The app's extensions stay on or off as they were. The next start that can open the app
        /// records these states as the user's choices.
        var isOld = false

        init(_ identifier: String, elected: Build, others: [Build] = [], choices: [String: Bool] = [:]) {
            self.identifier = identifier
            self.elected = elected
            self.others = others
            self.choices = choices
        }

        var builds: [Build] { [elected] + others }
        var folder: String { elected.folder }
        var bytes: UInt64 { UInt64(clamping: StoreIndex.sum(builds.map(\.bytes))) }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(identifier, as: 1)
            elected.encode(into: &encoder)
            encoder.encode(list: chosen(false), as: 5)
            encoder.encode(list: chosen(true), as: 6)
            encoder.encode(!isOld, as: 7)
            encoder.encode(list: others, as: 10)
            encoder.encode(pinned, as: 11)
            // A daemon that knows no machines reads only the first list. So it grants less, and never all machines.
            let plain = grants.map { Grant($0.key, words: $0.value.namesWithoutHosts.sorted()) }
            let named = grants.map { Grant($0.key, words: $0.value.hostTexts) }.filter { !$0.words.isEmpty }
            encoder.encode(list: plain.sorted(), as: 12)
            encoder.encode(list: named.sorted(), as: 13)
        }

        private func chosen(_ isOn: Bool) -> [String] {
            choices.filter { $0.value == isOn }.keys.sorted()
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            identifier = try decoder.decode(1)
            elected = try Build(from: &decoder)
            for identifier in try decoder.decodeList(5, of: String.self) { choices[identifier] = false }
            for identifier in try decoder.decodeList(6, of: String.self) { choices[identifier] = true }
            isOld = try !(decoder.decodeIfPresent(7, as: Bool.self) ?? false)
            others = try decoder.decodeList(10)
            pinned = try decoder.decodeIfPresent(11, as: String.self)
            for grant in try decoder.decodeList(12, of: Grant.self) {
                grants[grant.identifier] = GrantedEntitlements(Set(grant.words))
            }
            for grant in try decoder.decodeList(13, of: Grant.self) {
                let names = grants[grant.identifier]?.names ?? []
                guard let named = GrantedEntitlements(names, hostTexts: grant.words) else {
                    throw decoder.failure(13, reason: .rejected("names machines that no grant has"))
                }
                grants[grant.identifier] = named
            }
        }
    }

    /// A part of what the user has granted to one extension: entitlements, or the machines of the one that names machines.
    private struct Grant: Message, Comparable {
        let identifier: String
        let words: [String]

        init(_ identifier: String, words: [String]) {
            self.identifier = identifier
            self.words = words
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(identifier, as: 1)
            encoder.encode(list: words, as: 2)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            identifier = try decoder.decode(1)
            words = try decoder.decodeList(2)
        }

        static func < (one: Grant, other: Grant) -> Bool { one.identifier < other.identifier }
    }
}

// The registry identifies apps by their paths, and the index identifies apps by their folders.

extension StoreIndex.App {
    /// The app in the form that the registry uses.
    /// - Parameters:
    ///   - extensions: the identifiers of the app's extensions. If the record is old, each extension without a choice
    ///     is on.
    ///   - path: the path of a build in the store.
    func known(carrying extensions: [String], path: (StoreIndex.Build) -> String) -> KnownApp {
        var choices = choices
        if isOld { for identifier in extensions where choices[identifier] == nil { choices[identifier] = true } }
        func build(_ one: StoreIndex.Build) -> AppBuild {
            AppBuild(version: one.number, digest: one.digest, path: path(one))
        }
        return KnownApp(
            identifier, elected: build(elected), others: others.map(build),
            pinned: pinned.flatMap { BundleVersion($0) },
            choices: choices, grants: grants)
    }

    /// The record of an app from the registry. The result is nil if the version in use is not among the builds.
    init?(_ known: KnownApp, builds: [StoreIndex.Build], path: (StoreIndex.Build) -> String) {
        func found(_ build: AppBuild) -> StoreIndex.Build? {
            builds.first { path($0) == build.path }.map { one in
                StoreIndex.Build(
                    version: build.version.text, digest: build.digest, folder: one.folder, name: one.name,
                    bytes: one.bytes)
            }
        }
        guard let elected = found(known.elected) else { return nil }
        self.init(
            known.identifier, elected: elected, others: known.others.compactMap(found), choices: known.choices)
        pinned = known.pinned?.text
        grants = known.grants
    }
}
