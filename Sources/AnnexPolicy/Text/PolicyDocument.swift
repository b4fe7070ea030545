/// One policy file as read, before what it includes is joined in. Nil and absent entries are left to the includes.
struct PolicyDocument: Sendable {
    let name: String
    let summary: String
    let includes: [Include]
    /// What the file says about each call, in the order in which it decides.
    let calls: [String: [CallRule]]
    let unlisted: UnlistedCalls?
    let bundle: PolicyPaths.BundleRights?
    let privateDirectory: PolicyPaths.PrivateDirectory?
    let network: PolicyNetwork?
    let environment: PolicyEnvironment?
    let limits: [LimitName: LimitValue]
    /// Where the text starts: what is missing is missing here.
    let place: PolicyPlace

    /// A file that is joined in before this one.
    struct Include: Sendable {
        let name: String
        let place: PolicyPlace
    }
}

extension PolicyDocument {
    private static let keys = [
        "policy", "summary", "includes", "allow", "refuse", "end", "unlisted", "paths", "network", "environment",
        "limits",
    ]

    init(text: String, file: String, architecture: Architecture) throws(PolicyError) {
        let root = try PolicyNode.root(of: text, file: file)
        let values = try root.mapping("a policy", keys: Self.keys)
        guard let name = values["policy"], let summary = values["summary"] else {
            throw root.error("a policy states its name (`policy:`) and one sentence about it (`summary:`)")
        }
        self.name = try name.text("a policy's name")
        guard file == self.name + ".yaml" else {
            throw name.error("the policy is named \(self.name), its file \(file)")
        }
        self.summary = try summary.text("a summary")
        includes = try Self.includes(values["includes"])
        calls = try CallRuleReader(architecture: architecture).rules(in: values)
        unlisted = try values["unlisted"].map { node throws(PolicyError) in try node.unlistedCalls() }
        let paths = try values["paths"]?.mapping("`paths`", keys: ["bundle", "private"])
        bundle = try paths?["bundle"].map { node throws(PolicyError) in try node.bundleRights() }
        privateDirectory = try paths?["private"].map { node throws(PolicyError) in try node.privateDirectory() }
        network = try values["network"].map { node throws(PolicyError) in try node.network() }
        environment = try values["environment"].map { node throws(PolicyError) in try node.environment() }
        limits = try values["limits"]?.limits() ?? [:]
        place = root.place
    }

    private static func includes(_ node: PolicyNode?) throws(PolicyError) -> [Include] {
        var includes: [Include] = []
        for item in try node?.list("`includes`") ?? [] {
            includes.append(Include(name: try item.text("an include"), place: item.place))
        }
        return includes
    }
}
