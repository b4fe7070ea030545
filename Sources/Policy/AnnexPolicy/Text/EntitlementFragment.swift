internal import AnnexLinux

/// The addition of one entitlement to the policy of an extension point. A fragment states calls, paths and other
/// sections as a policy does. It only adds what it states, and removes nothing.
public struct EntitlementFragment: Sendable, Hashable {
    /// The entitlement's identifier, for example `com.apple.security.network.client`.
    public let entitlement: String
    /// The permission as a phrase for a question, for example `connect to other machines`.
    public let name: String
    /// One or two sentences for the user. They state the extension's new ability and the harm that the extension could
    /// do with it.
    public let means: String

    /// The fragment's rules about each call, in the order in which they decide.
    let calls: [String: [CallRule]]
    let network: PolicyDocument.Stated<PolicyNetwork>?
    let devices: PolicyDocument.Stated<[PolicyDevice]>?
    let environment: PolicyDocument.Stated<PolicyEnvironment>?
    let grants: [PathGrant]
    let limits: [LimitName: PolicyDocument.Stated<LimitValue>]

    /// Whether the fragment changes the filter of a policy. If no fragment does so, the policy keeps its own filter.
    package var hasCalls: Bool { !calls.isEmpty }

    /// The names of the calls that the fragment allows.
    public var allowedCalls: [String] {
        calls.filter { $0.value.contains { $0.answer == .allow } }.keys.sorted()
    }
}

extension EntitlementFragment {
    private static let keys = [
        "entitlement", "name", "means", "allow", "refuse", "end", "network", "devices", "environment", "paths",
        "limits",
    ]

    /// Reads the text of `NAME.yaml` as strictly as a policy.
    ///
    /// - Parameters:
    ///   - text: the YAML text, of at most 256 KiB.
    ///   - file: the file's name for messages. It must end in the entitlement's identifier and `.yaml`.
    ///   - architecture: the processor whose calls the policy names.
    /// - Throws: the first mistake, with its place.
    public init(text: String, file: String, architecture: Architecture = .current) throws(PolicyError) {
        let root = try PolicyNode.root(of: text, file: file)
        let values = try root.mapping("an entitlement", keys: Self.keys)
        calls = try CallRuleReader(architecture: architecture).rules(in: values)
        network = try PolicyDocument.stated(values["network"]) { node throws(PolicyError) in try node.network() }
        devices = try PolicyDocument.stated(values["devices"]) { node throws(PolicyError) in try node.devices() }
        environment = try PolicyDocument.stated(values["environment"]) { node throws(PolicyError) in
            try node.environment()
        }
        let paths = try values["paths"]?.mapping("`paths` of an entitlement", keys: ["grants"])
        grants = try paths?["grants"]?.grants() ?? []
        limits = try values["limits"]?.limits() ?? [:]
        guard let entitlement = values["entitlement"], let name = values["name"], let means = values["means"] else {
            throw root.error("an entitlement must state `entitlement:`, `name:` and `means:`")
        }
        self.entitlement = try entitlement.identifier(ofFile: file)
        self.name = try name.sentence("`name`", atMost: Self.longestName)
        self.means = try means.sentence("`means`", atMost: Self.longestMeaning)
    }

    /// The longest `name` and `means`, in bytes. A question to the user contains both.
    private static let (longestName, longestMeaning) = (80, 400)

    /// The longest identifier of an entitlement, in bytes.
    private static let longestIdentifier = 128

    /// Whether a text has the form of an entitlement's identifier: letters, digits, hyphens and dots.
    package static func isIdentifier(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= longestIdentifier && parts.count > 1
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        switch byte {
                        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
                        default: false
                        }
                    }
            }
    }
}

extension PolicyNode {
    fileprivate func identifier(ofFile file: String) throws(PolicyError) -> String {
        let name = try text("an entitlement's identifier")
        guard EntitlementFragment.isIdentifier(name) else {
            throw error("`\(Escaped(name))` is not an identifier such as com.apple.security.network.client")
        }
        guard file == name + ".yaml" || file.hasSuffix("/\(name).yaml") else {
            throw error("the entitlement is \(name), but its file is \(file): name the file \(name).yaml")
        }
        return name
    }

    /// A text for users: one line without control characters.
    fileprivate func sentence(_ what: String, atMost most: Int) throws(PolicyError) -> String {
        let text = try text(what)
        guard text.utf8.count <= most else { throw error("\(what) is longer than \(most) bytes") }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw error("\(what) must be one line without control characters")
        }
        return text
    }
}
