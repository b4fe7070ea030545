package import AnnexLinux
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc

/// The kernel's Landlock ABI, and the rights of ABI 1 to 6 that Annex can handle. If a launch handles a right,
/// Landlock denies the right unless a rule grants it. Annex does not handle rights that a later ABI added.
///
/// A launch handles all these rights on files. So Landlock denies a right that no rule grants, even on a mount that
/// would allow it. The launch also handles TCP ports if the policy grants no network, or if the broker makes every
/// connection.
package struct LandlockVersion: Sendable, Hashable {
    package let abi: Int

    init(abi: Int) {
        self.abi = abi
    }

    /// The version of the running kernel.
    /// - Throws: an error with its remedy if the kernel has no Landlock.
    package static func ofKernel() throws(SystemError) -> LandlockVersion {
        let version = annex_landlock_version()
        guard version > 0 else {
            throw SystemError(
                "landlock_create_ruleset", errno: -version,
                remedy: remedy(errno: -version, hasFilter: Confinement.hasFilter))
        }
        return LandlockVersion(abi: Int(version))
    }

    /// - Parameter hasFilter: whether a seccomp filter confines this process. A filter can deny Landlock although the
    ///   kernel has it. The kernel itself never answers EPERM.
    static func remedy(errno number: Int32, hasFilter: Bool) -> String {
        let boot = "boot a kernel with CONFIG_SECURITY_LANDLOCK and `landlock` in the `lsm=` parameter"
        let allow =
            "allow the landlock calls in the seccomp filter that confines this process (a container's or another sandbox's)"
        switch number {
        case EPERM where hasFilter: return allow
        case ENOSYS where hasFilter: return "\(allow), or \(boot)"
        default: return boot
        }
    }

    /// The rights on files: 13 in ABI 1, and further rights for renaming across directories (2), truncating (3) and
    /// device ioctls (5).
    var files: UInt64 {
        var rights = LandlockRights(rawValue: (1 << 13) - 1)
        if abi >= 2 { rights.insert(.refer) }
        if abi >= 3 { rights.insert(.truncate) }
        if abi >= 5 { rights.insert(.deviceIoctl) }
        return rights.rawValue
    }

    /// The rights to bind and to connect TCP ports (ABI 4).
    var network: UInt64 { abi >= 4 ? 0b11 : 0 }

    /// The scopes that deny abstract Unix sockets of other domains, and signals to other domains (ABI 6).
    var scopes: UInt64 { abi >= 6 ? 0b11 : 0 }

    /// The given rights, without the rights that this kernel's Landlock does not know.
    func known(_ rights: LandlockRights) -> UInt64 { rights.rawValue & files }

    /// The abilities of this version, and the abilities that only a newer version has.
    package var summary: String {
        let rights = 13 + (abi >= 2 ? 1 : 0) + (abi >= 3 ? 1 : 0) + (abi >= 5 ? 1 : 0)
        var text = "ABI \(abi): \(rights) rights on files"
        text += abi >= 4 ? ", TCP ports" : "; TCP ports need ABI 4"
        return text + (abi >= 6 ? ", scopes of abstract sockets and signals" : "; scopes need ABI 6")
    }
}

/// The rights on files below a path, with the kernel's numbers.
struct LandlockRights: OptionSet, Sendable, Hashable {
    let rawValue: UInt64

    static let execute = LandlockRights(rawValue: 1 << 0)
    static let writeFile = LandlockRights(rawValue: 1 << 1)
    static let readFile = LandlockRights(rawValue: 1 << 2)
    static let readDirectory = LandlockRights(rawValue: 1 << 3)
    static let removeDirectory = LandlockRights(rawValue: 1 << 4)
    static let removeFile = LandlockRights(rawValue: 1 << 5)
    static let makeDirectory = LandlockRights(rawValue: 1 << 7)
    static let makeRegular = LandlockRights(rawValue: 1 << 8)
    static let makeSocket = LandlockRights(rawValue: 1 << 9)
    static let makePipe = LandlockRights(rawValue: 1 << 10)
    static let makeSymbolicLink = LandlockRights(rawValue: 1 << 12)
    static let refer = LandlockRights(rawValue: 1 << 13)
    static let truncate = LandlockRights(rawValue: 1 << 14)
    static let deviceIoctl = LandlockRights(rawValue: 1 << 15)

    /// The rights that a rule about a file may name. The kernel rejects all other rights in such a rule.
    static let ofFiles: LandlockRights = [.execute, .writeFile, .readFile, .truncate, .deviceIoctl]
    static let reading: LandlockRights = [.readFile, .readDirectory]
    /// The rights for a directory of the sandbox's own: all rights except for devices, sockets, pipes and execution.
    /// If the policy's filter lets the program make socket files or named pipes, the rights for these are added.
    static let owning: LandlockRights = [
        .readFile, .readDirectory, .writeFile, .removeDirectory, .removeFile, .makeDirectory, .makeRegular,
        .makeSymbolicLink, .refer, .truncate,
    ]
}

extension Policy {
    /// The rights to make socket files and named pipes, as far as the policy's filter allows the calls.
    var specialFiles: LandlockRights {
        let pipe: UInt64 = 0o010600
        var rights: LandlockRights = []
        if filterAllows("mknodat", arguments: [0, 0, pipe]) { rights.insert(.makePipe) }
        if allowsUnixSockets { rights.insert(.makeSocket) }
        return rights
    }
}

/// What Landlock denies in a launch, and the rules that grant exceptions. The numbers are sets of the kernel's bits
/// `LANDLOCK_ACCESS_…` and `LANDLOCK_SCOPE_…`, without the bits that this kernel does not know.
package struct LandlockRules: Sendable, Hashable {
    package struct Rule: Sendable, Hashable {
        /// The path inside the new root. No link on the path is followed.
        package var path: String
        package var access: UInt64

        package init(_ path: String, access: UInt64) {
            self.path = path
            self.access = access
        }
    }

    package struct PortRule: Sendable, Hashable {
        package var port: UInt16
        package var access: UInt64
    }

    /// The rights on files that are denied unless a rule grants them.
    package var files: UInt64 = 0
    package var network: UInt64 = 0
    package var scopes: UInt64 = 0
    /// The rights on TCP ports that are granted if `network` denies them.
    package var ports: [PortRule] = []
    package var rules: [Rule] = []

    package init() {}

    /// Whether no program of the sandbox connects a TCP socket itself.
    var deniesConnecting: Bool { network & 0b10 != 0 && !ports.contains { $0.access & 0b10 != 0 } }

    /// Denies all TCP ports except those of these rules.
    /// - Parameter rights: the rights to bind and to connect that the kernel knows.
    /// - Parameter connectsItself: whether the program makes its connections itself; otherwise the broker does.
    mutating func restrict(to rules: SandboxSockets.Rules, rights: UInt64, connectsItself: Bool) {
        let (bind, connect): (UInt64, UInt64) = (1 << 0, connectsItself ? 1 << 1 : 0)
        network = rights
        guard rights != 0 else { return }
        ports = Set(rules.connecting + rules.binding).sorted().map { port in
            let access =
                (rules.binding.contains(port) ? bind : 0) | (rules.connecting.contains(port) ? connect : 0)
            return PortRule(port: port, access: access)
        }
    }
}
