internal import AnnexLinux
internal import AnnexPolicy

/// A seccomp profile of Docker or OCI container runtimes. Only the entries that apply to one machine and one container
/// are kept.
struct ContainerProfile: Sendable {
    /// The action of an entry for its calls.
    enum Action: Sendable, Hashable {
        case allow
        case errno(Int32)
        /// The kernel kills the thread or the process.
        case kill
    }

    /// One entry of `syscalls`.
    struct Entry: Sendable {
        let names: [String]
        let action: Action
        /// Lists of conditions on the call's registers. Each list is a separate rule. Each condition compares all 64
        /// bits of its register. If there are no lists, the entry always applies.
        let alternatives: [[CallCondition]]
        /// The profile's own comment on the entry.
        let comment: String?
        /// The profile's conditions for this entry, for example `with CAP_SYS_ADMIN`. The machine and container of
        /// the profile (`ContainerProfile.world`) meet all of them, because other entries are not kept.
        let asks: [String]
        let place: PolicyPlace
        let path: String
    }

    let defaultAction: Action
    let entries: [Entry]
    let world: ProfileWorld
    /// The file's name, without its folder.
    let file: String
    /// Sentences about statements of the profile that a policy cannot express.
    let notes: [String]
    /// The start of the profile. Errors about the whole profile use this place.
    let place: PolicyPlace
}

extension ContainerProfile {
    private static let keys = [
        "defaultAction", "defaultErrnoRet", "defaultErrno", "architectures", "archMap", "syscalls", "flags",
        "listenerPath",
        "listenerMetadata",
    ]

    /// Reads the JSON of a profile.
    ///
    /// - Parameters:
    ///   - bytes: the file's bytes, which are untrusted.
    ///   - file: the file's name for messages.
    ///   - world: the machine and container. They decide which entries apply.
    init(json bytes: [UInt8], file: String, world: ProfileWorld) throws(PolicyError) {
        let root = try JSONReader.read(bytes, file: file)
        let values = try root.object(keys: Self.keys)
        guard let action = values["defaultAction"] else { throw root.error("states no `defaultAction`") }
        self.file = file
        self.world = world
        place = root.place
        defaultAction = try Action(action, errno: values["defaultErrno"] ?? values["defaultErrnoRet"])
        guard case .errno = defaultAction else {
            throw action.error(
                "answers unlisted calls with \(try action.text()); an Annex policy answers them with an "
                    + "errno: use SCMP_ACT_ERRNO"
            )
        }
        notes = try Self.notes(values, root: root, in: world)
        var entries: [Entry] = []
        for node in try values["syscalls"]?.list() ?? [] {
            if let entry = try Entry(node, in: world) { entries.append(entry) }
        }
        self.entries = entries
    }

    private static func notes(
        _ values: [String: JSONNode], root: JSONNode, in world: ProfileWorld
    ) throws(PolicyError) -> [String] {
        if let listener = values["listenerPath"] {
            throw listener.error("passes decisions to another program, which no Annex policy does: remove it")
        }
        var notes: [String] = []
        if let flags = try values["flags"]?.texts(), !flags.isEmpty {
            notes.append(
                "The flags \(flags.map { Escaped($0, limit: 200).description }.joined(separator: ", ")) are left out.")
        }
        let foreign = try foreignArchitectures(values, root: root, in: world)
        if !foreign.isEmpty {
            let names = foreign.map { Escaped($0, limit: 200).description }.joined(separator: ", ")
            notes.append(
                "The profile applies its rules to calls of \(names); Annex ends a process that makes such a call.")
        }
        return notes
    }

    /// The architectures that the profile covers in addition to the architecture of `world`.
    private static func foreignArchitectures(
        _ values: [String: JSONNode], root: JSONNode, in world: ProfileWorld
    ) throws(PolicyError) -> [String] {
        let listed = try values["architectures"]?.texts() ?? []
        guard let map = values["archMap"] else { return listed.filter { $0 != world.seccompArchitecture } }
        guard listed.isEmpty else { throw map.error("and `$.architectures` exclude each other") }
        var foreign: [String] = []
        for node in try map.list() {
            let entry = try node.object(keys: ["architecture", "subArchitectures"])
            let others = try entry["subArchitectures"]?.texts() ?? []
            if try entry["architecture"]?.text() == world.seccompArchitecture { foreign += others }
        }
        return foreign
    }
}

extension ContainerProfile.Action {
    init(_ node: JSONNode, errno: JSONNode?) throws(PolicyError) {
        switch try node.text() {
        case "SCMP_ACT_ALLOW": self = .allow
        case "SCMP_ACT_ERRNO": self = .errno(try errno.map(Self.errno) ?? 1)  // EPERM, as runc has it
        case "SCMP_ACT_KILL", "SCMP_ACT_KILL_THREAD", "SCMP_ACT_KILL_PROCESS": self = .kill
        case "SCMP_ACT_TRAP": throw node.error("raises SIGSYS, which no Annex policy does: use SCMP_ACT_ERRNO or _KILL")
        case "SCMP_ACT_LOG":
            throw node.error("allows and logs, which no Annex policy does: use SCMP_ACT_ALLOW or _ERRNO")
        case "SCMP_ACT_TRACE", "SCMP_ACT_NOTIFY":
            throw node.error("asks another program, which no Annex policy does: use SCMP_ACT_ALLOW or _ERRNO")
        case let other:
            let known = ["SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO", "SCMP_ACT_KILL", "SCMP_ACT_KILL_PROCESS"]
            throw node.error("is not an action", suggestion: NearestName.of(other, among: known))
        }
    }

    /// Reads an errno that is given as a number or a name. Podman writes a name in addition to the number, and the
    /// name takes precedence.
    private static func errno(_ node: JSONNode) throws(PolicyError) -> Int32 {
        if case .text(let name) = node.value {
            let numbers: ClosedRange<Int32> = 1...133
            guard let number = numbers.first(where: { Errno.name($0) == name }) else {
                throw node.error("is not an errno", suggestion: NearestName.of(name, among: numbers.map(Errno.name)))
            }
            return number
        }
        let number = try node.number()
        guard number > 0, number <= 133, !Errno.name(Int32(number)).hasPrefix("errno") else {
            throw node.error("is not an errno with a name, from 1 to 133 (0 would look like success)")
        }
        return Int32(number)
    }
}
