extension Policy {
    /// This policy with additional paths, for which the caller is responsible.
    ///
    /// A grant takes no right away: if the path or a directory above it is granted already, the rights are joined. The
    /// one exception is `write-xor-execute: on`, under which a path that becomes writable is no longer executable.
    package func granting(_ grants: [PathGrant]) -> Policy {
        var policy = self
        for grant in grants { policy.paths.add(grant, writeXorExecute: writeXorExecute) }
        return policy
    }
}

extension PolicyPaths {
    fileprivate mutating func add(_ grant: PathGrant, writeXorExecute: Bool) {
        let nearest = grants.last { PathText.isWithin(grant.path, $0.path) }
        var rights = grant.rights.union(nearest?.rights ?? [])
        if writeXorExecute, rights.contains(.write) { rights.remove(.execute) }
        grants.removeAll { PathText.isSame($0.path, grant.path) }
        grants.append(
            PathGrant(
                path: grant.path, rights: rights, isOptional: grant.isOptional, reason: grant.reason,
                place: grant.place))
        grants.sort { PathText.precedes($0.path, $1.path) }
    }
}
