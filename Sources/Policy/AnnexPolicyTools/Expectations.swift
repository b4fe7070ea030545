internal import AnnexLinux
public import AnnexPolicy

/// One expectation about a policy: a call or path that the policy must allow or deny. An expectation is a test of the
/// policy.
public struct Expectation: Sendable, Hashable {
    /// The call or path that is tested.
    package enum Subject: Sendable, Hashable {
        case call(SystemCall, arguments: [UInt64])
        case path(String, PathRights)
    }

    /// The expected result.
    package enum Wanted: Sendable, Hashable {
        case allowed
        /// The subject must be denied. If `answer` or `layer` is nil, any answer or any layer is accepted.
        case denied(answer: Answer?, layer: SandboxLayer?)
    }

    /// The way in which the subject is denied.
    package enum Answer: Sendable, Hashable {
        case errno(Int32)
        /// The process is ended.
        case end
    }

    package let subject: Subject
    package let wanted: Wanted
    /// The place that states the expectation.
    public let place: PolicyPlace
}

extension Expectation: CustomStringConvertible {
    /// For example `denies ptrace(PTRACE_TRACEME, 0, NULL, 0x0)`.
    public var description: String {
        let verb = wanted == .allowed ? "allows" : "denies"
        return switch subject {
        case .call(let call, let arguments): "\(verb) \(call.describe(arguments: arguments))"
        case .path(let path, let rights): "\(verb) \(rights) on \(Escaped(path))"
        }
    }
}

extension Expectation.Answer {
    package var word: String {
        switch self {
        case .errno(let number): Errno.name(number)
        case .end: "end"
        }
    }
}

/// The expectations about one policy. They are read from the file beside the policy, as strictly as the policy itself.
public struct Expectations: Sendable, Hashable {
    /// The policy's name.
    public let policy: String
    public let all: [Expectation]

    private init(policy: String, all: [Expectation]) {
        self.policy = policy
        self.all = all
    }

    /// The most expectations in a file. A file with more is a mistake.
    private static let most = 4096

    /// Reads the text of an expectation file.
    ///
    /// - Parameter file: the file's name for messages. It must end in `NAME.expectations.yaml`.
    /// - Throws: an error if the text is not a valid expectation file, states no expectation, or is not named after its
    ///   policy.
    public init(
        text: String, file: String, architecture: Architecture = .current
    ) throws(PolicyError) {
        let root = try PolicyNode.root(of: text, file: file)
        let values = try root.mapping("expectations", keys: ["expectations", "allows", "denies"])
        guard let name = values["expectations"] else {
            throw root.error("expectations must name their policy (`expectations: NAME`)")
        }
        policy = try name.text("a policy's name")
        let right = policy + ExpectationsText.ending
        guard file == right || file.hasSuffix("/" + right) else {
            throw name.error("the expectations are about \(policy), but their file is \(file): name the file \(right)")
        }
        var all: [Expectation] = []
        for section in ["allows", "denies"] {
            for item in try values[section]?.list("`\(section)`") ?? [] {
                let isAllowed = section == "allows"
                all += try ExpectationReader(architecture: architecture, isAllowed: isAllowed).expectations(item)
                guard all.count <= Self.most else {
                    throw item.error("the file has more than \(Self.most) expectations")
                }
            }
        }
        guard !all.isEmpty else { throw root.error("the file states no expectation") }
        self.all = all
    }

    /// Whether this library contains expectations about the policy. For the name `NAME+FRAGMENT…` of a policy with
    /// additions (fragments), only the policy `NAME` counts.
    public static func areShipped(for policy: String) -> Bool {
        ShippedTexts.expectations[JoinedName(policy).policy] != nil
    }

    /// The expectations that this library contains about a policy; nil if it contains none. For a joined name,
    /// `NAME+FRAGMENT…`, these are the expectations about the policy and the fragments together.
    public static func shipped(
        for policy: String, architecture: Architecture = .current
    ) throws(PolicyError) -> Expectations? {
        let names = JoinedName(policy)
        guard let own = try carried(names.policy, for: architecture) else { return nil }
        return try own.joined(withFragments: names.fragments, for: architecture)
    }

    private static func carried(
        _ name: String, for architecture: Architecture
    ) throws(PolicyError) -> Expectations? {
        guard let text = ShippedTexts.expectations[name] else { return nil }
        return try Expectations(text: text, file: name + ExpectationsText.ending, architecture: architecture)
    }
}

extension Expectations {
    /// These expectations, joined with the expectations about fragments. A fragment's expectation about a call or
    /// path replaces the policy's expectation about the same call or path. If one fragment allows a call or path and
    /// another fragment denies it, the call or path is allowed.
    public func joined(
        withFragments fragments: [String], for architecture: Architecture = .current
    ) throws(PolicyError) -> Expectations {
        var added: [Expectation] = []
        for fragment in fragments {
            guard let stated = try Self.carried(fragment, for: architecture) else {
                throw PolicyError("`\(fragment)` has no expectations")
            }
            added += stated.all
        }
        let allowed = Set(added.filter { $0.wanted == .allowed }.map(\.subject))
        added.removeAll { $0.wanted != .allowed && allowed.contains($0.subject) }
        let replaced = Set(added.map(\.subject))
        return Expectations(
            policy: JoinedName(policy: policy, fragments: fragments).joined,
            all: all.filter { !replaced.contains($0.subject) } + added)
    }
}

extension Policy {
    /// Why the policy's own answer does not meet an expectation; nil if it meets the expectation.
    public func failure(of expectation: Expectation) -> String? {
        switch expectation.subject {
        case .call(let call, let arguments):
            let verdict = verdict(number: call.number, arguments: arguments)
            let answer: Expectation.Answer? =
                switch verdict.answer {
                case .allow: nil
                case .deny(let errno, _): .errno(errno)
                case .end, .aborting: .end
                }
            return Self.failure(
                of: expectation.wanted, answer: answer, layers: verdict.layer.map { [$0] } ?? [], at: "\(verdict.place)"
            )
        case .path(let path, let rights):
            let verdict = verdict(path: path, rights: rights)
            let answer = verdict.isAllowed ? nil : Expectation.Answer.errno(verdict.errno ?? 0)
            let place = verdict.place.map { "\($0)" } ?? "no line grants it"
            return Self.failure(of: expectation.wanted, answer: answer, layers: verdict.deniedBy, at: place)
        }
    }

    private static func failure(
        of wanted: Expectation.Wanted, answer: Expectation.Answer?, layers: [SandboxLayer], at place: String
    ) -> String? {
        switch (wanted, answer) {
        case (.allowed, nil): return nil
        case (.allowed, let answer?): return "is denied with \(answer.word) (\(place))"
        case (.denied, nil): return "is allowed (\(place))"
        case (.denied(let expected, let layer), let answer?):
            if let expected, expected != answer {
                return "is denied with \(answer.word) instead of \(expected.word) (\(place))"
            }
            guard let layer, !layers.contains(layer) else { return nil }
            let names = layers.map(\.rawValue).joined(separator: ", ")
            return "is denied by \(names) and not by \(layer.rawValue) (\(place))"
        }
    }
}
