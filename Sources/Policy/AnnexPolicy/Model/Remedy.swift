/// What the author of a policy would have to state so that a denied call or path is allowed.
public enum Remedy: Sendable, Hashable {
    /// An entry under `allow:`.
    case entry(CallEntry)
    /// The setting `write-xor-execute: off`. The policy's rules allow the call otherwise.
    case writeXorExecuteOff
    /// The devices of the policy, and the one that is missing.
    case devices([PolicyDevice])
    case processFiles(PolicyPaths.ProcessFiles)
    case grant(String, PathRights)
    /// An entitlement that an extension could get.
    /// - Parameters:
    ///   - isClaimed: whether the extension asks for it. If so, only the user's grant is missing.
    case entitlement(String, of: String, isClaimed: Bool)
    /// A machine beside those that the grant of an extension names already.
    case host(HostRule, of: String, besides: [HostRule])
    /// Nothing, because every entry that allows the call also lets the program set a set-user-ID or set-group-ID mode.
    /// - Parameters:
    ///   - isSeen: whether the call's registers show that it sets such a mode. If not, it can do so unseen.
    case identityBits(isSeen: Bool)

    /// What the author of the policy or the user would write. Nil if nothing allows the call.
    public var text: String? {
        switch self {
        case .entry(let entry):
            (entry.breaksWriteXorExecute ? "write-xor-execute: off, and under allow: " : "") + "- " + entry.line
        case .writeXorExecuteOff: "write-xor-execute: off"
        case .devices(let devices): "devices: [\(devices.map(\.rawValue).joined(separator: ", "))]"
        case .processFiles(let files): "paths: { proc: \(files.rawValue) }"
        case .grant(let path, let rights):
            "grants: [{ reason: …, rights: \(rights), paths: [\(PathText.quoted(path))] }]"
        case .entitlement(let name, of: let identifier, isClaimed: true): "annex grant \(identifier) \(name)"
        case .entitlement(let name, of: _, isClaimed: false):
            "\(name) in the extension's entitlements, and the user's grant"
        case .host(let rule, let identifier, let granted):
            ([rule] + granted).reduce("annex grant \(identifier) com.apple.security.network.client") { command, rule in
                command + " --host \(Self.quoted(rule))"
            }
        case .identityBits: nil
        }
    }

    /// The rule for a shell, which would take some of its letters for a pattern.
    private static func quoted(_ rule: HostRule) -> String {
        let text = rule.description
        return text.contains { "*[]".contains($0) } ? "'\(text)'" : text
    }
}

/// An entry of the list `calls:` that allows one call. It compares the arguments that the policy already compares, and
/// those that choose the operation.
public struct CallEntry: Sendable, Hashable {
    public let call: SystemCall
    /// The compared arguments: the index of each, and its value.
    let compared: [Argument]
    /// Whether the call could bypass the rule that written memory is never executed. Such an entry also needs
    /// `write-xor-execute: off`.
    public let breaksWriteXorExecute: Bool

    struct Argument: Sendable, Hashable {
        let index: Int
        let value: UInt64
    }

    /// The entry in the policy's language, for example `getpid` or `{ call: socket, when: { domain: AF_INET } }`.
    public var line: String {
        let known = call.arguments ?? []
        let conditions = compared.filter { known.indices.contains($0.index) }.map { argument in
            "\(known[argument.index].name): \(known[argument.index].kind.policyText(argument.value))"
        }
        if conditions.isEmpty { return call.name }
        return "{ call: \(call.name), when: { \(conditions.joined(separator: ", ")) } }"
    }
}

extension ArgumentKind {
    /// The value as a policy would state it: one name, or a list of names.
    fileprivate func policyText(_ register: UInt64) -> String {
        guard !constants.isEmpty else { return WholeNumber.hexadecimal(register & mask) }
        let text = describe(register)
        return text.contains("|") ? "{ exactly: [\(text.split(separator: "|").joined(separator: ", "))] }" : text
    }
}

/// A call as a program made it: its number and registers.
public struct CallUse: Sendable, Hashable {
    public let number: Int32
    public let arguments: [UInt64]
    public let architecture: Architecture

    public init(number: Int32, arguments: [UInt64], architecture: Architecture = .current) {
        self.number = number
        self.arguments = arguments
        self.architecture = architecture
    }

    /// Nil if no kernel known to Annex has such a call.
    public var call: SystemCall? { SystemCall(number: number, architecture: architecture) }

    /// The register of an argument, by the argument's number. A missing register is 0.
    package subscript(_ index: Int) -> UInt64 { arguments.indices.contains(index) ? arguments[index] : 0 }
}
