/// One thing that a policy says, by what it lets happen or keeps from happening.
public enum PolicyStatement: Sendable, Hashable {
    /// A call is made only as the policy allows it.
    case call(String)
    /// No call is made that the policy does not list.
    case otherCalls
    /// What a granted path gives is there to be used.
    case granted(path: String, PathRights)
    /// What a granted path does not give is not to be had.
    case withheld(path: String, PathRights)
    /// Nothing is done with any other file of the host's.
    case otherFiles(FileUse)
    /// The private directory holds no more than its size and inodes.
    case privateSize
    /// No device beside those listed.
    case otherDevices
    /// Of `/proc` there is what the policy says.
    case processFiles
    /// Nobody is reached over a network beyond what the policy says.
    case network
    /// No socket of the host's by an abstract name.
    case abstractSockets
    /// Memory that was ever writable never becomes executable.
    case writeXorExecute
    /// A limit, by its name in the policy's text.
    case limit(String)
    /// Of the host's environment there is what the policy passes.
    case environment
    /// No signal to a process outside.
    case signals
    /// No process outside is seen, and no memory of one read or written.
    case otherProcesses
    /// No System V object or message queue of the host's.
    case interprocess
    /// No clock says when the machine was started, which is the same for everything on it.
    case machineStart
    /// The host's name stays what it is.
    case hostname
    /// No control group is seen or changed.
    case controlGroups
    /// No mount is made, moved or taken away.
    case mounts
    /// No namespace is made or entered.
    case namespaces
    /// No capability, on anything.
    case capabilities
    /// No program gives rights that its caller has not.
    case setUserID
    /// No key of the host's session.
    case sessionKeys
    /// No key of the host's user.
    case userKeys

    /// What may be done with a file by its path.
    public enum FileUse: String, Sendable, Hashable, CaseIterable {
        /// Its contents: opened, listed, run, made, removed, renamed, cut.
        case contents
        /// That it is there and what kind it is: stat, access, readlink, chdir.
        case existence
        /// Its mode, owner, times and extended attributes.
        case attributes
        /// A socket that is a file.
        case sockets
    }
}

extension PolicyStatement: CustomStringConvertible {
    /// For example `other files: their contents`.
    public var description: String {
        switch self {
        case .call(let name): "only so: \(name)"
        case .otherCalls: "no other call"
        case .granted(let path, let rights): "\(path): \(rights)"
        case .withheld(let path, let rights): "\(path): not \(rights)"
        case .otherFiles(let use): "no other file: \(use.rawValue)"
        case .privateSize: "size of the private directory"
        case .otherDevices: "no other device"
        case .processFiles: "/proc"
        case .network: "network"
        case .abstractSockets: "no abstract socket"
        case .writeXorExecute: "write-xor-execute"
        case .limit(let name): "limit \(name)"
        case .environment: "environment"
        case .signals: "no signal outside"
        case .otherProcesses: "no process outside"
        case .interprocess: "no System V object or message queue outside"
        case .machineStart: "no clock says when the machine was started"
        case .hostname: "host name"
        case .controlGroups: "control groups"
        case .mounts: "no mounts"
        case .namespaces: "no namespaces"
        case .capabilities: "no capabilities"
        case .setUserID: "no set-user-ID programs"
        case .sessionKeys: "no key of the host's session"
        case .userKeys: "no key of the host's user"
        }
    }
}
