internal import AnnexPolicy

extension ContainerProfile.Entry {
    private static let keys = [
        "names", "name", "action", "errnoRet", "errno", "args", "comment", "includes", "excludes",
    ]

    /// Reads one entry; nil if the entry does not apply to this machine and these capabilities.
    init?(_ node: JSONNode, in world: ProfileWorld) throws(PolicyError) {
        let values = try node.object(keys: Self.keys)
        guard let action = values["action"] else { throw node.error("states no `action`") }
        names = try Self.names(values, of: node)
        self.action = try ContainerProfile.Action(action, errno: values["errno"] ?? values["errnoRet"])
        alternatives = try Self.alternatives(try values["args"]?.list() ?? [])
        comment = try values["comment"]?.text()
        let wanted = try ProfileFilter(values["includes"])
        let barred = try ProfileFilter(values["excludes"])
        asks = wanted.words("with") + barred.words("without")
        place = node.place
        path = node.path.text
        guard wanted.allHold(in: world), !barred.oneHolds(in: world) else { return nil }
    }

    private static func names(_ values: [String: JSONNode], of node: JSONNode) throws(PolicyError) -> [String] {
        if let name = values["name"] {
            guard values["names"] == nil else { throw name.error("and `names` exclude each other") }
            return [try name.text()]
        }
        guard let names = values["names"] else { throw node.error("names no calls (`names`)") }
        return try names.texts()
    }

    /// The lists of conditions, read as runc reads them. If two comparisons concern the same register, each comparison
    /// is a separate rule. Otherwise all comparisons form one rule, and must hold together.
    private static func alternatives(_ nodes: [JSONNode]) throws(PolicyError) -> [[CallCondition]] {
        var conditions: [CallCondition] = []
        for node in nodes { conditions.append(try CallCondition(profile: node)) }
        if conditions.isEmpty { return [] }
        return Set(conditions.map(\.index)).count == conditions.count ? [conditions] : conditions.map { [$0] }
    }
}

extension CallCondition {
    fileprivate init(profile node: JSONNode) throws(PolicyError) {
        let values = try node.object(keys: ["index", "value", "valueTwo", "op"])
        guard let index = values["index"], let value = values["value"], let operation = values["op"] else {
            throw node.error("states `index`, `value` and `op`")
        }
        let first = try value.number()
        let second = try values["valueTwo"]?.number() ?? 0
        let comparison: Comparison =
            switch try operation.text() {
            case "SCMP_CMP_NE": .not(first)
            case "SCMP_CMP_LT": .below(first)
            case "SCMP_CMP_LE": .atMost(first)
            case "SCMP_CMP_EQ": .masked(mask: .max, value: first)
            case "SCMP_CMP_GE": .atLeast(first)
            case "SCMP_CMP_GT": .above(first)
            // libseccomp ignores bits of the value that are outside the mask.
            case "SCMP_CMP_MASKED_EQ": .masked(mask: first, value: second & first)
            case let other: throw operation.error("is not a comparison", suggestion: Self.nearest(other))
            }
        self.init(index: Int(try index.number(atMost: 5)), alternatives: [comparison])
    }

    private static func nearest(_ name: String) -> String? {
        let known = ["NE", "LT", "LE", "EQ", "GE", "GT", "MASKED_EQ"].map { "SCMP_CMP_" + $0 }
        return NearestName.of(name, among: known)
    }
}
