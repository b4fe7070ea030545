internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The layout that a policy's grants get on this host: the objects to bind, their places, and the rights of each place.
/// The layout also lists the host's links that the sandbox's root must contain. Mounts and Landlock rules are both
/// derived from this layout.
struct GrantLayout: ~Copyable {
    struct Place {
        let path: String
        let isDirectory: Bool
        var rights: PathRights
        /// Whether the place needs a separate mount. If not, the mount of a place above it already shows it.
        var isMounted = true
        /// Whether the caller handed the place over. If not, only the policy grants it.
        var isCallers = false
        /// Whether the caller handed it over without its credentials.
        var isWithoutCredentials = false
        /// Whether root's private files in it stay closed to the program of root, unless they are handed over themselves.
        var isBroad = false

        /// Whether the mount of this place shows a place below it as it should be.
        func shows(_ inner: Place) -> Bool {
            // A writable place always has a separate mount, because the program cannot move a mount point away and
            // replace it by a link. A program of root may need an id map on its caller's place (`CallersFiles`).
            rights == inner.rights && !inner.rights.contains(.write)
                && (isCallers && !isBroad || !inner.isCallers || geteuid() != 0)
        }

        /// Adds the rights of another name that leads to the same place. A writable place is then not executable,
        /// unless the policy gives both rights to one of the names.
        mutating func join(_ more: PathRights) {
            let isStated = rights.isWritableCode || more.isWritableCode
            rights.formUnion(more)
            if rights.contains(.write), !isStated { rights.remove(.execute) }
        }
    }

    /// The places, sorted by path. A directory comes before the places below it.
    private(set) var places: [Place] = []
    /// The objects of the mounted places, in the order of `places`.
    private var objects = DescriptorList()
    private(set) var links: [LaunchPlan.Link] = []
    /// The parts of the places that are hidden and protected.
    private(set) var parts: [LaunchPlan.Part] = []
    private(set) var partFacts = PartFacts()

    /// - Parameters:
    ///   - kept: the private directory on the host, if it is kept from run to run.
    ///   - remade: further links that the sandbox's root should contain, where it can.
    ///   - rules: what is hidden and protected besides what the policy names.
    ///   - followed: the links that were followed to reach paths that the policy does not grant.
    ///   - layers: the layers that the launch has.
    init(
        _ policy: Policy, keeping kept: String? = nil, followed: [LaunchPlan.Link] = [],
        remade: [LaunchPlan.Link] = [], rules: PartRules = PartRules(), layers: SandboxLayers
    ) throws(SandboxError) {
        // The key is the bytes of the path. Two strings compare as equal even if their Unicode encodings differ, but
        // different bytes are different paths.
        var found: [[UInt8]: Int] = [:]
        var held: [[UInt8]: Int32] = [:]
        defer { for number in held.values { close(number) } }
        lazy var dangers = GrantDangers()
        for grant in policy.paths.grants {
            guard let host = try Self.find(grant, dangers: dangers) else { continue }
            add(host.links)
            let key = Array(host.path.utf8)
            let isCallers = grant.isHandedOver
            if let known = found[key] {
                places[known].join(grant.rights)
                places[known].isCallers = places[known].isCallers || isCallers
                places[known].isWithoutCredentials = places[known].isWithoutCredentials && grant.isWithoutCredentials
                close(host.object)
                continue
            }
            found[key] = places.count
            places.append(
                Place(
                    path: host.path, isDirectory: host.isDirectory, rights: grant.rights, isCallers: isCallers,
                    isWithoutCredentials: grant.isWithoutCredentials))
            held[key] = host.object
        }
        places.sort { PathText.isPath($0.path, before: $1.path) }
        let elsewhere = policy.paths.grants.flatMap { $0.namedIn?.writablePlaces ?? [] }
        try rejectPlanted(links + followed, writable: elsewhere + (kept.map { [$0] } ?? []))
        let visible = policy.visiblePaths
        let wanted = remade.filter { link in
            PathText.madeInside(link.target) == nil && !visible.contains { $0.path.isWithin(link.target) }
        }
        add(Array(wanted.prefix(max(0, Self.mostRemade - links.count))))
        if geteuid() == 0 { findBroadPlaces() }
        let stated = places
        try secure(policy, layers: layers, held: &held)
        try divide(stated, policy: policy, rules: rules, layers: layers)
        for index in places.indices {
            let place = places[index]
            let above = places[..<index].last { place.path.isWithin($0.path) }
            places[index].isMounted = above.map { !$0.shows(place) } ?? true
            guard let number = held.removeValue(forKey: Array(place.path.utf8)) else { continue }
            let object = Descriptor(owning: number)
            // The mount around it may take no id map.
            if place.isCallers, geteuid() == 0, (try? object.status())?.isPrivateToRoot == true {
                places[index].isMounted = true
            }
            if places[index].isMounted { objects.append(object) }
        }
        let all = places
        // A bound directory already shows the host's own links in it, so they are not made again.
        links.removeAll { link in all.contains { link.target.parentPath.isWithin($0.path) } }
    }

    /// The most links that are made only so that spellings work. The warden takes some more.
    private static let mostRemade = 48

    /// Root's private files among those of many services are not what root thinks of when it hands over such a directory
    /// for reading. The list of credentials does not name them all either.
    private mutating func findBroadPlaces() {
        lazy var services = ServicePlaces()
        for index in places.indices where places[index].isCallers && !places[index].rights.contains(.write) {
            places[index].isBroad = places[index].isWithoutCredentials || services.hold(places[index].path)
        }
    }

    /// Makes every narrower place keep its files and its path, or rejects it.
    /// - Parameter held: the numbers of the places' objects, by path. The objects of further places are added.
    private mutating func secure(
        _ policy: Policy, layers: SandboxLayers, held: inout [[UInt8]: Int32]
    ) throws(SandboxError) {
        // Without Landlock and without a root of its own, the program is trusted with all files of the calling user.
        guard layers.contains(.root) || layers.contains(.landlock) else { return }
        let scratch = layers.contains(.root) ? policy.paths.scratch?.path : nil
        let narrower = NarrowerPlace.all(in: places, scratch: scratch)
        if let first = narrower.first, !layers.contains(.root) {
            throw SandboxError(
                "grants",
                cause: "without the layer root, \(Escaped(first.place.path)) would have the rights of "
                    + "\(Escaped(first.outer)) around it",
                remedy: "hand over one of the two, or use a machine that has the layer")
        }
        let stated = Set(places.map { Array($0.path.utf8) })
        let writable = places.filter { $0.rights.contains(.write) }.map(\.path)
        let mounts = narrower.isEmpty ? nil : MountTable.read()
        let automounts = Automounts(mounts)
        for one in narrower {
            guard let mounts else { throw Self.unknownMounts(around: one) }
            try one.rejectSecondMounts(in: places, mounts: mounts)
            try one.examine(writable: writable, automounts: automounts) { stated.contains(Array($0.utf8)) }
        }
        for path in narrower.flatMap(\.between) { try hold(path, held: &held) }
        places.sort { PathText.isPath($0.path, before: $1.path) }
    }

    /// Finds what is hidden and protected in the places.
    /// - Parameter stated: the places without the directories that are only held in their places.
    private mutating func divide(
        _ stated: [Place], policy: Policy, rules: PartRules, layers: SandboxLayers
    ) throws(SandboxError) {
        let isWritten = stated.contains { $0.isCallers && $0.isDirectory && $0.rights.contains(.write) }
        guard !policy.paths.parts.isEmpty || !rules.allBut.isEmpty || isWritten && !rules.protected.isEmpty else {
            return
        }
        let mounts = MountTable.read()
        var search = PartSearch(places: stated, rules: rules, mounts: mounts)
        try search.run(policy.paths.parts)
        let layout = try PartLayout(
            search.found, absent: search.absent, listed: search.listed, in: places, stated: stated, layers: layers,
            mounts: mounts)
        (parts, partFacts) = (layout.mounts, layout.facts)
        (partFacts.unlistable, partFacts.bare) = (search.listings.unlistable, search.bare)
        if let warning = layout.warning { rules.note?(warning) }
    }

    private static func unknownMounts(around narrower: NarrowerPlace) -> SandboxError {
        SandboxError(
            "grants", cause: "\(Escaped(narrower.place.path)) cannot be examined: the list of mounts is unreadable",
            remedy: "do not hand over a place for reading inside a place for writing")
    }

    /// Gives a directory above a narrower place a mount of its own, unless it lies where the program cannot rename it.
    private mutating func hold(_ path: String, held: inout [[UInt8]: Int32]) throws(SandboxError) {
        let isStated = places.contains { PathText.isSame($0.path, as: path) }
        let around = places.filter { path.isWithin($0.path) }.max { $0.path.utf8.count < $1.path.utf8.count }
        guard !isStated, let around, around.rights.contains(.write) else { return }
        let host = try SandboxError.step("grants") { () throws(SystemError) in try HostPath.resolve(withoutLinks: path)
        }
        places.append(
            Place(path: path, isDirectory: true, rights: around.rights, isMounted: true, isCallers: around.isCallers))
        held[Array(path.utf8)] = host.releaseObject()
    }

    /// Rejects a link in a place that the sandbox may write to. A program of an earlier run could have made that link,
    /// and so could have chosen the object that this run gets.
    ///
    /// A program makes a link in the directory that holds the link. So this directory must lie in no such place. The
    /// paths of links and of places contain no links. A place whose own name is a link counts by the link's target.
    /// - Parameter others: further places that a sandbox may write to, or an earlier one could.
    private func rejectPlanted(_ links: [LaunchPlan.Link], writable others: [String]) throws(SandboxError) {
        let writable = places.filter { $0.rights.contains(.write) }.map(\.path) + others
        for link in links {
            let holder = link.target.parentPath
            guard let directory = writable.first(where: { holder.isWithin($0) }) else { continue }
            throw SandboxError(
                "grants",
                cause:
                    "\(Escaped(link.target)) is a link, and a program that may write in \(Escaped(directory)) "
                    + "could have made this link",
                remedy: "name its target (\(Escaped(link.contents))) instead, if you trust the link")
        }
    }

    private struct Found {
        let path: String
        /// The number of the open object, which the caller must close.
        let object: Int32
        let isDirectory: Bool
        let links: [LaunchPlan.Link]
    }

    private static func find(_ grant: PathGrant, dangers: GrantDangers) throws(SandboxError) -> Found? {
        ExaminationTrail.enter(grant.path)
        let host: HostPath
        do throws(SystemError) {
            host = try grant.followsLinks ? HostPath.resolve(grant.path) : HostPath.resolve(withoutLinks: grant.path)
        } catch {
            if let file = grant.namedIn, error.errno == ELOOP, !grant.followsLinks {
                throw SandboxError(
                    "grants",
                    cause: "\(Escaped(error.path ?? grant.path)) is a link, and a program could have made it: "
                        + "\(Escaped(file.path)) names \(Escaped(grant.path)), and its paths follow no links",
                    remedy: error.remedy)
            }
            if grant.isOptional && (error.errno == ENOENT || error.errno == ENOTDIR) { return nil }
            throw SandboxError(
                "grants",
                error: SystemError(
                    error.call, errno: error.errno, path: error.errno == EPERM ? error.path : grant.path,
                    remedy: remedy(error, grant: grant, dangers: dangers)))
        }
        // The check examines the very object that is bound, because resolving the path again could find a different
        // object.
        let isBounded = grant.isWithoutCredentials && !grant.rights.contains(.write)
        if !isBounded, let danger = dangers.danger(of: host.path, grant.rights, spelled: grant.path) {
            throw SandboxError("grants", cause: "\(Escaped(grant.path)) is not handed over: \(danger)")
        }
        try reject(host.object, at: host.path, unless: grant.kind)
        let (path, isDirectory, links) = (host.path, host.isDirectory, host.links)
        return Found(path: path, object: host.releaseObject(), isDirectory: isDirectory, links: links)
    }

    /// Rejects an object that is not of the granted kind. A variable of the environment may name any path.
    private static func reject(
        _ object: borrowing Descriptor, at path: String, unless kind: GrantedKind
    ) throws(SandboxError) {
        guard kind != .any else { return }
        let status: FileStatus
        do throws(SystemError) { status = try object.status() } catch { throw SandboxError("grants", error: error) }
        guard status.kind == .socket else {
            throw SandboxError("grants", cause: "\(Escaped(path)) is not handed over: it is no socket")
        }
        guard [0, geteuid()].contains(status.user) else {
            throw SandboxError(
                "grants", cause: "\(Escaped(path)) is not handed over: it is a socket of uid \(status.user)",
                remedy: "run annex as that user")
        }
    }

    private static func remedy(_ error: SystemError, grant: PathGrant, dangers: GrantDangers) -> String? {
        switch error.errno {
        case ENOENT:
            let first = "a path that is handed over must exist: make it first"
            // The remedy never suggests a dangerous directory, such as a whole home, in place of a missing directory in
            // it.
            let holder = grant.path.parentPath
            let isHolder =
                PathText.danger(holder, rights: grant.rights) == nil
                && dangers.danger(of: holder, grant.rights, spelled: holder) == nil
            return isHolder
                ? "\(first), or hand over the directory that will hold it"
                : "\(first) (a directory: mkdir \(Escaped(grant.path)))"
        case EACCES: return "this user may not enter a directory on the path"
        default: return error.remedy
        }
    }

    private mutating func add(_ more: [LaunchPlan.Link]) {
        for link in more where !links.contains(link) { links.append(link) }
    }

    /// Binds every place that needs a separate mount.
    /// - Parameter owners: gives the caller's files in the caller's places to the program.
    consuming func bind(on plan: inout LaunchPlan, owners: inout CallersFiles) throws(SystemError) {
        plan.links += links
        for place in places where place.isMounted {
            guard let object = objects.takeFirst() else { return }
            var access = place.rights.access
            let map = try owners.map(for: place, in: places, object: object, plan: &plan)
            if map != nil { access.insert(.owned) }
            try plan.bind(object, from: place.path, at: place.path, access: access, map: map)
        }
    }

    /// The innermost place that shows a path; nil if no place shows it.
    func place(showing path: String) -> Place? { places.last { path.isWithin($0.path) } }
}

extension PathRights {
    fileprivate var access: BindAccess {
        var access: BindAccess = []
        if contains(.write) { access.insert(.writable) }
        if !contains(.execute) { access.insert(.noExecute) }
        return access
    }

    /// The Landlock rights that correspond to these rights on paths. For a file, the result has only the rights that
    /// apply to files.
    func landlock(onDirectory isDirectory: Bool) -> LandlockRights {
        var rights: LandlockRights = []
        if contains(.read) { rights.formUnion(.reading) }
        if contains(.execute) { rights.insert(.execute) }
        if contains(.write) { rights.formUnion(LandlockRights.owning.subtracting(.reading)) }
        return isDirectory ? rights : rights.intersection(.ofFiles)
    }
}
