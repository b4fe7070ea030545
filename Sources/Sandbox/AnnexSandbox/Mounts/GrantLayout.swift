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

        /// Two names may lead to one place; what then is written there is never executed.
        mutating func join(_ more: PathRights, writeXorExecute: Bool) {
            rights.formUnion(more)
            if writeXorExecute, rights.contains(.write) { rights.remove(.execute) }
        }
    }

    /// By path, a directory before what is below it.
    private(set) var places: [Place] = []
    /// The objects of those that are mounted, in the same order.
    private var objects = DescriptorList()
    private(set) var links: [LaunchPlan.Link] = []

    /// - Parameters:
    ///   - kept: the private directory on the host, where it is kept from run to run.
    ///   - followed: links on the way to what is no grant.
    init(
        _ policy: Policy, keeping kept: String? = nil, followed: [LaunchPlan.Link] = []
    ) throws(SandboxError) {
        // By bytes: texts are equal already where they only look alike.
        var found: [[UInt8]: Int] = [:]
        var held: [[UInt8]: Int32] = [:]
        defer { for number in held.values { close(number) } }
        lazy var dangers = GrantDangers()
        for grant in policy.paths.grants {
            guard let host = try Self.find(grant, dangers) else { continue }
            add(host.links)
            let key = Array(host.path.utf8)
            if let known = found[key] {
                places[known].join(grant.rights, writeXorExecute: policy.writeXorExecute)
                close(host.object)
                continue
            }
            found[key] = places.count
            places.append(Place(path: host.path, isDirectory: host.isDirectory, rights: grant.rights))
            held[key] = host.object
        }
        places.sort { PathText.precedes($0.path, $1.path) }
        try refusePlanted(links + followed, keeping: kept)
        for index in places.indices {
            let place = places[index]
            let above = places[..<index].last { place.path.isWithin($0.path) }
            // What can be written has a mount of its own: one cannot be moved away to put a link in its place.
            places[index].isMounted = above.map { $0.rights != place.rights || place.rights.contains(.write) } ?? true
            guard places[index].isMounted, let number = held.removeValue(forKey: Array(place.path.utf8)) else {
                continue
            }
            objects.append(Descriptor(owning: number))
        }
        let all = places
        // Within what is bound, the host's own links are there already.
        links.removeAll { link in all.contains { link.target.parentPath.isWithin($0.path) } }
    }

    /// A link where the sandbox may write is a former run's choice of what this one is handed.
    private func refusePlanted(_ links: [LaunchPlan.Link], keeping kept: String?) throws(SandboxError) {
        let writable = places.filter { $0.rights.contains(.write) }.map(\.path) + (kept.map { [$0] } ?? [])
        for link in links {
            guard let directory = writable.first(where: { link.target.isWithin($0) }) else { continue }
            throw SandboxError(
                "grants",
                cause: "\(Escaped(link.target)) is a link, and whoever may write in \(Escaped(directory)) can make it",
                remedy: "name what it leads to (\(Escaped(link.contents))), if that is meant")
        }
    }

    private struct Found {
        let path: String
        /// Its number, the caller's to close.
        let object: Int32
        let isDirectory: Bool
        let links: [LaunchPlan.Link]
    }

    private static func find(_ grant: PathGrant, _ dangers: GrantDangers) throws(SandboxError) -> Found? {
        let host: HostPath
        do throws(SystemError) {
            host = try HostPath.resolve(grant.path)
        } catch {
            if grant.isOptional && (error.errno == ENOENT || error.errno == ENOTDIR) { return nil }
            throw SandboxError(
                "grants",
                SystemError(
                    error.call, errno: error.errno, path: error.errno == EPERM ? error.path : grant.path,
                    remedy: remedy(error)))
        }
        // Of the very object that is bound: what another look finds may be another.
        if let danger = dangers.danger(of: host.path, grant.rights, spelled: grant.path) {
            throw SandboxError("grants", cause: "\(Escaped(grant.path)) is not handed over: \(danger)")
        }
        let (path, isDirectory, links) = (host.path, host.isDirectory, host.links)
        return Found(path: path, object: host.takeObject(), isDirectory: isDirectory, links: links)
    }

    private static func remedy(_ error: SystemError) -> String? {
        switch error.errno {
        case ENOENT: "what is handed over must exist: make it first, or hand over the directory that it will be in"
        case EACCES: "a directory on the way is closed to this user"
        default: error.remedy
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
