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
/// filter withholds these mode bits.
struct CallersFiles: ~Copyable {
    /// The namespace of the id map; nil if the program runs as the caller, or if there is no map for it.
    private let space: Descriptor?
    /// Why no place has an id map; nil if places can have one.
    private let refusal: String?
    /// The index of the namespace in the plan.
    private var index: Int?
    /// The paths of the places with an id map.
    private var mapped: [String] = []

    /// For a program that runs as the caller, or for an extension.
    init() {
        space = nil
        refusal = nil
    }

    /// For a program that root starts.
    /// - Parameter space: the namespace of the map.
    init(mappedBy space: consuming Descriptor?) {
        self.space = space
        refusal = nil
    }

    /// For a program that root starts, if no place can have an id map.
    init(refusal: String) {
        space = nil
        self.refusal = refusal
    }

    /// The id map for a place; nil if the place needs none or can have none.
    mutating func map(
        for place: GrantLayout.Place, object: borrowing Descriptor, in plan: inout LaunchPlan
    ) throws(SystemError) -> Int? {
        let isInside = mapped.contains { place.path.isWithin($0) }
        guard isInside || place.isCallers else { return nil }
        let status = try object.status()
        guard isInside || place.rights.contains(.write) || status.isPrivateToRoot else { return nil }
        return try map(at: place.path, object: object, in: &plan)
    }

    /// The id map for a directory of the caller's that becomes the private directory; nil if it can have none.
    mutating func map(
        at path: String, object: borrowing Descriptor, in plan: inout LaunchPlan
    ) throws(SystemError) -> Int? {
        if let refusal {
            plan.foreignPlaces.append(LaunchPlan.ForeignPlace(path: path, reason: refusal))
            return nil
        }
        switch space {
        case .none: return nil
        case .some(let space):
            let result = annex_try_id_map(object.number, space.number)
            guard result == 0 else {
                let reason = "its file system, or one that is mounted in it, takes no id map (\(Errno.name(-result)))"
                plan.foreignPlaces.append(LaunchPlan.ForeignPlace(path: path, reason: reason))
                return nil
            }
            mapped.append(path)
            let place: Int
            if let index { place = index } else { place = plan.add(map: try space.duplicate()) }
            index = place
            return place
        }
    }
}

extension FileStatus {
    /// Whether the object belongs to root, and other users may not read it.
    fileprivate var isPrivateToRoot: Bool {
        let wanted: UInt32 = kind == .directory ? 0o5 : 0o4
        return user == 0 && mode & wanted != wanted
    }
}
