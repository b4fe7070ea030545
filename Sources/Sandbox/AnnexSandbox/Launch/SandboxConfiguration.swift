package import AnnexLinux
package import AnnexPolicy

/// One process to sandbox: what it runs, what it may, and what it is given.
package struct SandboxConfiguration: ~Copyable, Sendable {
    package let policy: Policy
    /// An extension's bundle as it was checked, bound read-only; nil for a program of the host's, which is where it is.
    package var bundle: Descriptor?
    /// The executable as it was checked, and its path: below the bundle, or as a program's on the host.
    package var executable: Descriptor
    package let executablePath: String
    /// What the program sees as its own name, and what follows it.
    package var arguments: [[UInt8]]
    /// Descriptors that the process is given, and the number of each; 0, 1 and 2 are the sandbox's own.
    package var gifts: DescriptorList
    package let numbers: [Int32]
    /// What becomes of what the policy refuses. Nobody but who launches names another mode than `enforce`.
    package var denials = DenialMode.enforce
    /// Whether refusals go to the program's log as well: not where they are provoked, as a probe does.
    package var isLogged = true
    /// What is asked for. A layer that cannot be had fails the launch; one that is left out here is told as waived.
    package var layers: SandboxLayers = .all
    /// Beside what the policy sets and passes.
    package var environment: [String: [UInt8]] = [:]
    /// The working directory.
    package enum Directory: Sendable, Hashable {
        /// This one where it is there inside; else the private directory, else the root.
        case preferred(String?)
        /// This one, or no launch.
        case demanded(String)

        package var path: String? {
            switch self {
            case .preferred(let path): path
            case .demanded(let path): path
            }
        }
    }

    package var directory = Directory.preferred(nil)
    /// Its descriptors 0, 1 and 2; empty: nothing to read, and what it writes is kept for the report.
    package var streams = DescriptorList()
    /// A terminal of its own, which becomes the controlling one.
    package var terminal: Descriptor?
    /// A directory of the host's that its private directory is, where the policy has a persistent one.
    package var persistent: Descriptor?
    /// Links that were followed to its private directory.
    var followed: [LaunchPlan.Link] = []
    /// Whose user it has where the broker has users to give.
    package enum User: Sendable {
        /// One of its own, that no other sandbox of the machine has.
        case ofItsOwn
        /// The one of all programs that root runs: what one of them wrote another can read.
        case ofPrograms
    }

    package var user = User.ofItsOwn
    /// Permission bits that its new files do not get.
    package var fileMask = LaunchPlan.ownerOnly
    /// Whether its first process is a reaper, whatever the policy says of processes.
    package var wantsReaper = false

    /// An extension in its bundle.
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

    /// A program of the host's, under the path that it has without any link. It always gets a reaper: a first process
    /// ignores SIGTERM and SIGINT.
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

    /// Files that a program makes are as they would be without a sandbox. nil where the kernel does not tell; to ask by
    /// umask(2) would change it for other threads.
    private static var callersMask: UInt32? {
        let prefix = "Umask:\t"
        let line = TextFile.read("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix(prefix) }
        return line.flatMap { UInt32($0.dropFirst(prefix.count), radix: 8) }
    }

    /// Whether the sandbox begins with a reaper.
    var hasReaper: Bool { wantsReaper || policy.limits.processes > 1 }
}
