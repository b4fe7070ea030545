/// One policy file as it was read, before its includes are joined in. If an entry is nil or absent here, the includes
/// supply it.
struct PolicyDocument: Sendable {
    let name: String
    let summary: String
    let includes: [Include]
    /// The file's rules about each call, in the order in which they decide.
    let calls: [String: [CallRule]]
    let unlisted: UnlistedCalls?
    let bundle: Stated<PathRights>?
    let privateDirectories: Stated<PrivateDirectories>?
    let processFiles: Stated<PolicyPaths.ProcessFiles>?
    let etcFiles: Stated<PolicyPaths.EtcFiles>?
    let grants: PolicyNode.Grants
    let repositories: Stated<PolicyPaths.Repositories>?
    let parts: [PathPart]
    let devices: Stated<[PolicyDevice]>?
    let network: Stated<PolicyNode.Network>?
    let writeXorExecute: Stated<Bool>?
    let environment: Stated<PolicyEnvironment>?
    let limits: [LimitName: Stated<LimitValue>]
    /// The start of the text. If an entry is missing, the error points to this place.
    let place: PolicyPlace

    /// A file that is joined in before the including file.
    struct Include: Sendable {
        let name: String
        let place: PolicyPlace
    }

    /// A section's value and its place in the file.
    struct Stated<Value: Sendable & Hashable>: Sendable, Hashable {
        let value: Value
        let place: PolicyPlace

        init(_ node: PolicyNode, _ read: (PolicyNode) throws(PolicyError) -> Value) throws(PolicyError) {
            value = try read(node)
            place = node.place
        }
    }

    /// The value of `paths: private`: at most one directory of each kind.
    struct PrivateDirectories: Sendable, Hashable {
        var scratch: PolicyPaths.PrivateDirectory?
        var persistent: PolicyPaths.PrivateDirectory?
    }
}

extension PolicyDocument {
    private static let keys = [
        "policy", "summary", "includes", "allow", "refuse", "end", "unlisted", "paths", "devices", "network",
        "write-xor-execute", "environment", "limits",
    ]

    private static let keysOfPaths = [
        "bundle", "private", "proc", "etc", "grants", "repositories", "hide", "protect",
    ]

    init(text: String, file: String, architecture: Architecture) throws(PolicyError) {
        try self.init(root: PolicyNode.root(of: text, file: file), architecture: architecture)
    }

    init(root: PolicyNode, architecture: Architecture) throws(PolicyError) {
        let values = try root.mapping("a policy", keys: Self.keys)
        includes = try Self.includes(values["includes"])
        calls = try CallRuleReader(architecture: architecture).rules(in: values)
        unlisted = try values["unlisted"].map { node throws(PolicyError) in try node.unlistedCalls() }
        let paths = try values["paths"]?.mapping("`paths`", keys: Self.keysOfPaths)
        bundle = try Self.stated(paths?["bundle"]) { node throws(PolicyError) in try node.bundleRights() }
        privateDirectories = try Self.stated(paths?["private"]) { node throws(PolicyError) in
            try node.privateDirectories()
        }
        processFiles = try Self.stated(paths?["proc"]) { node throws(PolicyError) in try node.processFiles() }
        etcFiles = try Self.stated(paths?["etc"]) { node throws(PolicyError) in try node.etcFiles() }
        grants = try paths?["grants"]?.grants() ?? PolicyNode.Grants()
        repositories = try Self.stated(paths?["repositories"]) { node throws(PolicyError) in try node.repositories() }
        parts = try (paths?["hide"]?.parts(.hide) ?? []) + (paths?["protect"]?.parts(.protect) ?? [])
        devices = try Self.stated(values["devices"]) { node throws(PolicyError) in try node.devices() }
        network = try Self.stated(values["network"]) { node throws(PolicyError) in try node.network() }
        writeXorExecute = try Self.stated(values["write-xor-execute"]) { node throws(PolicyError) in
            try node.isOn()
        }
        environment = try Self.stated(values["environment"]) { node throws(PolicyError) in try node.environment() }
        limits = try values["limits"]?.limits() ?? [:]
        place = root.place
        // The name is checked last. So if it is missing, the other mistakes of the text are reported too.
        guard let name = values["policy"], let summary = values["summary"] else {
            throw root.error("a policy must state its name (`policy:`) and one sentence about it (`summary:`)")
        }
        self.name = try name.text("a policy's name")
        let file = root.place.file
        guard file == self.name + ".yaml" || file.hasSuffix("/\(self.name).yaml") else {
            throw name.error(
                "the policy is named \(self.name), but its file is \(file): name the file \(self.name).yaml")
        }
        self.summary = try summary.text("a summary")
    }

    static func stated<Value>(
        _ node: PolicyNode?, _ read: (PolicyNode) throws(PolicyError) -> Value
    ) throws(PolicyError) -> Stated<Value>? {
        guard let node else { return nil }
        return try Stated(node, read)
    }

    private static func includes(_ node: PolicyNode?) throws(PolicyError) -> [Include] {
        var includes: [Include] = []
        for item in try node?.list("`includes`") ?? [] {
            includes.append(Include(name: try item.text("an include"), place: item.place))
        }
        return includes
    }
}
