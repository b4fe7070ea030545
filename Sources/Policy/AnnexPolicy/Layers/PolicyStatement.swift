/// One statement of a policy: something that it allows or prevents.
public enum PolicyStatement: Sendable, Hashable {
    /// The call passes only as the policy allows.
    case call(String)
    /// Only calls that the policy lists can pass.
    case otherCalls
    /// The process has this right on a granted path.
    case granted(path: String, PathRights)
    /// The process does not have this right on a granted path.
    case withheld(path: String, PathRights)
    /// The process cannot use any other file of the host in this way.
    case otherFiles(FileUse)
    /// The persistent private directory contains at most the bytes and inodes that the policy allows.
    case privateSize
    /// The scratch directory, the private directory in memory, contains at most the bytes and inodes that the policy
    /// allows.
    case scratchSize
    /// No device can be used except the devices that the policy lists.
    case otherDevices
    /// The sandbox contains only the part of `/proc` that the policy states.
    case processFiles
    /// The process reaches only the network that the policy allows.
    case network
    /// The process reaches no socket of the host by an abstract name.
    case abstractSockets
    /// Memory that was ever writable never becomes executable.
    case writeXorExecute
    /// A limit, by its name in the policy's text.
    case limit(String)
    /// The process gets only those variables of the host's environment that the policy passes.
    case environment
    /// The process cannot send a signal to a process outside the sandbox.
    case signals
    /// The process cannot see a process outside the sandbox, or read or write its memory.
    case otherProcesses
    /// The process reaches no System V object or message queue of the host.
    case interprocess
    /// No clock reveals when the machine was started. This time is the same for every program on the machine.
    case machineStart
    /// The process cannot change the host's name.
    case hostname
    /// The process cannot see or change a control group.
    case controlGroups
    /// The process cannot make, move or remove a mount.
    case mounts
    /// The process cannot make or enter a namespace.
    case namespaces
    /// The process has no capability over anything.
    case capabilities
    /// Executing a program gives the process no additional rights.
    case setUserID
    /// The process reaches no key of the host's session.
    case sessionKeys
    /// The process reaches no key of the host's user.
    case userKeys

    /// A way to use a file by its path.
    public enum FileUse: String, Sendable, Hashable, CaseIterable {
        /// The file's contents: opening, listing, running, creating, removing, renaming or truncating it.
        case contents
        /// The file's existence and kind, as shown by stat, access, readlink and chdir.
        case existence
        /// The file's mode, owner, times and extended attributes.
        case attributes
        /// A socket that is a file.
        case sockets
    }
}

extension PolicyStatement: CustomStringConvertible {
    /// For example `other files: their contents`.
    public var description: String {
        switch self {
        case .call(let name): "\(name) only as allowed"
        case .otherCalls: "no other call"
        case .granted(let path, let rights): "\(path): \(rights)"
        case .withheld(let path, let rights): "\(path): not \(rights)"
        case .otherFiles(let use): "no other file: \(use.rawValue)"
        case .privateSize: "size of the private directory"
        case .scratchSize: "size of the scratch directory"
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
        case .machineStart: "no clock reveals when the machine was started"
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
