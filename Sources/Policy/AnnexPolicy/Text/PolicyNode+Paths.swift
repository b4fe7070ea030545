/// Readers for the section about files, `paths`.
extension PolicyNode {
    func bundleRights() throws(PolicyError) -> PathRights {
        try rights("`bundle`", among: [.read, .execute])
    }

    func privateDirectories() throws(PolicyError) -> PolicyDocument.PrivateDirectories {
        if isScalar {
            let word = try text("`private`")
            guard word == "none" else { throw error("`private` must be `none` or a mapping that names its kind") }
            return PolicyDocument.PrivateDirectories()
        }
        let values = try mapping("`private`", keys: ["scratch", "persistent"])
        guard !values.isEmpty else { throw error("`private` must name its kind: `scratch`, `persistent` or both") }
        let found = PolicyDocument.PrivateDirectories(
            scratch: try values["scratch"]?.privateDirectory("scratch"),
            persistent: try values["persistent"]?.privateDirectory("persistent"))
        if let scratch = found.scratch?.path, let persistent = found.persistent?.path,
            PathText.isPath(scratch, within: persistent) || PathText.isPath(persistent, within: scratch)
        {
            throw error(
                "one directory would lie in the other, at `\(persistent)` and `\(scratch)`: state another place for "
                    + "one of them, such as `at: /tmp` for `scratch`")
        }
        return found
    }

    private func privateDirectory(_ kind: String) throws(PolicyError) -> PolicyPaths.PrivateDirectory {
        let bounds = try mapping("`\(kind)`", keys: ["size", "inodes", "at"])
        guard let sizeNode = bounds["size"], let inodesNode = bounds["inodes"] else {
            throw error("`\(kind)` must state its `size` and its number of `inodes`")
        }
        return PolicyPaths.PrivateDirectory(
            path: try bounds["at"]?.privatePath() ?? PolicyPaths.usualPrivatePath, size: try sizeNode.bytes(),
            inodes: UInt64(try inodesNode.count()))
    }

    func processFiles() throws(PolicyError) -> PolicyPaths.ProcessFiles {
        try word("proc", among: PolicyPaths.ProcessFiles.self)
    }

    func etcFiles() throws(PolicyError) -> PolicyPaths.EtcFiles {
        try word("etc", among: PolicyPaths.EtcFiles.self)
    }

    func repositories() throws(PolicyError) -> PolicyPaths.Repositories {
        try word("repositories", among: PolicyPaths.Repositories.self)
    }

    /// The grants of one file: the paths that are the same for all users, and the paths that depend on the caller.
    struct Grants: Sendable, Hashable {
        var plain: [PathGrant] = []
        var callers: [CallersGrant] = []
    }

    /// Reads the grants of one file. Granting the same path twice is an error.
    func grants() throws(PolicyError) -> Grants {
        var grants = Grants()
        for group in try list("`grants`") {
            let more = try group.grantGroup()
            for grant in more.plain {
                try grant.reject(sameAs: grants.plain.first { PathText.isSame($0.path, as: grant.path) }?.place)
                grants.plain.append(grant)
            }
            for grant in more.callers {
                let first = grants.callers.first { PathText.isSame($0.pattern, as: grant.pattern) }
                try Self.reject(grant.pattern, at: grant.place, sameAs: first?.place)
                grants.callers.append(grant)
            }
            guard grants.plain.count + grants.callers.count <= Self.mostGrants else {
                throw group.error("the file grants more than \(Self.mostGrants) paths")
            }
        }
        return grants
    }

    fileprivate static func reject(
        _ path: String, at place: PolicyPlace?, sameAs first: PolicyPlace?
    ) throws(PolicyError) {
        guard let first else { return }
        throw PolicyError("`\(path)` is already granted in line \(first.line)", at: place)
    }

    /// The most grants of one file. Each grant needs a mount and a Landlock rule.
    private static let mostGrants = 256

    private func grantGroup() throws(PolicyError) -> Grants {
        let values = try mapping("a group of `grants`", keys: ["reason", "rights", "paths", "missing", "kind"])
        guard let reason = values["reason"], let rightsNode = values["rights"], let paths = values["paths"] else {
            throw error("a group must state its `reason`, its `rights` and its `paths`")
        }
        let why = try reason.text("a reason")
        let rights = try rightsNode.rights("`rights`", among: [.read, .write, .execute])
        guard !rights.isEmpty else { throw rightsNode.error("the group grants no right: remove it, or add one") }
        let isOptional =
            try values["missing"].map { node throws(PolicyError) in
                try node.word("missing", among: Missing.self) == .skip
            } ?? false
        let kind = try values["kind"]?.word("kind", among: GrantedKind.self) ?? .any
        var grants = Grants()
        for item in try paths.list("`paths`") {
            let text = try item.text("a path")
            if CallersGrant.isPattern(text) {
                if let problem = CallersGrant.misspelling(text, kind: kind) {
                    throw item.error("`\(text)` is not a valid path: \(problem)")
                }
                grants.callers.append(
                    CallersGrant(
                        pattern: text, rights: rights, isOptional: isOptional, kind: kind, reason: why,
                        stated: StatedPlace(item.place)))
                continue
            }
            let path = try item.path()
            if kind != .any { throw item.error("`kind` is for paths that a variable names, such as $SSH_AUTH_SOCK") }
            if let danger = PathText.danger(path, rights: rights) {
                throw item.error("`\(path)` is not granted: \(danger)")
            }
            grants.plain.append(
                PathGrant(path: path, rights: rights, isOptional: isOptional, reason: why, place: item.place))
        }
        return grants
    }

    /// The patterns of one file that hide or protect parts.
    func parts(_ kind: PathPart.Kind) throws(PolicyError) -> [PathPart] {
        var parts: [PathPart] = []
        for group in try list("`\(kind.rawValue)`") {
            let values = try group.mapping("a group of `\(kind.rawValue)`", keys: ["reason", "patterns"])
            guard let reason = values["reason"], let patterns = values["patterns"] else {
                throw group.error("a group must state its `reason` and its `patterns`")
            }
            let why = try reason.text("a reason")
            for item in try patterns.list("`patterns`") {
                let pattern = try item.pattern()
                guard !parts.contains(where: { $0.pattern == pattern }) else {
                    throw item.error("`\(pattern.text)` is stated twice")
                }
                parts.append(PathPart(kind, matching: pattern, reason: why, place: item.place))
            }
            guard parts.count <= Self.mostGrants else {
                throw group.error("the file has more than \(Self.mostGrants) patterns")
            }
        }
        return parts
    }

    private func pattern() throws(PolicyError) -> PathPattern {
        let text = try text("a pattern")
        do throws(PathPattern.Mistake) {
            return try PathPattern(text, home: nil)
        } catch {
            throw self.error("`\(text)` is no pattern: \(error)")
        }
    }

    /// Whether a path that does not exist on the host is skipped, or makes the launch fail.
    private enum Missing: String, CaseIterable { case refuse, skip }

    private func privatePath() throws(PolicyError) -> String {
        let path = try path()
        if let danger = PathText.dangerAsPrivate(path) { throw error("`\(path)` cannot be private: \(danger)") }
        return path
    }

    private func path() throws(PolicyError) -> String {
        let path = try text("a path")
        if let problem = PathText.misspelling(path) {
            throw error("`\(path)` is not a valid path: \(problem)")
        }
        return path
    }

    private func rights(_ what: String, among known: PathRights) throws(PolicyError) -> PathRights {
        let names = PathRights.names.filter { known.contains($0.right) }
        var rights: PathRights = []
        for item in try list(what) {
            let name = try item.text("a right")
            guard let right = names.first(where: { $0.name == name })?.right else {
                throw item.unknown("right `\(name)`", name: name, among: names.map(\.name))
            }
            guard !rights.contains(right) else { throw item.error("`\(name)` is stated twice") }
            rights.formUnion(right)
        }
        return rights
    }
}

extension PathGrant {
    fileprivate func reject(sameAs first: PolicyPlace?) throws(PolicyError) {
        try PolicyNode.reject(path, at: place, sameAs: first)
    }
}
