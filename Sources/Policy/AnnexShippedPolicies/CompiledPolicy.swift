internal import AnnexMessages
internal import AnnexPolicy

/// One compiled policy: its values, and where the file holds its filters. It has no rules and no places of statements,
/// because a launch needs neither, and both are read from the text.
struct CompiledPolicy: Message {
    let filters: [Architecture: CompiledPart]
    let allowsEveryExec: Bool
    /// The values, for any architecture.
    private let values: Policy

    init(_ policy: Policy, filters: [Architecture: CompiledPart], allowsEveryExec: Bool) {
        (values, self.filters, self.allowsEveryExec) = (policy, filters, allowsEveryExec)
    }

    func policy(for architecture: Architecture, filter: SeccompFilter?) -> Policy {
        Policy(
            shipped: values.name, summary: values.summary, architecture: architecture, limits: values.limits,
            paths: values.paths, devices: values.devices, network: values.network, hosts: values.hosts,
            writeXorExecute: values.writeXorExecute, environment: values.environment, filter: filter)
    }

    func encode(into encoder: inout MessageEncoder) {
        let (paths, variables) = (values.paths, values.environment.fixed.sorted { $0.key < $1.key })
        encoder.encode(values.name, as: 1)
        encoder.encode(values.summary, as: 2)
        encoder.encode(filters[.x86], as: 3)
        encoder.encode(filters[.arm], as: 4)
        encoder.encode(allowsEveryExec, as: 5)
        encoder.encode(list: values.limits.numbers, as: 6)
        encoder.encode(list: values.devices.map(\.rawValue), as: 7)
        encoder.encode(values.network.rawValue, as: 8)
        encoder.encode(values.writeXorExecute, as: 9)
        encoder.encode(list: values.environment.passed, as: 10)
        encoder.encode(list: variables.map(\.key), as: 11)
        encoder.encode(list: variables.map(\.value), as: 12)
        encoder.encode(paths.bundle.rawValue, as: 13)
        encoder.encode(paths.processFiles.rawValue, as: 14)
        encoder.encode(paths.etcFiles.rawValue, as: 15)
        encoder.encode(paths.scratch?.path, as: 16)
        encoder.encode(paths.persistent?.path, as: 17)
        encoder.encode(list: [paths.scratch, paths.persistent].flatMap { [$0?.size ?? 0, $0?.inodes ?? 0] }, as: 18)
        encoder.encode(list: paths.grants.map(\.path), as: 19)
        encoder.encode(list: paths.grants.map(\.rights.rawValue), as: 20)
        encoder.encode(list: paths.grants.map(\.isOptional), as: 21)
        encoder.encode(list: paths.grants.map(\.reason), as: 22)
        encoder.encode(list: paths.parts.map(\.kind.rawValue), as: 23)
        encoder.encode(list: paths.parts.map(\.pattern.text), as: 24)
        encoder.encode(list: paths.parts.map(\.reason), as: 25)
        encoder.encode(list: values.hosts.list.map(\.description), as: 26)
        encoder.encode(values.hosts.check.rawValue, as: 27)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let (name, summary): (String, String) = (try decoder.decode(1), try decoder.decode(2))
        filters = [.x86: try decoder.decode(3), .arm: try decoder.decode(4)]
        allowsEveryExec = try decoder.decode(5)
        let limits = PolicyLimits(numbers: try decoder.decodeList(6))
        let devices = try decoder.decodeList(7, of: String.self).compactMap(PolicyDevice.init)
        let network = PolicyNetwork(rawValue: try decoder.decode(8))
        let writeXorExecute: Bool = try decoder.decode(9)
        let passed: [String] = try decoder.decodeList(10)
        let (keys, texts): ([String], [String]) = (try decoder.decodeList(11), try decoder.decodeList(12))
        let bundle = PathRights(rawValue: try decoder.decode(13))
        let processFiles = PolicyPaths.ProcessFiles(rawValue: try decoder.decode(14))
        let etcFiles = PolicyPaths.EtcFiles(rawValue: try decoder.decode(15))
        let (scratch, persistent): (String?, String?) = (
            try decoder.decodeIfPresent(16), try decoder.decodeIfPresent(17)
        )
        let sizes: [UInt64] = try decoder.decodeList(18)
        let (granted, rights): ([String], [UInt8]) = (try decoder.decodeList(19), try decoder.decodeList(20))
        let (optional, reasons): ([Bool], [String]) = (try decoder.decodeList(21), try decoder.decodeList(22))
        guard let limits, let network, let processFiles, let etcFiles, sizes.count == 4 else {
            throw decoder.failure(1, reason: .rejected("has values that no policy has"))
        }
        let grants = zip(zip(granted, rights), zip(optional, reasons)).map { what, how in
            PathGrant(
                path: what.0, rights: PathRights(rawValue: what.1), isOptional: how.0, reason: how.1, place: nil)
        }
        let parts = try Self.parts(from: &decoder)
        let hosts = try Self.hosts(from: &decoder)
        values = Policy(
            shipped: name, summary: summary, architecture: .current, limits: limits,
            paths: PolicyPaths(
                bundle: bundle,
                scratch: scratch.map { PolicyPaths.PrivateDirectory(path: $0, size: sizes[0], inodes: sizes[1]) },
                persistent: persistent.map { PolicyPaths.PrivateDirectory(path: $0, size: sizes[2], inodes: sizes[3]) },
                processFiles: processFiles, etcFiles: etcFiles, grants: grants, parts: parts),
            devices: devices, network: network, hosts: hosts, writeXorExecute: writeXorExecute,
            environment: PolicyEnvironment(passed: passed, fixed: Dictionary(zip(keys, texts)) { $1 }), filter: nil)
    }
}

extension CompiledPolicy {
    private static func parts(from decoder: inout MessageDecoder) throws(DecodingFailure) -> [PathPart] {
        let kinds = try decoder.decodeList(23, of: String.self).compactMap(PathPart.Kind.init)
        let patterns = try decoder.decodeList(24, of: String.self).compactMap { try? PathPattern($0, home: nil) }
        let reasons: [String] = try decoder.decodeList(25)
        guard kinds.count == reasons.count, patterns.count == reasons.count else {
            throw decoder.failure(24, reason: .rejected("has patterns that no policy has"))
        }
        return zip(zip(kinds, patterns), reasons).map { PathPart($0.0, matching: $0.1, reason: $1, place: nil) }
    }
}

extension CompiledPolicy {
    private static func hosts(from decoder: inout MessageDecoder) throws(DecodingFailure) -> HostRules {
        let texts: [String] = try decoder.decodeList(26)
        let rules = texts.compactMap { try? HostRule($0) }
        guard let check = HostRules.Check(rawValue: try decoder.decode(27)), rules.count == texts.count else {
            throw decoder.failure(26, reason: .rejected("has hosts that no policy has"))
        }
        return HostRules(rules, check: check)
    }
}

/// The names of the compiled policies, and where the file holds their values.
struct CompiledIndex: Message {
    let compiler: String
    let names: [String]
    let parts: [CompiledPart]

    init(compiler: String, names: [String], parts: [CompiledPart]) {
        (self.compiler, self.names, self.parts) = (compiler, names, parts)
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(compiler, as: 1)
        encoder.encode(list: names, as: 2)
        encoder.encode(list: parts, as: 3)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        (compiler, names, parts) = (try decoder.decode(1), try decoder.decodeList(2), try decoder.decodeList(3))
    }
}

/// A part of the file: the number of bytes between the index and the part, and the size of the part, as the halves of
/// one number. It may lie outside the file, so readers check it.
struct CompiledPart: FieldValue, RawRepresentable, Hashable {
    let rawValue: UInt64

    var range: Range<Int> {
        let (start, count) = (Int(rawValue >> 32), Int(UInt32(truncatingIfNeeded: rawValue)))
        return start..<start + count
    }
}
