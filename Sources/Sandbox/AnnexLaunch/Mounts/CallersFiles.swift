internal import AnnexLinux
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc

/// Gives root's files to a program that root starts, in the places that root handed over.
///
/// Such a program runs as another user than root. An id map on the mount of a place makes root's files belong to the
/// program, and the program's new files belong to root. Their group stays the program's own, so that a later launch
/// recognizes links that the program made. Files of all other users stay theirs.
///
/// A program that could set the mode bit set-user-ID would make programs of root's. So a place has an id map only if the
/// filter withholds these mode bits. The program could also change a file that has the bit, and the kernel does not take
/// the bit away if the change is made through memory. In a set-group-ID directory, a new link gets the directory's group,
/// and looks like a link of root's own, also after the program has moved it. So a writable place with such a file or
/// directory has no id map either.
struct CallersFiles: ~Copyable {
    /// Where the id map comes from.
    private enum Source {
        /// The program runs as the caller, or is an extension.
        case none
        /// No place can have an id map, for this reason.
        case refused(String)
        case maps(OwnerMaps, OwnerMaps.Kind)
    }

    /// Why a place has no id map.
    private struct Obstacle {
        let reason: String
        /// The file or directory in the place that is the reason; nil if there is none.
        var part: String?
    }

    private let source: Source
    /// The namespace of the id map; nil until the first place needs it, because making it takes a process.
    private var space: Descriptor?
    /// The index of the namespace in the plan.
    private var index: Int?
    /// The paths of the places with an id map.
    private var mapped: [String] = []
    /// The writable places whose files were examined.
    private var examined: [String] = []

    /// For a program that runs as the caller, or for an extension.
    init() {
        source = .none
    }

    /// For a program that root starts: an id map by which the files of one user belong to another, and the reverse.
    init(exchanging owner: UInt32, with user: UInt32, maps: OwnerMaps) {
        source = .maps(maps, .exchange(owner: owner, user: user))
    }

    /// For a program that root starts, if no place can have an id map.
    init(refusal: String) {
        source = .refused(refusal)
    }

    /// The id map for a place; nil if the place needs none or can have none.
    /// - Parameter places: all places of the layout, sorted by path.
    mutating func map(
        for place: GrantLayout.Place, in places: [GrantLayout.Place], object: borrowing Descriptor,
        plan: inout LaunchPlan
    ) throws(SystemError) -> Int? {
        let isInside = mapped.contains { place.path.isWithin($0) }
        guard isInside || place.isCallers else { return nil }
        if place.isBroad, !isInside, !(try object.status()).isPrivateToRoot { return nil }
        let kept = place.rights.contains(.write) ? places.filter { !$0.rights.contains(.write) }.map(\.path) : nil
        return try map(at: place.path, host: place.path, writableBesides: kept, object: object, plan: &plan)
    }

    /// The id map for a directory of the caller's that becomes the private directory; nil if it can have none.
    mutating func map(
        ofPrivate path: String, object: borrowing Descriptor, plan: inout LaunchPlan
    ) throws(SystemError) -> Int? {
        let host = try LaunchPlan.path(of: object)
        return try map(at: path, host: host, writableBesides: [], object: object, plan: &plan)
    }

    /// - Parameters:
    ///   - path: the path in the sandbox.
    ///   - host: the path on the host.
    ///   - kept: the places in a writable place that the program may not write to; nil if the whole place is not
    ///     writable.
    private mutating func map(
        at path: String, host: String, writableBesides kept: [String]?, object: borrowing Descriptor,
        plan: inout LaunchPlan
    ) throws(SystemError) -> Int? {
        var obstacle: Obstacle?
        switch source {
        case .none: return nil
        case .refused(let refusal): obstacle = Obstacle(reason: refusal)
        case .maps(let maps, let kind): obstacle = trial(of: object, maps: maps, kind)
        }
        if obstacle == nil, let kept { obstacle = examine(host, besides: kept) }
        if let obstacle {
            plan.foreignPlaces.append(
                LaunchPlan.ForeignPlace(path: path, reason: obstacle.reason, part: obstacle.part))
            return nil
        }
        mapped.append(path)
        if index == nil { index = try add(to: &plan) }
        return index
    }

    /// Adds the namespace of the map to a plan.
    private func add(to plan: inout LaunchPlan) throws(SystemError) -> Int? {
        switch space {
        case .none: nil
        case .some(let space): plan.add(map: try space.duplicate())
        }
    }

    /// Why an object cannot have an id map; nil if it can.
    private mutating func trial(
        of object: borrowing Descriptor, maps: OwnerMaps, _ kind: OwnerMaps.Kind
    ) -> Obstacle? {
        do throws(SystemError) {
            if space == nil { space = try maps.map(kind) }
        } catch {
            return Obstacle(reason: "\(error)")
        }
        switch space {
        case .none: return nil
        case .some(let space):
            let result = annex_try_id_map(object.number, space.number)
            if result == 0 { return nil }
            return Obstacle(
                reason: "its file system, or one that is mounted in it, takes no id map (\(Errno.name(-result)))")
        }
    }

    /// Why the files below a path on the host cannot have the id map; nil if they can.
    private mutating func examine(_ path: String, besides kept: [String]) -> Obstacle? {
        // A walk leaves out the places for reading, and so the places for writing inside them.
        let isExamined = examined.contains { outer in
            path.isWithin(outer) && !kept.contains { path.isWithin($0) && $0.isWithin(outer) }
        }
        if isExamined { return nil }
        let mounts = MountTable.read()
        if mounts?.givesDirectoryGroup(within: Array(path.utf8)) == true {
            return Obstacle(
                reason: "its file system, or one that is mounted in it, gives new files the group of their directory "
                    + "(grpid)")
        }
        var files = TreeWalk(automounts: Automounts(mounts), remedy: "") { entry in
            entry.kind != .directory && (entry.kind != .regular || entry.mode & 0o6111 == 0)
        }
        var part: String?
        do throws(SandboxError) {
            let inside = kept.filter { $0.isWithin(path) }
            try files.walk(path, besides: { file in inside.contains { file.isWithin($0) } }) {
                path, entry throws(SandboxError) in
                guard let right = entry.rightsOfItsOwn(at: path) else { return }
                part = path
                throw SandboxError(
                    "owners", cause: "\(Escaped(path)) \(right), and is not handed over for reading only")
            }
        } catch {
            return Obstacle(reason: error.cause, part: part)
        }
        examined.append(path)
        return nil
    }
}

extension TreeWalk.Entry {
    /// The rights that a file gives to everyone who executes it, or that a directory gives to its files; nil if there
    /// are none.
    fileprivate func rightsOfItsOwn(at path: String) -> String? {
        if kind == .directory { return mode & 0o2000 == 0 ? nil : "has the set-group-ID bit" }
        guard kind == .regular else { return nil }
        if mode & 0o4000 != 0 { return "has the set-user-ID bit" }
        // Without the right to execute for the group, the bit only marks a way of locking.
        if mode & 0o2010 == 0o2010 { return "has the set-group-ID bit" }
        guard mode & 0o111 != 0 else { return nil }
        // SAFETY: the call reads the text, which ends with a NUL byte, and keeps nothing.
        let answer = unsafe annex_has_capabilities(path)
        switch answer {
        case 0, -ENOENT: return nil
        case 1: return "has capabilities"
        default: return "may have capabilities (\(Errno.name(-answer)))"
        }
    }
}

extension FileStatus {
    /// Whether the object belongs to root, and other users may not read it.
    var isPrivateToRoot: Bool {
        let wanted: UInt32 = kind == .directory ? 0o5 : 0o4
        return user == 0 && mode & wanted != wanted
    }
}
