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

    /// - Parameter space: the namespace of the map.
    private init(_ space: consuming Descriptor?, refusal: String?) {
        self.space = space
        self.refusal = refusal
    }

    static func of(
        _ user: UInt32, launcher: Launcher, policy: Policy, layers: SandboxLayers
    ) throws(SandboxError) -> CallersFiles {
        guard launcher.hasUsersToGive, layers.contains([.user, .root]) else { return CallersFiles() }
        guard layers.contains(.seccomp), policy.withholdsIdentityBits else {
            return CallersFiles(
                nil, refusal: "the policy lets the program set the mode bits set-user-ID or set-group-ID")
        }
        do throws(SystemError) {
            return CallersFiles(try launcher.maps.map(.exchange(owner: 0, user: user)), refusal: nil)
        } catch {
            return CallersFiles(nil, refusal: "\(error)")
        }
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
            plan.foreignPlaces.append(SandboxReport.ForeignPlace(path: path, reason: refusal))
            return nil
        }
        switch space {
        case .none: return nil
        case .some(let space):
            let result = annex_try_id_map(object.number, space.number)
            guard result == 0 else {
                let reason = "its file system, or one that is mounted in it, takes no id map (\(Errno.name(-result)))"
                plan.foreignPlaces.append(SandboxReport.ForeignPlace(path: path, reason: reason))
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

extension Policy {
    /// Whether the filter denies every call that sets the mode bits set-user-ID and set-group-ID of a file.
    var withholdsIdentityBits: Bool {
        let make = UInt64(O_WRONLY | O_CREAT)
        let regular = UInt64(S_IFREG)
        return [UInt64(0o4755), 0o2755].allSatisfy { mode in
            let calls: [(String, [UInt64])] = [
                ("chmod", [0, mode]), ("fchmod", [0, mode]), ("fchmodat", [0, 0, mode]), ("fchmodat2", [0, 0, mode]),
                ("open", [0, make, mode]), ("openat", [0, 0, make, mode]), ("creat", [0, mode]),
                ("mknod", [0, regular | mode]), ("mknodat", [0, 0, regular | mode]),
                // The kernel reads the mode from the program's memory, so a filter cannot compare it.
                ("openat2", [0, 0, 0, 24]), ("io_uring_setup", []),
            ]
            return calls.allSatisfy { !filterAllows($0.0, arguments: $0.1) }
        }
    }
}
