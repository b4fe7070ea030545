internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The files that a program wanted to execute in places that the caller handed over without the right to execute.
///
/// During the run, this code mostly keeps the paths only. It looks at the files when the program has ended. So a file
/// that the program made, tried and removed is not reported.
struct AskedExecutions {
    /// The most paths that are kept before the files are examined.
    private static let mostPaths = 4_096
    /// The most files that are reported.
    private static let mostFiles = 256

    /// The first call that named a file.
    struct Asking {
        let call: String
        let text: String
        let caller: Caller
    }

    private let policy: Policy
    /// The examination needs the real paths of what was handed over, so it is made at the first call.
    private lazy var examination = ExecutionExamination(policy)
    private var asked: [(path: String, asking: Asking)] = []
    /// The bytes of the paths in `asked`, and of paths of other places. Programs name the same paths repeatedly.
    private var known: Set<[UInt8]> = []
    private var files: [(path: String, asking: Asking)] = []

    init(_ policy: Policy) {
        self.policy = policy
    }

    /// Whether the program asks for the first time for this path, in a place where executions are refused.
    mutating func isNew(_ path: String) -> Bool {
        let bytes = Array(path.utf8)
        if known.contains(bytes) { return false }
        if examination.isRefused(path) { return true }
        if known.count >= 2 * Self.mostPaths { known = [] }
        known.insert(bytes)
        return false
    }

    mutating func add(_ path: String, by asking: Asking) {
        guard known.insert(Array(path.utf8)).inserted else { return }
        asked.append((path, asking))
        if asked.count >= Self.mostPaths { sift() }
    }

    /// The files that the caller could execute and the program could not, in the order of the first calls.
    mutating func refused() -> [(path: String, asking: Asking)] {
        sift()
        return files
    }

    /// Examines the paths, so that paths without such a file need no more room.
    private mutating func sift() {
        for (path, asking) in asked {
            guard files.count < Self.mostFiles, let file = examination.file(at: path),
                !files.contains(where: { PathText.isSame($0.path, as: file) })
            else { continue }
            files.append((file, asking))
        }
        asked = []
        known = []
    }
}

/// Finds out whether the sandbox is the reason why a program could not execute a file.
struct ExecutionExamination {
    /// The most links that are followed at the end of a path.
    private static let mostLinks = 8

    private struct Place {
        let path: String
        let rights: PathRights
        let isHandedOver: Bool
    }

    /// Everything that the sandbox shows. What the caller handed over is listed as it is spelled, and without links.
    private let places: [Place]
    /// The paths that the caller handed over by a link, and the places to which they lead.
    private let linked: [(path: String, place: String)]
    private let lookup: HostLookup

    init(_ policy: Policy, automounts: @escaping @Sendable () -> Automounts = Automounts.read) {
        let given = policy.paths.grants.filter { $0.isHandedOver }
        var places = policy.visiblePaths.map { Place(path: $0.path, rights: $0.rights, isHandedOver: false) }
        var linked: [(path: String, place: String)] = []
        for grant in given {
            places.append(Place(path: grant.path, rights: grant.rights, isHandedOver: true))
            guard let place = try? HostPath.resolve(grant.path).path, !PathText.isSame(place, as: grant.path) else {
                continue
            }
            places.append(Place(path: place, rights: grant.rights, isHandedOver: true))
            linked.append((grant.path, place))
        }
        (self.places, self.linked) = (places, linked)
        lookup = HostLookup(automounts: automounts) { policy.verdict(path: $0, rights: .write).isAllowed }
    }

    /// Whether the innermost place that shows a path was handed over without the right to execute.
    func isRefused(_ path: String) -> Bool {
        var innermost: [Place] = []
        for place in places where PathText.isPath(path, within: place.path) {
            let longest = innermost.first?.path.utf8.count ?? 0
            if place.path.utf8.count > longest { innermost = [] }
            if place.path.utf8.count >= longest { innermost.append(place) }
        }
        return innermost.contains(where: \.isHandedOver) && !innermost.contains { $0.rights.contains(.execute) }
    }

    /// The file to which a path leads; nil if it is no file that the caller could execute.
    ///
    /// The program chose the path, and may have made links. So a link is followed only within places that were handed
    /// over. The program itself can look up such a path.
    func file(at path: String) -> String? {
        var path = path
        for _ in 0...Self.mostLinks {
            if let given = linked.first(where: { PathText.isPath(path, within: $0.path) }) {
                path = given.place + String(decoding: path.utf8.dropFirst(given.path.utf8.count), as: UTF8.self)
            }
            guard isRefused(path) else { return nil }
            switch look(at: path) {
            case .link(let target):
                path = PathText.resolved(Self.isAbsolute(target) ? target : path.parentPath + "/" + target)
            case .behindLink:
                guard case .found(let directory) = lookup.follow(path.parentPath), directory != path.parentPath,
                    let name = PathText.parts(path).last
                else { return nil }
                path = directory + "/" + name
            case .executable: return path
            case .other: return nil
            }
        }
        return nil
    }

    private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    private enum Object {
        case executable
        case link(String)
        /// A directory on the path is a link.
        case behindLink
        case other
    }

    private func look(at path: String) -> Object {
        if lookup.avoids(path) { return .other }
        let object: Descriptor
        do throws(SystemError) {
            let name = PathText.bytes(PathText.parts(path).joined(separator: "/"))
            object = try Descriptor.reference(to: "/").openBeneath(bytes: name, Descriptor.pathOnly | O_NOFOLLOW)
        } catch {
            return error.errno == ELOOP ? .behindLink : .other
        }
        if let target = HostLookup.target(of: object) { return .link(target) }
        guard (try? object.status())?.kind == .regular else { return .other }
        // SAFETY: the text is a NUL-terminated copy. The path names the open object itself.
        return unsafe access("/proc/self/fd/\(object.number)", X_OK) == 0 ? .executable : .other
    }
}

extension Policy {
    /// Whether the caller handed over anything without the right to execute it.
    var hasRefusedExecutions: Bool {
        paths.grants.contains { $0.isHandedOver && !$0.rights.contains(.execute) }
    }
}

extension Policy {
    /// Whether the kernel lets the program connect to socket files by itself. A connection that the broker makes is
    /// examined by the broker.
    var connectsToSocketFiles: Bool { allowsUnixSockets && filterAllows("connect", arguments: []) }
}
