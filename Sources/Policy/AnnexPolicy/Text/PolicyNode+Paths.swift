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

    /// The grants of one file. Granting the same path twice is an error.
    func grants() throws(PolicyError) -> [PathGrant] {
        var grants: [PathGrant] = []
        for group in try list("`grants`") {
            for grant in try group.grantGroup() {
                if let first = grants.first(where: { PathText.isSame($0.path, as: grant.path) }) {
                    throw PolicyError(
                        "`\(grant.path)` is already granted in line \(first.place?.line ?? 0)", at: grant.place)
                }
                grants.append(grant)
            }
            guard grants.count <= Self.mostGrants else {
                throw group.error("the file grants more than \(Self.mostGrants) paths")
            }
        }
        return grants
    }

    /// The most grants of one file. Each grant needs a mount and a Landlock rule.
    private static let mostGrants = 256

    private func grantGroup() throws(PolicyError) -> [PathGrant] {
        let values = try mapping("a group of `grants`", keys: ["reason", "rights", "paths", "missing"])
        guard let reason = values["reason"], let rightsNode = values["rights"], let paths = values["paths"] else {
            throw error("a group must state its `reason`, its `rights` and its `paths`")
        }
        let why = try reason.text("a reason")
        let rights = try rightsNode.rights("`rights`", among: [.read, .write, .execute])
        guard !rights.isEmpty else { throw rightsNode.error("the group grants no right: remove it, or add one") }
        let isOptional = try values["missing"].map { node throws(PolicyError) in
            try node.word("missing", among: Missing.self) == .skip
        }
        var grants: [PathGrant] = []
        for item in try paths.list("`paths`") {
            let path = try item.path()
            if let danger = PathText.danger(path, rights: rights) {
                throw item.error("`\(path)` is not granted: \(danger)")
            }
            grants.append(
                PathGrant(
                    path: path, rights: rights, isOptional: isOptional ?? false, reason: why, place: item.place))
        }
        return grants
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
