internal import AnnexLinux

/// Additions to a policy. A fragment states calls, paths and other sections as a policy does. It only adds what it
/// states, and removes nothing.
///
/// Each entitlement of an extension has a fragment. The other fragments are allowances: no extension can claim them,
/// and `annex run --allow` adds them to the policy of a program.
public struct PolicyFragment: Sendable, Hashable {
    /// The entitlement's identifier, for example `com.apple.security.network.client`. An allowance has a short name,
    /// for example `jit`.
    public let identifier: String
    /// The permission as a phrase for a question to the user, for example `connect to other machines`.
    public let name: String
    /// One or two sentences for the user. They state what the extension or program can do with the permission, and the
    /// harm that it could cause.
    public let means: String
    /// When an allowance is the right one, in a few words, for example `for debuggers`. It is nil if the allowance is
    /// right for every call that it allows.
    package let hint: String?
    /// What an allowance is for, and examples of programs, as the help of `annex run` lists it. It is the name if the
    /// text states no such words.
    package let help: String

    /// The fragment's rules about each call, in the order in which they decide.
    let calls: [String: [CallRule]]
    let network: PolicyDocument.Stated<PolicyNode.Network>?
    let writeXorExecute: PolicyDocument.Stated<Bool>?
    let devices: PolicyDocument.Stated<[PolicyDevice]>?
    let environment: PolicyDocument.Stated<PolicyEnvironment>?
    let grants: PolicyNode.Grants
    let repositories: PolicyDocument.Stated<PolicyPaths.Repositories>?
    let processFiles: PolicyDocument.Stated<PolicyPaths.ProcessFiles>?
    let limits: [LimitName: PolicyDocument.Stated<LimitValue>]

    /// Whether the fragment changes the filter of a policy. If no fragment does so, the policy keeps its own filter.
    package var changesFilter: Bool { !calls.isEmpty || writeXorExecute != nil }

    /// Whether the fragment's own rules allow the call.
    package func allows(_ use: CallUse) -> Bool {
        guard let name = use.call?.name else { return false }
        return calls[name]?.first { $0.applies(to: use.arguments) }?.answer == .allow
    }

    /// The names of the calls that the fragment allows.
    public var allowedCalls: [String] {
        calls.filter { $0.value.contains { $0.answer == .allow } }.keys.sorted()
    }
}

extension PolicyFragment {
    /// The two kinds of fragments. If the text has the key `allowance`, the fragment is an allowance.
    enum Kind: String, CaseIterable {
        case entitlement, allowance

        /// Only an allowance may turn `write-xor-execute` off. Only `annex run` prints hints and a list for its help,
        /// and it gives allowances.
        var keys: [String] {
            let shared = [
                "name", "means", "allow", "refuse", "end", "network", "devices", "environment", "paths", "limits",
            ]
            return shared + [rawValue] + (self == .allowance ? ["write-xor-execute", "hint", "help"] : [])
        }

        /// The keys of the section `paths`. No entitlement may state `proc`, because `/proc` shows facts about the
        /// machine, or `repositories`, because a user hands directories over only to programs.
        var keysOfPaths: [String] { ["grants"] + (self == .allowance ? ["proc", "repositories"] : []) }

        var title: String { "an \(rawValue)" }
        var example: String { self == .entitlement ? "com.apple.security.network.client" : "jit" }

        func isName(_ text: String) -> Bool {
            self == .entitlement ? PolicyFragment.isIdentifier(text) : PolicyFragment.isAllowance(text)
        }
    }

    /// Reads the text of `NAME.yaml` as strictly as a policy.
    ///
    /// - Parameters:
    ///   - text: the YAML text, of at most 256 KiB.
    ///   - file: the file's name for messages. It must end in the fragment's name and `.yaml`.
    ///   - architecture: the processor whose calls the fragment names.
    /// - Throws: the first mistake, with its place.
    public init(text: String, file: String, architecture: Architecture = .current) throws(PolicyError) {
        let root = try PolicyNode.root(of: text, file: file)
        let isAllowance = try root.entries("a fragment").contains { $0.name == Kind.allowance.rawValue }
        try self.init(root, of: isAllowance ? .allowance : .entitlement, architecture: architecture)
    }

    private init(_ root: PolicyNode, of kind: Kind, architecture: Architecture) throws(PolicyError) {
        let values = try root.mapping(kind.title, keys: kind.keys)
        calls = try CallRuleReader(architecture: architecture).rules(in: values)
        network = try PolicyDocument.stated(values["network"]) { node throws(PolicyError) in try node.network() }
        devices = try PolicyDocument.stated(values["devices"]) { node throws(PolicyError) in try node.devices() }
        writeXorExecute = try PolicyDocument.stated(values["write-xor-execute"]) { node throws(PolicyError) in
            try node.isOn()
        }
        environment = try PolicyDocument.stated(values["environment"]) { node throws(PolicyError) in
            try node.environment()
        }
        let paths = try values["paths"]?.mapping("`paths` of \(kind.title)", keys: kind.keysOfPaths)
        grants = try paths?["grants"]?.grants() ?? PolicyNode.Grants()
        if kind == .entitlement, let first = grants.callers.first {
            throw PolicyError("`\(first.pattern)` depends on the caller, and no extension has one", at: first.place)
        }
        repositories = try PolicyDocument.stated(paths?["repositories"]) { node throws(PolicyError) in
            try node.repositories()
        }
        processFiles = try PolicyDocument.stated(paths?["proc"]) { node throws(PolicyError) in try node.processFiles() }
        limits = try values["limits"]?.limits() ?? [:]
        guard let identifier = values[kind.rawValue], let name = values["name"], let means = values["means"] else {
            throw root.error("\(kind.title) must state `\(kind.rawValue):`, `name:` and `means:`")
        }
        self.identifier = try identifier.nameOfFragment(kind, file: root.place.file)
        self.name = try name.sentence("`name`", atMost: Self.longestName)
        self.means = try means.sentence("`means`", atMost: Self.longestMeaning)
        hint = try values["hint"]?.sentence("`hint`", atMost: Self.longestName)
        help = try Self.help(in: values, named: name)
    }

    private static func help(in values: [String: PolicyNode], named name: PolicyNode) throws(PolicyError) -> String {
        if let help = values["help"] { return try help.sentence("`help`", atMost: longestName) }
        return try name.sentence("`name`", atMost: longestName)
    }

    /// The `help` of an allowance; nil if its text cannot be read. This reads no rules about calls: each start of
    /// `annex` makes the help of all its commands, and the table of all calls takes some milliseconds.
    static func help(inText text: String, file: String) -> String? {
        guard let root = try? PolicyNode.root(of: text, file: file),
            let values = try? root.mapping(Kind.allowance.title, keys: Kind.allowance.keys), let name = values["name"]
        else { return nil }
        return try? help(in: values, named: name)
    }

    /// Creates an allowance from lines of the list `calls:` of a policy. For example, a line is `mknodat`, or
    /// `{ call: socket, when: { domain: AF_UNIX } }`. A line may begin with a hyphen, as in a policy's text.
    ///
    /// - Throws: the first mistake. Its place is the number of the line.
    package init(lines: [String], architecture: Architecture = .current) throws(PolicyError) {
        let items = lines.map { line in line.hasPrefix("- ") ? String(line.dropFirst(2)) : line }
        if let line = items.first(where: { $0.contains(where: \.isNewline) || $0.isEmpty }) {
            throw PolicyError("`\(Escaped(line, limit: 200))` is not one line of `calls:`, for example `- mknodat`")
        }
        // In this text, the caller's lines come first. So the line number of a mistake is the number of the caller's
        // line.
        let text =
            "allow: [{ calls: [" + items.map { $0 + ",\n" }.joined()
            + "], reason: the command line allows it }]\nallowance: \(Self.ofCommandLine.name)\nname: a\nmeans: b\n"
        try self.init(text: text, file: Self.ofCommandLine.file, architecture: architecture)
    }

    /// The name of the fragment that is made from the lines of a command line. Messages about these lines name the
    /// option `--allow-line` instead of a file.
    fileprivate static let ofCommandLine = (name: "lines", file: "--allow-line")

    /// The longest `name` (and `hint`, `help`) and `means`, in bytes. A question to the user contains both texts.
    private static let (longestName, longestMeaning) = (80, 400)

    /// Whether a text has the form of an allowance's name: small letters and hyphens, and so no dot.
    static func isAllowance(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestIdentifier
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
    }

    /// The longest name of a fragment, in bytes.
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
    fileprivate func nameOfFragment(_ kind: PolicyFragment.Kind, file: String) throws(PolicyError) -> String {
        let name = try text("the name of \(kind.title)")
        guard kind.isName(name) else {
            throw error("`\(Escaped(name))` is not the name of \(kind.title), such as \(kind.example)")
        }
        let isOfCommandLine = file == PolicyFragment.ofCommandLine.file
        guard isOfCommandLine || file == name + ".yaml" || file.hasSuffix("/\(name).yaml") else {
            throw error("the \(kind.rawValue) is \(name), but its file is \(file): name the file \(name).yaml")
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
