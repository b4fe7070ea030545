internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy

/// The machine's own files about names, beside named hosts.
///
/// A program with named hosts asks the resolver of its sandbox, at 127.0.0.1. If it gets the whole of `/etc`, the
/// machine's files would lead it to other resolvers, which it cannot reach. Without them, every library for
/// names asks 127.0.0.1.
enum ResolverFiles {
    /// The parts to hide of what a policy shows.
    static func hidden(of policy: Policy) throws(SandboxError) -> [PathPart] {
        guard policy.network == .hosts else { return [] }
        var parts: [PathPart] = []
        for path in EtcFile.ofHosts.map(\.path) {
            // The file can be a link to one that a service of the machine writes.
            let target = (try? HostPath.resolve(path).path) ?? path
            for place in Set([path, target]) {
                guard let grant = policy.paths.grants.first(where: { PathText.isPath(place, within: $0.path) }) else {
                    continue
                }
                if PathText.isSame(grant.path, as: place) {
                    if grant.isOptional { continue }
                    throw SandboxError(
                        "hosts", cause: "the program has a resolver of its own, so \(place) would mislead it",
                        remedy: "do not hand over \(place)")
                }
                parts.append(try part(at: place))
            }
        }
        return parts
    }

    private static func part(at path: String) throws(SandboxError) -> PathPart {
        do throws(PathPattern.Mistake) {
            let reason = "the sandbox has a resolver of its own"
            return PathPart(.hide, matching: try PathPattern(path, home: nil), reason: reason, place: nil)
        } catch {
            throw SandboxError("hosts", cause: "\(Escaped(path)) is no pattern: \(error)")
        }
    }
}
