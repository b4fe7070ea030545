internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The paths of a policy's grants that depend on the caller, found for one launch.
struct CallersPlaces {
    /// Optional grants are left out if the path does not exist.
    private(set) var grants: [PathGrant] = []
    /// The caller's home, if one of the grants names a file in it that exists; otherwise nil. The program finds such a
    /// file only by this HOME.
    private(set) var home: [UInt8]?

    /// - Throws: an error if a required path is missing, or if a variable of the environment has an unusable value.
    init(of policy: Policy) throws(SandboxError) {
        for grant in policy.paths.callersGrants {
            switch grant.destination(variable: { OwnEnvironment.bytes(of: $0).map(PathText.text) }) {
            case .path(let path): try add(grant, at: path)
            case .missing(let reason):
                guard grant.isOptional else { throw Self.error(grant, reason: reason, remedy: "set it") }
            case .unusable(let reason): throw Self.error(grant, reason: reason, remedy: "correct the environment")
            }
        }
    }

    private mutating func add(_ grant: CallersGrant, at path: String) throws(SandboxError) {
        if let danger = PathText.danger(path, rights: grant.rights) {
            throw SandboxError("grants", cause: "\(grant.pattern): \(Escaped(path)) is not handed over: \(danger)")
        }
        // The launch opens the path again, and leaves an optional one out that is gone by then.
        // SAFETY: the call reads the text and keeps nothing.
        let isThere = unsafe access(path, F_OK) == 0
        guard isThere || !grant.isOptional else { return }
        if grant.pattern.hasPrefix("~/") { home = OwnEnvironment.bytes(of: "HOME") }
        grants.append(
            PathGrant(
                path: path, rights: grant.rights, isOptional: grant.isOptional, reason: grant.reason, place: nil,
                kind: grant.kind))
    }

    private static func error(_ grant: CallersGrant, reason: String, remedy: String) -> SandboxError {
        SandboxError(
            "grants", cause: "\(grant.pattern): \(reason)",
            remedy: "\(remedy), or leave out the allowance that needs it")
    }
}
