internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// What a program gets only in part.
extension SandboxProgram {
    /// The patterns of the caller.
    /// - Throws: if a text is no pattern.
    func parts() throws(SandboxError) -> [PathPart] {
        let home = UserEnvironment.path("HOME")
        var parts: [PathPart] = []
        for (kind, texts) in [(PathPart.Kind.hide, hidden), (.protect, protected)] {
            for text in texts {
                do throws(PathPattern.Mistake) {
                    let pattern = try PathPattern(text, home: home)
                    parts.append(PathPart(kind, matching: pattern, reason: "a pattern of the caller", place: nil))
                } catch {
                    throw SandboxError("parts", cause: "\(Escaped(text)) is no pattern: \(error)")
                }
            }
        }
        return parts
    }

    /// What is hidden and protected by the shipped lists.
    func partRules() throws(SandboxError) -> PartRules {
        var rules = PartRules()
        rules.note = partNote
        do throws(PolicyError) {
            if !(writable + writableCode).isEmpty || !unprotected.isEmpty {
                rules.protected = try Self.kept(of: ShippedParts.protected(), without: unprotected)
            }
            if !readableWithoutCredentials.isEmpty { rules.credentials = try ShippedParts.credentials() }
        } catch {
            throw SandboxError("parts", cause: "\(error)")
        }
        for path in readableWithoutCredentials {
            rules.allBut.append(try SandboxError.step("grants") { () throws(SystemError) in try Self.place(of: path) })
        }
        return rules
    }

    private static func kept(
        of parts: [ShippedPart], without groups: [String]
    ) throws(PolicyError) -> [ShippedPart] {
        let known = ShippedParts.groups(of: parts)
        for group in groups where group != "all" && !known.contains(group) {
            throw PolicyError("there is no protection `\(group)`: \((known + ["all"]).joined(separator: ", "))")
        }
        return groups.contains("all") ? [] : parts.filter { !groups.contains($0.group) }
    }

    // MARK: - Everything but credentials

    private static func place(of path: String) throws(SystemError) -> String {
        let absolute = LocatedProgram.absolute(path) ?? path
        return absolute == "/" ? "/" : try HostPath.resolve(absolute).path
    }

    /// The grants for the directories that the program may read without their credentials.
    /// - Parameter spelled: gives a path in plain spelling.
    func grantsWithoutCredentials(
        _ spelled: (String) throws(SandboxError) -> String
    ) throws(SandboxError) -> [PathGrant] {
        var grants: [PathGrant] = []
        for path in readableWithoutCredentials {
            let plain = try spelled(path)
            let paths = plain == "/" ? try Self.rootEntries() : [plain]
            for one in paths {
                if let reason = PathText.madeInside(one) {
                    throw SandboxError("grants", cause: "\(Escaped(path)) is not handed over: \(reason)")
                }
                grants.append(
                    PathGrant(
                        path: one, rights: .read, isOptional: plain == "/", reason: "handed to the program", place: nil,
                        namedIn: namingFile
                    ).withoutCredentials())
            }
        }
        return grants
    }

    /// The entries of `/` that a sandbox does not have of its own. The files of running programs lie in `/run`, and other
    /// programs' sockets too.
    private static let own: Set<String> = ["bundle", "dev", "frameworks", "lost+found", "proc", "run", "sys", "tmp"]

    private static func rootEntries() throws(SandboxError) -> [String] {
        let entries = try SandboxError.step("grants") { () throws(SystemError) in
            try Descriptor.directory("/").entries(atMost: 256)
        }
        let home = UserEnvironment.path("HOME").flatMap { try? HostPath.leading($0).place }
        return entries.filter { $0.isDirectory || $0.isSymbolicLink }.compactMap { entry in
            guard let name = entry.name, !own.contains(name) else { return nil }
            // The home of root is one of the homes of other users, unless it is the caller's.
            return name == "root" && home?.isWithin("/root") != true ? nil : "/" + name
        }
    }
}
