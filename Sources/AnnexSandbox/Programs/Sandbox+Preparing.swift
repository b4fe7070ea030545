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
        configuration.environment = program.environmentBytes
        configuration.directory =
            program.directory.flatMap(LocatedProgram.absolute).map { .demanded($0) }
            ?? .preferred(LocatedProgram.workingDirectory)
        configuration.denials = denials
        configuration.streams = streams
        configuration.terminal = terminal
        if case .persistent = policy.paths.privateDirectory { configuration.persistent = try openPrivate() }
        return PreparedProgram(configuration: configuration, policy: policy)
    }

    private func grant(_ path: String, _ rights: PathRights) throws(SandboxError) -> PathGrant {
        guard let absolute = LocatedProgram.absolute(path) else {
            throw SandboxError("grants", cause: "no working directory with a name in UTF-8 for \(Escaped(path))")
        }
        let place: String
        do throws(SystemError) {
            // What a link leads to is granted, and the link made again where it is needed.
            place = try HostPath.resolve(absolute).path
        } catch {
            throw SandboxError(
                "grants", error, mend: "what is handed over must exist: make it first, or hand over its directory")
        }
        try refuseDanger(place, rights, "grants", "\(Escaped(path)) is not handed over")
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
        let place = try SandboxError.step("private directory") { () throws(SystemError) in
            try HostPath.resolve(LocatedProgram.absolute(privateDirectory) ?? privateDirectory)
        }
        try refuseDanger(
            place.path, [.read, .write], "private directory", "\(Escaped(privateDirectory)) is not the program's own")
        return try SandboxError.step("private directory") { () throws(SystemError) in
            try Descriptor.reference(to: place.path)
        }
    }

    /// What nobody should hand over, on purpose or by way of a link: also whoever's home this process has.
    private func refuseDanger(
        _ place: String, _ rights: PathRights, _ step: String, _ what: String
    ) throws(SandboxError) {
        // SAFETY: the text is copied before anything can change the environment.
        let home = unsafe getenv("HOME").map { unsafe String(cString: $0) }
        let isHome = home.flatMap { try? HostPath.resolve($0).path } == place
        let danger = PathText.danger(place, rights) ?? (isHome ? "it is your home: name what is needed in it" : nil)
        if let danger { throw SandboxError(step, cause: "\(what): \(danger)") }
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
