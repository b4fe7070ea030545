package import AnnexLaunch
internal import AnnexPolicy

/// One way to try a technique.
package struct Try: Sendable {
    /// A condition that must hold for the try to have a meaning.
    enum Need: Sendable {
        /// The host must run as root to prepare the try.
        case root
        /// The layer that the try attacks must be in force.
        case layer(SandboxLayers)
        /// Landlock must have at least this ABI, because older ABIs do not stop the try.
        case landlock(Int)
        /// The machine must have swap.
        case swap
    }

    package let name: String
    /// The layers that each stop the try alone. seccomp is not among them, because the policy decides whether seccomp
    /// stops the try.
    let layers: SandboxLayers
    /// Further layers that stop the try if the policy gives no `/proc`.
    let withoutProcessFiles: SandboxLayers
    /// The path that the try opens. The policy decides which layers stop the try from opening the path.
    let path: (name: String, rights: PathRights)?
    /// A property of every sandbox. If all layers are left out, this property stops the try.
    let otherwise: String
    let needs: [Need]
    /// Whether the broker performs the tried action if a line of the policy grants it. In this case, only seccomp
    /// decides.
    let isBrokered: Bool
    /// Whether the try runs as a program of `annex run` does: for an ordinary user, with the user's own numbers.
    let hasCallersNumbers: Bool
    /// In how many sandboxes, one after the other, the try must get through to count.
    let sandboxes: Int
    /// The line of a policy that grants the try; nil if no line grants it.
    let grant: @Sendable (Policy) -> String?
    /// How the host measures the effect of the try; nil if the program's own answers show the effect.
    let measure: Measure?
    let make: @Sendable (inout TrialScript, borrowing Canaries, Policy) -> Proof

    /// The layers that must be in force for the try.
    package var least: SandboxLayers {
        needs.reduce([]) { if case .layer(let layer) = $1 { $0.union(layer) } else { $0 } }
    }

    init(
        _ name: String, layers: SandboxLayers = [], withoutProcessFiles: SandboxLayers = [],
        else otherwise: String = "an ordinary user's rights",
        needs: [Need] = [], path: (name: String, rights: PathRights)? = nil, isBrokered: Bool = false,
        hasCallersNumbers: Bool = false, sandboxes: Int = 1,
        grant: @escaping @Sendable (Policy) -> String? = { _ in nil }, measure: Measure? = nil,
        make: @escaping @Sendable (inout TrialScript, borrowing Canaries, Policy) -> Proof
    ) {
        self.name = name
        self.layers = layers
        self.withoutProcessFiles = withoutProcessFiles
        self.otherwise = otherwise
        self.needs = needs
        self.path = path
        self.isBrokered = isBrokered
        self.hasCallersNumbers = hasCallersNumbers
        self.sandboxes = sandboxes
        self.grant = grant
        self.measure = measure
        self.make = make
    }

    /// A try with a single call. The arguments are chosen so that the errno shows whether a layer blocked the call:
    /// without such a layer, the kernel returns another errno.
    static func call(
        _ name: String, with arguments: TrialArgument..., reaching errnos: Set<Int32> = [], layers: SandboxLayers = [],
        absent: Set<Int32> = [], else otherwise: String = "an ordinary user's rights", grantable: Bool = false
    ) -> Try {
        Try(
            title(name, with: arguments), layers: layers, else: otherwise,
            grant: { grantable ? $0.grantingLine(call: name, arguments) : nil }
        ) { script, _, _ in
            .reaches(
                script.call(number: SystemCall(named: name)?.number ?? -1, arguments), errnos, absent: absent)
        }
    }

    /// A try by a program with the numbers of its caller.
    static func ofCaller(
        _ name: String, layers: SandboxLayers = [], else otherwise: String = "an ordinary user's rights",
        needs: [Need] = [],
        make: @escaping @Sendable (inout TrialScript, borrowing Canaries, Policy) -> Proof
    ) -> Try {
        Try(name, layers: layers, else: otherwise, needs: needs, hasCallersNumbers: true, make: make)
    }

    /// A try that names the process of the host by its number.
    ///
    /// The numbers in a sandbox begin at a random place. So the try's own program may have this number by chance, and
    /// is then what the try reaches. Two sandboxes in a row do not have the number.
    static func onHostProcess(
        _ name: String, layers: SandboxLayers = [], else otherwise: String = "an ordinary user's rights",
        needs: [Need] = [], byCaller: Bool = false,
        make: @escaping @Sendable (inout TrialScript, Int32, Policy) -> Proof
    ) -> Try {
        Try(
            name, layers: layers, else: otherwise, needs: needs, hasCallersNumbers: byCaller, sandboxes: 2
        ) { script, canaries, policy in
            make(&script, canaries.hostProcess, policy)
        }
    }

    /// A try with a call on a descriptor that the host forgot to close on exec.
    static func leaked(_ name: String, call: String, with rest: TrialArgument...) -> Try {
        Try(name, else: "no descriptor is inherited") { script, canaries, _ in
            let arguments = [.number(canaries.leakedDescriptor)] + rest
            return .succeeds(script.call(number: SystemCall(named: call)?.number ?? -1, arguments))
        }
    }

    /// The call in the usual notation: its name, and its arguments in brackets.
    private static func title(_ name: String, with arguments: [TrialArgument]) -> String {
        let shown = arguments.map { argument in
            let value = argument.likely
            return value > 1 << 63 ? "-\(0 &- value)" : value > 4096 ? "0x" + String(value, radix: 16) : "\(value)"
        }
        return "\(name)(\(shown.joined(separator: ", ")))"
    }

    /// A try that opens a path of the host. The policy decides which layers stop the try.
    static func open(
        _ path: String, flags: Int64 = 0, layers: SandboxLayers = [],
        else otherwise: String = "an ordinary user's rights"
    ) -> Try {
        let rights: PathRights = flags & 3 == 0 ? .read : flags & 3 == 1 ? .write : [.read, .write]
        return Try(
            "open \(path)", layers: layers, else: otherwise, path: (path, rights),
            grant: { $0.grantingLine(path: path, rights: rights) }
        ) { script, _, _ in
            let name = script.text(path)
            return .succeeds(script.call("openat", with: .here, name, .number(flags | Flags.closeOnExec), 0))
        }
    }
}

extension Policy {
    /// The line of the policy that lists a call with these arguments; nil if there is no such line. Calls that every
    /// launch needs have no line.
    func grantingLine(call name: String, _ arguments: [TrialArgument] = []) -> String? {
        guard let call = SystemCall(named: name, architecture: architecture) else { return nil }
        let given = arguments.map(\.likely)
        let registers = given + [UInt64](repeating: 0, count: max(0, 6 - given.count))
        let verdict = verdict(number: call.number, arguments: registers)
        return verdict.answer == .allow ? "\(verdict.place)" : nil
    }

    /// The line of the policy that lists TCP sockets, if the sandbox has the network of the host; nil otherwise.
    var hostNetworkLine: String? { network == .host ? grantingLine(call: "socket", [2, 1, 0]) : nil }

    /// The line of the policy that grants these rights to a path; nil if there is no such line.
    func grantingLine(path: String, rights: PathRights) -> String? {
        let verdict = verdict(path: path, rights: rights)
        return verdict.isAllowed ? verdict.place.map { "\($0)" } : nil
    }
}

extension TrialArgument {
    /// `AT_FDCWD`.
    static let here = TrialArgument.number(Int64(-100))
}

/// Flags of calls. They have the same number on every processor that Annex supports.
enum Flags {
    static let writeOnly: Int64 = 1
    static let readWrite: Int64 = 2
    static let closeOnExec: Int64 = 0o2000000
    static let emptyPath: Int64 = 0x1000
}

/// The errnos that the catalogue names, with their numbers on Linux.
enum Number {
    static let noMemory: Int32 = 12  // ENOMEM
    static let badDescriptor: Int32 = 9  // EBADF
    static let badAddress: Int32 = 14  // EFAULT
    static let forbidden: Int32 = 13  // EACCES
    static let noDevice: Int32 = 19  // ENODEV
    static let invalid: Int32 = 22  // EINVAL
    static let tooBig: Int32 = 7  // E2BIG
    static let unsupported: Int32 = 95  // EOPNOTSUPP
    static let noProtocol: Int32 = 93  // EPROTONOSUPPORT
    static let noSocketType: Int32 = 94  // ESOCKTNOSUPPORT
    static let noFamily: Int32 = 97  // EAFNOSUPPORT
    static let inUse: Int32 = 98  // EADDRINUSE
    static let inProgress: Int32 = 115  // EINPROGRESS
    static let noSuchFile: Int32 = 2  // ENOENT
}
