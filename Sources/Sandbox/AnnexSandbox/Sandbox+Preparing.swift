package import AnnexLaunch
package import AnnexLinux
package import AnnexPolicy
internal import Glibc
internal import Synchronization

extension Sandbox {
    /// Resolves everything that a launch needs. Adds to the policy the paths that the caller gives to the program.
    package func prepare(
        _ program: SandboxProgram, streams: consuming DescriptorList, terminal: consuming Descriptor? = nil
    ) throws(SandboxError) -> PreparedProgram {
        var passed = PassedPlaces()
        let grants = try grants(of: program, passing: &passed)
        let callers = try CallersPlaces(of: policy)
        let repositories =
            policy.paths.repositories == .git
            ? try GitRepository.grants(of: grants, unprotected: program.unprotected) : []
        let found = policy.finding(callers.grants + repositories)
        let file = try LocatedProgram.find(program, under: found.granting(grants))
        try reject(hosts: program.hosts)
        let whole = found.granting(grants + file.grants)
        let parts = try program.parts() + ResolverFiles.hidden(of: whole)
        let policy = whole.dividing(parts).allowing(program.hosts)
        let (path, arguments) = (file.path, file.arguments)
        let name = file.name
        let kept = program.keepsCallersEnvironment ? CallersEnvironment(policy, directory: program.directory) : nil
        let notes = kept?.notes(file, named: program.name, under: policy) ?? []
        var configuration = SandboxConfiguration(
            policy: policy, program: file.takeObject(), path: path, arguments: arguments)
        (configuration.name, configuration.passed) = (name, passed)
        configuration.environment = (kept?.values ?? [:]).merging(program.environmentBytes) { $1 }
        if let home = callers.home, program.environmentBytes["HOME"] == nil { configuration.environment["HOME"] = home }
        if program.keepsCallersEnvironment, denials == .explain {
            configuration.callersHome = UserEnvironment.path("HOME").flatMap { try? HostPath.resolve($0).path }
        }
        if let directory = program.directory {
            // The sandbox makes the directory, and not a link that leads to it.
            let plain = try spelled(directory, step: "directory").path
            configuration.directory = .demanded((try? HostPath.resolve(plain).path) ?? plain)
        } else {
            configuration.directory = .preferred(SandboxProgram.callersDirectory)
        }
        configuration.partRules = try program.partRules()
        configuration.denials = denials
        configuration.watchesExecutions = true
        configuration.signals = program.signals
        configuration.streams = streams
        configuration.terminal = terminal
        if policy.paths.persistent != nil { try openPrivate(for: &configuration) }
        let gate = try gate(of: program)
        configuration.sockets = gate?.takeRequest()
        return PreparedProgram(configuration: configuration, policy: policy, notes: notes, gate: gate)
    }

    private func reject(hosts: [HostRule]) throws(SandboxError) {
        guard let first = hosts.first, policy.network != .hosts else { return }
        let isWider = policy.network == .client || policy.network == .host
        throw SandboxError(
            "hosts",
            cause: "`\(first)` is for a program with named hosts, and the policy \(policy.name) states "
                + "`network: \(policy.network.rawValue)`",
            remedy: isWider
                ? "leave out either the hosts or the allowance `network`" : "add the allowance `hosts` to the policy")
    }

    /// Begins to listen at the published ports, so that a port in use is an error before the program starts.
    private func gate(of program: SandboxProgram) throws(SandboxError) -> PortGate? {
        if program.ports.isEmpty { return nil }
        let remedy: String
        switch policy.network {
        case .loopback, .hosts: return try PortGate(program.ports)
        case .none: remedy = "add the allowance `loopback` to the policy"
        case .client, .host: remedy = "leave out either the ports or the allowance `network`"
        }
        throw SandboxError(
            "ports",
            cause: "single ports are for a program with a network of its own, and the policy \(policy.name) states "
                + "`network: \(policy.network.rawValue)`",
            remedy: remedy)
    }

    private func grants(
        of program: SandboxProgram, passing passed: inout PassedPlaces
    ) throws(SandboxError) -> [PathGrant] {
        func plain(_ path: String) throws(SandboxError) -> String {
            let walked = try spelled(path, step: "grants")
            passed.add(walked.passed)
            return walked.path
        }
        func grant(_ path: String, rights: PathRights) throws(SandboxError) -> PathGrant {
            try self.grant(path, at: plain(path), of: program, rights: rights)
        }
        var grants = try program.grantsWithoutCredentials(plain)
        for path in program.readable { grants.append(try grant(path, rights: .read)) }
        for path in program.writable { grants.append(try grant(path, rights: [.read, .write])) }
        for path in program.writableCode { grants.append(try grant(path, rights: [.read, .write, .execute])) }
        for path in program.executable {
            let grant = try grant(path, rights: [.read, .execute])
            let isWritten = grants.contains { $0.rights.contains(.write) && PathText.isSame($0.path, as: grant.path) }
            guard !isWritten else {
                throw SandboxError(
                    "grants", cause: "\(Escaped(path)) cannot be handed over both for writing and for executing",
                    remedy:
                        "name the file to execute inside it, or let the program execute files that it wrote (--write-execute)"
                )
            }
            grants.append(grant)
        }
        return grants
    }

    /// A grant for a path that the caller gives to the program. This function checks only the path's text. A later
    /// check, of the very object that is bound, finds out whether the path leads to a dangerous place.
    /// - Parameter plain: the path in plain spelling.
    private func grant(
        _ path: String, at plain: String, of program: SandboxProgram, rights: PathRights
    ) throws(SandboxError) -> PathGrant {
        if let danger = PathText.danger(plain, rights: rights) {
            throw SandboxError("grants", cause: "\(Escaped(path)) is not handed over: \(danger)")
        }
        return PathGrant(
            path: plain, rights: rights, isOptional: false, reason: "handed to the program", place: nil,
            namedIn: program.namingFile)
    }

    /// The absolute path in plain spelling. A part `..` leads where it leads the kernel, which follows the links before
    /// it. The links behind the last `..` are kept, so that the sandbox shows them.
    private func spelled(_ path: String, step: String) throws(SandboxError) -> (path: String, passed: PassedPlaces) {
        try rejectEmpty(path, step: step)
        guard let absolute = LocatedProgram.absolute(path) else {
            throw SandboxError(
                step,
                cause: "\(Escaped(path)) is relative, and \(SandboxProgram.lackOfDirectory)")
        }
        return try SandboxError.step(step) { () throws(SystemError) in try PassedPlaces.walk(absolute) }
    }

    /// Rejects an empty path. An unset shell variable expands to an empty path, which would mean the working directory.
    private func rejectEmpty(_ path: String, step: String) throws(SandboxError) {
        guard path.isEmpty else { return }
        throw SandboxError(step, cause: "a path is empty", remedy: "name one; `.` is the working directory")
    }

    private func openPrivate(for configuration: inout SandboxConfiguration) throws(SandboxError) {
        guard let privateDirectory else {
            throw SandboxError(
                "plan",
                cause:
                    "the policy \(policy.name) keeps the private directory from run to run, and no directory was named "
                    + "for it"
            )
        }
        let step = "private directory"
        try rejectEmpty(privateDirectory, step: step)
        let place = try SandboxError.step(step) { () throws(SystemError) in
            try HostPath.resolve(LocatedProgram.absolute(privateDirectory) ?? privateDirectory)
        }
        let rights: PathRights = [.read, .write]
        let danger =
            PathText.danger(place.path, rights: rights)
            ?? GrantDangers().danger(of: place.path, rights, spelled: place.path)
        if let danger {
            throw SandboxError(step, cause: "\(Escaped(privateDirectory)) cannot be the private directory: \(danger)")
        }
        configuration.followed += place.links
        configuration.persistent = Descriptor(owning: place.releaseObject())
    }
}

/// A program ready to be launched.
package struct PreparedProgram: ~Copyable {
    package var configuration: SandboxConfiguration
    package let policy: Policy
    /// Sentences for the caller about what the program lacks of the caller's surroundings.
    package let notes: [String]
    /// The relay of the program's ports; nil if it has none.
    package let gate: PortGate?

    package consuming func takeConfiguration() -> SandboxConfiguration { configuration }
}

extension Launcher {
    private static let started = Mutex<[Set<SandboxLayer>: Launcher]>([:])

    /// This process's launcher for programs that may run without these layers. The first call starts the launcher, and
    /// later calls return the same launcher.
    package static func shared(waiving: Set<SandboxLayer>) throws(SandboxError) -> Launcher {
        try started.withLock { (started) throws(SandboxError) in
            if let known = started[waiving] { return known }
            let launcher = try Launcher.start(waiving: waiving)
            started[waiving] = launcher
            return launcher
        }
    }

    /// Ends the launchers that `shared` started, and waits for their wardens. A program that must leave no process
    /// behind calls this function.
    package static func shutDownShared() {
        let launchers = started.withLock { started in
            defer { started = [:] }
            return Array(started.values)
        }
        for launcher in launchers { launcher.shutDown() }
    }
}
