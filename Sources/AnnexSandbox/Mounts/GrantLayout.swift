internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// What a policy's grants become on this host: what is bound where, which links are made again, and the rights of each
/// place. Mounts and Landlock are both read off it.
struct GrantLayout: ~Copyable {
    struct Place {
        let path: String
        let isDirectory: Bool
        var rights: PathRights
        /// Whether it needs a mount of its own, or is shown by the one above it already.
        var isMounted = true
    }

    /// By path, a directory before what is below it.
    private(set) var places: [Place] = []
    /// The objects of those that are mounted, in the same order.
    private var objects = DescriptorList()
    private(set) var links: [LaunchPlan.Link] = []

    init(_ grants: [PathGrant]) throws(SandboxError) {
        var found: [String: Int] = [:]
        var held: [String: Int32] = [:]
        defer { for number in held.values { close(number) } }
        for grant in grants {
            guard let host = try Self.find(grant) else { continue }
            add(host.links)
            if let known = found[host.path] {
                places[known].rights.formUnion(grant.rights)
                close(host.object)
                continue
            }
            found[host.path] = places.count
            places.append(Place(path: host.path, isDirectory: host.isDirectory, rights: grant.rights))
            held[host.path] = host.object
        }
        places.sort { $0.path < $1.path }
        for index in places.indices {
            let place = places[index]
            let above = places[..<index].last { place.path.isWithin($0.path) }
            places[index].isMounted = above.map { $0.rights != place.rights } ?? true
            guard places[index].isMounted, let number = held.removeValue(forKey: place.path) else { continue }
            objects.append(Descriptor(owning: number))
        }
        let all = places
        // Within what is bound, the host's own links are there already.
        links.removeAll { link in all.contains { link.target.parentPath.isWithin($0.path) } }
    }

    private struct Found {
        let path: String
        /// Its number, the caller's to close.
        let object: Int32
        let isDirectory: Bool
        let links: [LaunchPlan.Link]
    }

    private static func find(_ grant: PathGrant) throws(SandboxError) -> Found? {
        do throws(SystemError) {
            let host = try HostPath.resolve(grant.path)
            let (path, isDirectory, links) = (host.path, host.isDirectory, host.links)
            return Found(path: path, object: host.takeObject(), isDirectory: isDirectory, links: links)
        } catch {
            if grant.isOptional && (error.errno == ENOENT || error.errno == ENOTDIR) { return nil }
            throw SandboxError(
                "grants", SystemError(error.call, errno: error.errno, path: grant.path, mend: mend(error)))
        }
    }

    private static func mend(_ error: SystemError) -> String? {
        switch error.errno {
        case ENOENT: "what is granted must exist: make it first, or grant the directory that it will be in"
        case EACCES: "a directory on the way is closed to this user"
        default: error.mend
        }
    }

    private mutating func add(_ more: [LaunchPlan.Link]) {
        for link in more where !links.contains(link) { links.append(link) }
    }

    /// Binds every place that needs it.
    consuming func bind(on plan: inout LaunchPlan) throws(SystemError) {
        plan.links += links
        for place in places where place.isMounted {
            guard let object = objects.takeFirst() else { return }
            try plan.bind(object, at: place.path, place.rights.access)
        }
    }

    /// The innermost place that shows a path; nil where nothing does.
    func place(showing path: String) -> Place? { places.last { path.isWithin($0.path) } }
}

extension PathRights {
    fileprivate var access: BindAccess {
        var access: BindAccess = []
        if contains(.write) { access.insert(.writable) }
        if !contains(.execute) { access.insert(.noExecute) }
        return access
    }

    /// What Landlock gives for these rights: on a file, only what a file can be asked for.
    func landlock(onDirectory isDirectory: Bool) -> LandlockRights {
        var rights: LandlockRights = []
        if contains(.read) { rights.formUnion(.reading) }
        if contains(.execute) { rights.insert(.execute) }
        if contains(.write) { rights.formUnion(LandlockRights.owning.subtracting(.reading)) }
        return isDirectory ? rights : rights.intersection(.ofFiles)
    }
}
