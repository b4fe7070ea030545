internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The files that a process sees: mounts and Landlock rules, derived from the same lines of the policy.
extension Launcher {
    func addFiles(
        to plan: inout LaunchPlan, policy: Policy, bundle place: String?, bundleObject bundle: consuming Descriptor?,
        persistent: consuming Descriptor?, isMapped: Bool, followed: [LaunchPlan.Link],
        passed: PassedPlaces, named: [LaunchPlan.Link], partRules: PartRules, directory: SandboxConfiguration.Directory,
        terminal: consuming TerminalDevice?, owners: consuming CallersFiles, etc: EtcText
    ) throws(SandboxError) {
        let paths = policy.paths
        var owners = owners
        let grants = try GrantLayout(
            policy, keeping: Self.place(of: persistent), followed: followed + passed.links,
            remade: passed.links + named, rules: partRules, layers: plan.layers)
        (plan.parts, plan.partFacts) = (grants.parts, grants.partFacts)
        try Self.rejectHidden(plan.executable.path, parts: plan.partFacts)
        try Self.rejectPrivate(paths, in: grants)
        plan.directory = try self.directory(
            directory, grants: grants, policy: policy, ownRoot: plan.layers.contains(.root))
        let devices = policy.devices.map(\.path) + (terminal == nil ? [] : [TerminalDevice.place])
        if plan.layers.contains(.landlock) {
            // Landlock is nil only if every launch leaves the layer out.
            guard let landlock else { throw SandboxError("Landlock", cause: "the kernel has no Landlock") }
            plan.landlock = handled(policy, landlock: landlock)
            plan.landlock.rules = rules(
                grants, policy: policy, devices: devices, bundle: place, layers: plan.layers)
            if plan.layers.contains(.root), Self.isMade(plan.directory, policy: policy, grants: grants) {
                plan.landlock.rules.append(rule(plan.directory, rights: .readDirectory))
            }
        }
        do throws(SystemError) {
            if plan.layers.contains(.root) {
                try addRoot(
                    to: &plan, paths: paths, devices: devices, terminal: terminal, persistent: persistent,
                    isMapped: isMapped, owners: &owners)
                addWritten(to: &plan, policy: policy, grants: grants, passed: passed.directories, etc: etc)
                try grants.bind(on: &plan, owners: &owners)
            }
            if let bundle = consume bundle { try plan.bind(bundle, at: PathText.bundle) }
        } catch {
            throw SandboxError("plan", error: error)
        }
    }

    /// Shows `Frameworks` of an app to its extension. Neither the mount nor Landlock lets the extension write or
    /// execute files in this directory.
    func addFrameworks(
        _ directory: consuming Descriptor, at place: String, policy: Policy, to plan: inout LaunchPlan
    ) throws(SandboxError) {
        if plan.layers.contains(.landlock) {
            plan.landlock.rules.append(rule(place, rights: policy.paths.frameworks.landlock(onDirectory: true)))
        }
        guard plan.layers.contains(.root) else { return }
        do throws(SystemError) {
            try plan.bind(directory, at: PathText.frameworks, access: .noExecute)
        } catch {
            throw SandboxError("plan", error: error)
        }
    }

    /// Rejects a program that the launch would hide from itself.
    private static func rejectHidden(_ executable: String, parts: PartFacts) throws(SandboxError) {
        guard let hidden = parts.hidden.first(where: { executable.isWithin($0) }) else { return }
        let part = PathText.isSame(hidden, as: executable) ? "" : " with \(Escaped(hidden))"
        throw SandboxError(
            "parts", cause: "the program \(Escaped(executable)) is hidden\(part), so it cannot be executed",
            remedy: "leave out what hides it (--hide, --read-all-but or `hide` of the policy), or name another program")
    }

    private static func rejectPrivate(
        _ paths: PolicyPaths, in grants: borrowing GrantLayout
    ) throws(SandboxError) {
        for directory in paths.privateDirectories {
            guard let outer = grants.place(showing: directory.path) else { continue }
            throw SandboxError(
                "plan", cause: "the private directory \(directory.path) would lie in \(outer.path)",
                remedy: "grant a smaller directory, or state another place for the private directory in the policy")
        }
        // The program of an earlier run may have replaced what lies there.
        guard let kept = paths.persistent, let inner = grants.places.first(where: { $0.path.isWithin(kept.path) })
        else {
            return
        }
        throw SandboxError(
            "plan", cause: "\(Escaped(inner.path)) would lie in the private directory \(kept.path)",
            remedy: "state another place for the private directory in the policy")
    }

    private static func place(of directory: borrowing Descriptor?) throws(SandboxError) -> String? {
        switch directory {
        case .some(let directory):
            try SandboxError.step("private directory") { () throws(SystemError) in
                try LaunchPlan.path(of: directory)
            }
        case .none: nil
        }
    }

    /// Adds the parts of the sandbox's root that are neither grants nor the bundle. These are the private directories,
    /// shared memory, devices, and `/proc` with the links to it.
    private func addRoot(
        to plan: inout LaunchPlan, paths: PolicyPaths, devices: [String], terminal: consuming TerminalDevice?,
        persistent: consuming Descriptor?, isMapped: Bool, owners: inout CallersFiles
    ) throws(SystemError) {
        if let scratch = paths.scratch {
            plan.scratches.append(
                Scratch(
                    at: scratch.path, size: scratch.size, inodes: scratch.inodes,
                    isExecutable: paths.scratchRights.contains(.execute)))
            if hasSharedMemory(paths, devices: devices) {
                plan.scratches.append(
                    Scratch(at: PolicyPaths.sharedMemoryPath, size: scratch.size, inodes: scratch.inodes))
            }
        }
        if let kept = paths.persistent {
            guard let directory = consume persistent else {
                throw SystemError(
                    "bind", errno: ENOENT, path: kept.path,
                    remedy:
                        "the policy keeps the private directory from run to run: name a directory on the host for it")
            }
            let map = isMapped ? nil : try owners.map(ofPrivate: kept.path, object: directory, plan: &plan)
            let isOwned = isMapped || map != nil
            try plan.bind(
                directory, at: kept.path, access: isOwned ? [.writable, .noExecute, .owned] : [.writable, .noExecute],
                map: map)
        }
        for device in devices where device != TerminalDevice.place {
            try plan.bind(Descriptor.reference(to: device), at: device, access: [.device, .noExecute])
        }
        if let terminal = consume terminal {
            try plan.bind(terminal.takeFile(), at: TerminalDevice.place, access: [.device, .noExecute])
        }
        plan.hasProc = hasProcessFiles(paths, layers: plan.layers)
        plan.hasKernelFiles = plan.hasProc && paths.processFiles == .full
        guard plan.hasProc else { return }
        guard !devices.isEmpty else { return }
        plan.links += Self.standardLinks
    }

    /// Whether the sandbox has `/dev/shm`. For this, the policy must have a scratch directory and the sandbox must have
    /// a `/dev`. Any device, even the terminal, makes a `/dev`.
    private func hasSharedMemory(_ paths: PolicyPaths, devices: [String]) -> Bool {
        paths.scratch != nil && !devices.isEmpty
    }

    /// Whether the sandbox has `/proc`. Without a process namespace, `/proc` would show the host's processes.
    private func hasProcessFiles(_ paths: PolicyPaths, layers: SandboxLayers) -> Bool {
        paths.processFiles != .none && layers.isSuperset(of: [.process, .processFiles])
    }

    private static let standardLinks = [
        LaunchPlan.Link(at: "/dev/fd", to: "/proc/self/fd"), LaunchPlan.Link(at: "/dev/stdin", to: "/proc/self/fd/0"),
        LaunchPlan.Link(at: "/dev/stdout", to: "/proc/self/fd/1"),
        LaunchPlan.Link(at: "/dev/stderr", to: "/proc/self/fd/2"),
    ]

    /// The working directory. The wanted directory is used if it lies inside or above a grant. Relative paths to
    /// granted files then work. If the sandbox lacks a preferred directory and the policy allows one at that path,
    /// the launch makes an empty directory there. So the program sees the path at which the caller started it.
    private func directory(
        _ wanted: SandboxConfiguration.Directory, grants: borrowing GrantLayout, policy: Policy, ownRoot: Bool
    ) throws(SandboxError) -> String {
        guard ownRoot else { return wanted.path ?? "/" }
        if let path = wanted.path {
            let isThere = grants.place(showing: path) != nil || grants.places.contains { $0.path.isWithin(path) }
            if isThere || policy.paths.privateDirectories.contains(where: { $0.path == path }) { return path }
        }
        switch wanted {
        case .preferred(let path?) where policy.canMakeDirectory(at: path): return path
        case .preferred: return policy.paths.home ?? "/"
        case .demanded(let path):
            throw SandboxError(
                "directory", cause: "\(Escaped(path)) does not exist in the sandbox",
                remedy: "hand it over, for reading or for writing")
        }
    }

    /// Adds the files that Annex writes, and the working directory and the passed directories if nothing else makes
    /// them.
    private func addWritten(
        to plan: inout LaunchPlan, policy: Policy, grants: borrowing GrantLayout, passed: [String], etc text: EtcText
    ) {
        for file in policy.writtenFiles where grants.place(showing: file.path) == nil {
            plan.files.append(LaunchPlan.File(at: file.path, contents: text.contents(of: file)))
        }
        if Self.isMade(plan.directory, policy: policy, grants: grants) {
            plan.files.append(LaunchPlan.File(at: plan.directory, contents: nil))
            plan.makesDirectory = true
        }
        for directory in passed where policy.canMakeDirectory(at: directory) {
            guard plan.files.count < Self.mostFiles, Self.isMade(directory, policy: policy, grants: grants) else {
                continue
            }
            plan.files.append(LaunchPlan.File(at: directory, contents: nil))
        }
    }

    /// The most files and directories that the warden makes. Those that only let a spelling work come last.
    private static let mostFiles = 16

    /// Whether a working directory, or a passed one, exists only because this launch makes it.
    private static func isMade(_ directory: String, policy: Policy, grants: borrowing GrantLayout) -> Bool {
        let isParent = grants.places.contains { $0.path.isWithin(directory) }
        let isOwn = policy.visiblePaths.contains { directory == $0.path }
        return directory != "/" && !isParent && !isOwn && grants.place(showing: directory) == nil
    }

    private func handled(_ policy: Policy, landlock: LandlockVersion) -> LandlockRules {
        var rules = LandlockRules()
        rules.files = landlock.files
        // With `network: loopback` or `host`, programs may bind and connect TCP ports. With `network: client` the
        // broker makes the connections, and with `network: hosts` it also binds. The program itself then needs no
        // right.
        rules.network = policy.network.connectsItself ? 0 : landlock.network
        rules.scopes = landlock.scopes
        return rules
    }

    private func rules(
        _ grants: borrowing GrantLayout, policy: Policy, devices: [String], bundle place: String?,
        layers: SandboxLayers
    ) -> [LandlockRules.Rule] {
        let paths = policy.paths
        let special = policy.specialFiles
        var rules = deviceRules(devices)
        if let place {
            rules.append(rule(place, rights: paths.bundle.landlock(onDirectory: true)))
        }
        for place in grants.places {
            var rights = place.rights.landlock(onDirectory: place.isDirectory)
            if place.isDirectory, place.rights.contains(.write) { rights.formUnion(special) }
            rules.append(rule(place.path, rights: rights))
        }
        guard layers.contains(.root) else { return rules }
        if policy.mayListParents { rules.append(rule("/", rights: .readDirectory)) }
        for file in policy.writtenFiles where grants.place(showing: file.path) == nil {
            rules.append(rule(file.path, rights: .readFile))
        }
        if let kept = paths.persistent { rules.append(rule(kept.path, rights: .owning.union(special))) }
        if let scratch = paths.scratch {
            rules.append(
                rule(scratch.path, rights: paths.scratchRights.landlock(onDirectory: true).union(special)))
        }
        if hasSharedMemory(paths, devices: devices) {
            rules.append(rule(PolicyPaths.sharedMemoryPath, rights: .owning))
        }
        if hasProcessFiles(paths, layers: layers) { rules.append(rule("/proc", rights: .reading)) }
        return rules
    }

    private func deviceRules(_ devices: [String]) -> [LandlockRules.Rule] {
        devices.map { device in
            // The filter decides which ioctls a terminal answers. The other devices answer no important ioctl.
            rule(
                device,
                rights: device == TerminalDevice.place
                    ? [.readFile, .writeFile, .deviceIoctl] : [.readFile, .writeFile])
        }
    }

    private func rule(_ path: String, rights: LandlockRights) -> LandlockRules.Rule {
        LandlockRules.Rule(path, access: landlock?.known(rights) ?? 0)
    }
}
