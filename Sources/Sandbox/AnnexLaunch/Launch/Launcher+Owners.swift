package import AnnexLinux
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

extension Launcher {
    /// Whether each launch runs as a separate user. If so, the files that launches keep need an owner.
    package var hasUsersToGive: Bool { identities != nil }

    /// Returns how the files of a directory get the given owner.
    ///
    /// The first call for a file system tries an id map, which takes less than a millisecond.
    package func owner(_ number: UInt32, of directory: borrowing Descriptor) throws(SystemError) -> DirectoryOwner {
        guard gives(.user) else { return .shared(number) }
        let device = try directory.status().device
        if let takesMaps = mappable.withLock({ $0[device] }) { return takesMaps ? .mapped(number) : .shared(number) }
        let map = try maps.map(.single(owner: number, user: number))
        let takesMaps = annex_try_id_map(directory.number, map.number) == 0
        mappable.withLock { $0[device] = takesMaps }
        return takesMaps ? .mapped(number) : .shared(number)
    }

    /// How a launch treats the caller's files in the places that the caller handed over. Extensions get no such places.
    func callersFiles(
        of configuration: borrowing SandboxConfiguration, user: UInt32, layers: SandboxLayers
    ) -> CallersFiles {
        guard configuration.user == .ofPrograms, configuration.owner == .ofCaller else { return CallersFiles() }
        guard hasUsersToGive, layers.contains([.user, .root]) else { return CallersFiles() }
        guard layers.contains(.seccomp) else {
            return CallersFiles(refusal: "without the layer seccomp, the program could make set-user-ID files")
        }
        if let call = configuration.policy.callForIdentityBits {
            return CallersFiles(refusal: "the policy allows \(call) with a set-user-ID or set-group-ID mode")
        }
        return CallersFiles(exchanging: 0, with: user, maps: maps)
    }
}

extension Launcher {
    /// Prepares a trial of a policy. If the policy keeps a private directory, the trial gets a new private directory
    /// in `folder`. `folder` belongs to this user.
    package func keepFiles(
        of configuration: inout SandboxConfiguration, in folder: String
    ) throws(SystemError) {
        guard configuration.policy.paths.persistent != nil else { return }
        let name = "private-" + OwnedName.next()
        let place = try Descriptor.directory(folder)
        try place.makeDirectory(name, mode: 0o700)
        let directory = try place.openBeneath(name, O_RDONLY | O_DIRECTORY)
        if hasUsersToGive {
            guard let owner = IdentityRange.owners.first else {
                throw SystemError(
                    "owner", errno: EAGAIN,
                    remedy: "state a range of at least four numbers in \(IdentityRange.variable)")
            }
            try directory.setOwner(owner, group: owner)
            // Without a user namespace, the mount can get no id map.
            let hasMap = configuration.effectiveLayers.contains(.user)
            configuration.owner = hasMap ? try self.owner(owner, of: directory) : .shared(owner)
        }
        configuration.persistent = consume directory
    }
}
