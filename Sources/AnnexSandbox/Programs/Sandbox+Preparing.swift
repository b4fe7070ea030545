package import AnnexLinux
package import AnnexPolicy
internal import Glibc
internal import Synchronization

extension Sandbox {
    /// Everything that a launch needs, and the policy with what the program was handed.
    package func prepare(
        _ program: SandboxProgram, streams: consuming DescriptorList, terminal: consuming Descriptor? = nil
    ) throws(SandboxError) -> PreparedProgram {
        var grants: [PathGrant] = []
        for path in program.readable { grants.append(try grant(path, .read)) }
        for path in program.writable { grants.append(try grant(path, [.read, .write])) }
        let file = try LocatedProgram.find(program, under: policy.granting(grants))
        let policy = self.policy.granting(grants + file.grants)
        let (path, arguments) = (file.path, file.arguments)
        var configuration = SandboxConfiguration(
            policy: policy, program: file.takeObject(), path: path, arguments: arguments)
        configuration.environment = program.environment
        configuration.directory = program.directory.flatMap(LocatedProgram.absolute) ?? LocatedProgram.workingDirectory
        configuration.denials = denials
        configuration.streams = streams
        configuration.terminal = terminal
        if case .persistent = policy.paths.privateDirectory { configuration.persistent = try openPrivate() }
        return PreparedProgram(configuration: configuration, policy: policy)
    }

    private func grant(_ path: String, _ rights: PathRights) throws(SandboxError) -> PathGrant {
        guard let absolute = LocatedProgram.absolute(path) else {
            throw SandboxError("grants", cause: "there is no working directory for \(Escaped(path))")
        }
        let place: String
        do throws(SystemError) {
            // What a link leads to is granted, and the link made again where it is needed.
            place = try HostPath.resolve(absolute).path
        } catch {
            throw SandboxError(
                "grants", error, mend: "what is handed over must exist: make it first, or hand over its directory")
        }
        if let danger = PathText.danger(place, rights) {
            throw SandboxError("grants", cause: "\(Escaped(path)) is not handed over: \(danger)")
        }
        return PathGrant(
            // Behind a link, `..` is not what its spelling says: then only the real place is granted.
            path: absolute.split(separator: "/").contains("..") ? place : LocatedProgram.plain(absolute),
            rights: rights,
            isOptional: false, reason: "handed to the program",
            place: nil)
    }

    private func openPrivate() throws(SandboxError) -> Descriptor {
        guard let privateDirectory else {
            throw SandboxError(
                "plan", cause: "the policy \(policy.name) keeps the private directory, and none was named")
        }
        return try SandboxError.step("private directory") { () throws(SystemError) in
            try Descriptor.reference(to: privateDirectory)
        }
    }
}

/// A program ready to be launched.
package struct PreparedProgram: ~Copyable {
    package var configuration: SandboxConfiguration
    package let policy: Policy

    package consuming func takeConfiguration() -> SandboxConfiguration { configuration }
}

extension Launcher {
    private static let started = Mutex<[Set<SandboxLayer>: Launcher]>([:])

    /// This process's launcher that can do without these layers, started with its first use and kept.
    package static func shared(waiving: Set<SandboxLayer>) throws(SandboxError) -> Launcher {
        try started.withLock { (started) throws(SandboxError) in
            if let known = started[waiving] { return known }
            let launcher = try Launcher.start(waiving: waiving)
            started[waiving] = launcher
            return launcher
        }
    }
}
