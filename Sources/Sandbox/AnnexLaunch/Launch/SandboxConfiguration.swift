package import AnnexLinux
package import AnnexNames
package import AnnexPolicy

/// The configuration of one process to sandbox: its program, its rights, and its descriptors and directories.
package struct SandboxConfiguration: ~Copyable, Sendable {
    package private(set) var policy: Policy
    /// An extension's bundle as it was checked, bound read-only. nil for a program, which is executed at its path on
    /// the host.
    package var bundle: Descriptor?
    /// `Frameworks` of an extension's app as it was checked, shown for reading only; nil if the app has none.
    package var frameworks: Descriptor?
    /// The executable as it was checked, and its path. The path is relative to the bundle, or absolute for a program on
    /// the host.
    package var executable: Descriptor
    package let executablePath: String
    /// The name that the program sees as its own name, and the arguments after this name.
    package var arguments: [[UInt8]]
    /// Further descriptors for the process, and the number that each descriptor gets. `streams` sets 0, 1 and 2.
    package var gifts: DescriptorList
    package private(set) var numbers: [Int32]
    /// The treatment of the calls and paths that the policy denies. Only the launching code can choose a mode other
    /// than `enforce`.
    package var denials = DenialMode.enforce
    /// Policies that the program could get. They are used to find remedies for its denials.
    package var offers: [PolicyOffer] = []
    /// The extension whose grant names the hosts; nil for a program, whose caller names them.
    package var grantee: String?
    /// Whether to report files that the program wants to execute and must not, although their modes allow it.
    package var watchesExecutions = false
    /// Whether denials also go to the log. False for a probe, which causes denials on purpose.
    package var isLogged = true
    /// Whether the program's input is private. If so, the program's output is counted and not kept, and its denied
    /// calls are recorded without their arguments.
    package var hasPrivateInput = false
    /// The requested layers. If this machine cannot provide one of them, the launch fails. A layer that is not
    /// requested is reported as waived.
    package var layers: SandboxLayers = .all
    /// Environment variables in addition to the variables that the policy sets and passes.
    package var environment: [String: [UInt8]] = [:]
    /// The caller's home without links, if the program may look for the caller's files in a HOME of its own. It is used
    /// only to report them.
    package var callersHome: String?
    /// The working directory.
    package enum Directory: Sendable, Hashable {
        /// This directory if it exists inside; otherwise the private directory; otherwise the root.
        case preferred(String?)
        /// This directory. If it does not exist inside, the launch fails.
        case demanded(String)

        package var path: String? {
            switch self {
            case .preferred(let path): path
            case .demanded(let path): path
            }
        }
    }

    package var directory = Directory.preferred(nil)
    /// The process's descriptors 0, 1 and 2. If this list is empty, the process has no input, and its output is kept
    /// for the report.
    package var streams = DescriptorList()
    /// The sandbox's own terminal, which becomes the controlling terminal.
    package var terminal: Descriptor?
    /// Sockets in the sandbox's own network that the broker gets; nil if it needs none.
    package var sockets: SandboxSockets?
    /// A directory on the host that becomes the private directory, if the policy has a persistent private directory.
    package var persistent: Descriptor?
    /// How the files in the persistent directory get the same owner at each launch.
    package var owner = DirectoryOwner.ofCaller
    /// Directories that the process shares with other programs. If the layer `root` is missing, the launch fails.
    package var shared: [SharedDirectory] = []
    /// The name by which the caller started the program.
    package var name: ProgramName?
    /// Links that were followed to reach the private directory on the host.
    package var followed: [LaunchPlan.Link] = []
    /// What was passed on the paths that the caller handed over, and that the policy does not name.
    package var passed = PassedPlaces()
    /// What is hidden and protected besides what the policy names.
    package var partRules = PartRules()
    /// The user that the process gets if the broker has a range of users for its sandboxes.
    package enum User: Sendable {
        /// A user that no other sandbox of this machine has.
        case ofItsOwn
        /// The single user of all programs that root runs. Each of these programs can read the files of the others.
        case ofPrograms
    }

    package var user = User.ofItsOwn
    /// The user and group that the process sees as its own. The launcher sets them.
    private(set) var inside = OwnNumbers.hidden
    /// The permission bits that new files do not get (umask).
    package var fileMask = LaunchPlan.ownerOnly
    /// Receives the scratch directory; nil if this process does not look at it.
    package var keptScratch: KeptScratch?
    /// The signals that the process ignores and blocks when it begins.
    package var signals = SignalSetting.none
    /// Whether the first process is a reaper even if the policy allows only one process.
    package var wantsReaper = false
    /// Whether all other programs go first: the process has the smallest weight and the lowest priority for processors and
    /// disks.
    package var yields = false
    /// Which connections of a program with `network: client` the broker makes, beside those that no program gets; nil for
    /// all.
    package var connections: (@Sendable (InternetAddress) -> Bool)?

    /// Configures an extension in its bundle.
    package init(
        policy: Policy, bundle: consuming Descriptor, executable: consuming Descriptor, executablePath: String,
        name: String, gifts: consuming DescriptorList, numbers: [Int32]
    ) {
        self.policy = policy
        self.bundle = consume bundle
        self.executable = executable
        self.executablePath = executablePath
        arguments = [Array(name.utf8)]
        self.gifts = gifts
        self.numbers = numbers
    }

    /// Configures a program on the host. `path` has every link resolved. The sandbox always gets a reaper, because the
    /// first process of a namespace ignores SIGTERM and SIGINT.
    package init(policy: Policy, program: consuming Descriptor, path: String, arguments: [[UInt8]]) {
        self.policy = policy
        executable = program
        executablePath = path
        self.arguments = arguments
        gifts = DescriptorList()
        numbers = []
        wantsReaper = true
        user = .ofPrograms
        fileMask = Self.callersMask ?? LaunchPlan.ownerOnly
    }

    /// The umask of this process; nil if the kernel does not report it. With this umask, a program's files get the
    /// same permissions as without a sandbox. The umask is read from `/proc`, because a call of umask(2) would change
    /// it for other threads.
    private static var callersMask: UInt32? {
        let status = TextFile.read("/proc/self/status")
        return status.flatMap { TextFile.field("Umask", in: $0) }.flatMap { UInt32($0, radix: 8) }
    }

    /// Sets the numbers of the process's own user and group. From here on, the policy means exactly them.
    mutating func settle(on inside: OwnNumbers) {
        self.inside = inside
        policy = policy.owned(by: inside)
    }

    /// Gives the process one more descriptor under this number.
    package mutating func give(_ descriptor: consuming Descriptor, as number: Int32) {
        gifts.append(descriptor)
        numbers.append(number)
    }

    /// The calls by which the program executes files, or connects to socket files; nil if they are not watched. A
    /// program without files of the caller, or without sockets, is not slowed down. In a mode that checks paths, every
    /// call that names a path is examined anyway. Without a root of its own, the sandbox has no mounts that refuse
    /// executions.
    func executionCalls() throws(SandboxError) -> ExecutionCalls? {
        let layers = effectiveLayers
        let (executes, connects) = (policy.hasRefusedExecutions, policy.connectsToSocketFiles)
        guard watchesExecutions, !denials.checksPaths, executes || connects,
            layers.isSuperset(of: [.root, .seccomp, .listener])
        else { return nil }
        do throws(PolicyError) {
            return ExecutionCalls(before: try policy.filter(), executes: executes, connects: connects)
        } catch {
            throw SandboxError("filter", cause: "\(error)")
        }
    }

    /// The way to named hosts; nil if the policy has none, or if the sandbox only reports and so has the host's
    /// network.
    func hostNetwork() throws(SandboxError) -> HostNetwork? {
        guard policy.network == .hosts, !denials.isPermissive else { return nil }
        guard effectiveLayers.isSuperset(of: [.network, .seccomp, .listener]) else {
            throw SandboxError(
                "hosts",
                cause: "named hosts need a network of the sandbox's own, and the layers `seccomp` and `listener`",
                remedy: "run where these layers are available and do not waive them, or leave out the named hosts")
        }
        return try HostNetwork(policy.hosts, proxies: proxies)
    }

    /// The proxies that the program's variables name.
    private var proxies: HostProxies {
        let values = HostProxies.variables.compactMap { name in
            environment[name] ?? policy.environment.fixed[name].map { Array($0.utf8) }
                ?? (policy.environment.passed.contains(name) ? OwnEnvironment.bytes(of: name) : nil)
        }
        return HostProxies(values.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Whether the sandbox begins with a reaper.
    var hasReaper: Bool { wantsReaper || policy.limits.processes > 1 }
}

extension SandboxConfiguration {
    /// The path of the executable inside: below the bundle for an extension, or the host's path for a program.
    func executablePlace(bundle place: String?) -> String { place.map { $0 + "/" + executablePath } ?? executablePath }

    /// The path of the bundle inside. In the sandbox's own root, it is a fixed path. Without the layer `root`, it is
    /// the path on the host. nil if there is no bundle.
    func bundlePlace() throws(SandboxError) -> String? {
        try place(of: bundle, inOwnRoot: PathText.bundle)
    }

    /// The path of `Frameworks` of the app inside, found in the same way as `bundlePlace`.
    func frameworksPlace() throws(SandboxError) -> String? {
        try place(of: frameworks, inOwnRoot: PathText.frameworks)
    }

    private func place(
        of directory: borrowing Descriptor?, inOwnRoot place: String
    ) throws(SandboxError) -> String? {
        switch directory {
        case .some(let directory):
            if effectiveLayers.contains(.root) { return place }
            do throws(SystemError) {
                return try LaunchPlan.path(of: directory)
            } catch {
                throw SandboxError("bundle", error: error)
            }
        case .none: return nil
        }
    }
}

extension SandboxConfiguration {
    /// The requested layers, without the layers that the mode or the policy makes useless. In a permissive mode, the
    /// program is trusted with the files, the network and the services of the calling user. Its own process and user
    /// namespaces and its limits remain, and it gets no privileges. With `network: host` or `client`, there is no
    /// separate network, so the layer `network` is left out.
    var effectiveLayers: SandboxLayers {
        let wanted = policy.network.isOwn ? layers : layers.subtracting(.network)
        return denials.isPermissive ? wanted.subtracting([.root, .landlock, .network, .ipc]).together : wanted.together
    }
}

extension SandboxLayers {
    /// The layers of this set, without the layers that depend on a layer that the set lacks. Without a mount namespace,
    /// exchanging the root would exchange the host's root. Without a user namespace, setting clocks would need the
    /// right to set the machine's clocks. Without a root and a process namespace of its own, the sandbox cannot have a
    /// `/proc` of its own. Without a filter, no call is denied.
    package var together: SandboxLayers {
        var layers = contains(.mount) ? self : subtracting(.root)
        if !contains(.user) { layers.remove(.time) }
        if !layers.isSuperset(of: [.root, .process]) { layers.remove(.processFiles) }
        return contains(.seccomp) ? layers : layers.subtracting(.listener)
    }
}
