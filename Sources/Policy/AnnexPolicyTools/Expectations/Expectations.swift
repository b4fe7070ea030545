public import AnnexPolicy

/// The expectations about one policy. They are read from the file beside it, as strictly as the policy itself.
public struct Expectations: Sendable, Hashable {
    /// The policy's name.
    public let policy: String
    public let all: [Expectation]

    /// A file with more expectations is a mistake.
    private static let most = 4096

    /// Reads the text of an expectation file.
    ///
    /// - Parameter file: the file's name for messages; it ends in `NAME.expectations.yaml`.
    /// - Throws: if the text is no valid expectation file, states no expectation, or is not named after its policy.
    public init(
        text: String, file: String, architecture: Architecture = .current
    ) throws(PolicyError) {
        let root = try PolicyNode.root(of: text, file: file)
        let values = try root.mapping("expectations", keys: ["expectations", "allows", "denies"])
        guard let name = values["expectations"] else {
            throw root.error("expectations name their policy (`expectations: NAME`)")
        }
        policy = try name.text("a policy's name")
        let right = policy + ExpectationsText.ending
        guard file == right || file.hasSuffix("/" + right) else {
            throw name.error("the expectations are of \(policy), their file is \(file)")
        }
        var all: [Expectation] = []
        for section in ["allows", "denies"] {
            for item in try values[section]?.list("`\(section)`") ?? [] {
                let isAllowed = section == "allows"
                all += try ExpectationReader(architecture: architecture, isAllowed: isAllowed).expectations(item)
                guard all.count <= Self.most else { throw item.error("more than \(Self.most) expectations") }
            }
        }
        guard !all.isEmpty else { throw root.error("expects nothing") }
        self.all = all
    }

    /// Whether this library carries expectations about the policy.
    public static func areShipped(for policy: String) -> Bool { ShippedTexts.expectations[policy] != nil }

    /// The expectations about a policy that this library carries; nil if it has none.
    public static func shipped(
        for policy: String, architecture: Architecture = .current
    ) throws(PolicyError) -> Expectations? {
        guard let text = ShippedTexts.expectations[policy] else { return nil }
        return try Expectations(
            text: text, file: policy + ExpectationsText.ending,
            architecture: architecture)
    }
}
