internal import AnnexLinux
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc

/// Finds out whether the host has a path that a hostile program named, and where the links on the path lead.
///
/// Objects are opened with `O_PATH` only, and the kernel follows no link. Instead this code reads the text of a link
/// and follows it, but only if the program could not have made the link. All paths have the form of `PathText.text`.
package struct HostLookup {
    package enum Answer: Hashable {
        case missing
        /// The host has the path; the value is the path without links.
        case found(String)
        /// The result is unknown. The program may have made a link on the path, there are too many links, or the
        /// lookup would make the host mount something.
        case unknown
    }

    /// Whether the sandbox can write to a directory, and so can make links in it.
    let isWritable: @Sendable (_ directory: String) -> Bool

    /// The most components that are looked up for one path, and the most links among these components.
    private static let mostSteps = 256
    private static let mostLinks = 16
    private static let mostKept = 2_048

    private let root: Root?
    private let automounts: @Sendable () -> Automounts
    /// The answers by the bytes of the path. `==` of texts would compare by Unicode equivalence instead.
    private var known: [[UInt8]: Answer] = [:]

    package init(isWritable: @escaping @Sendable (_ directory: String) -> Bool) {
        self.init(automounts: Automounts.read, isWritable: isWritable)
    }

    /// - Parameter automounts: returns the current mounts. The closure is called for each path that is not cached,
    ///   because mounts come and go.
    init(
        automounts: @escaping @Sendable () -> Automounts,
        isWritable: @escaping @Sendable (_ directory: String) -> Bool
    ) {
        self.automounts = automounts
        self.isWritable = isWritable
        root = try? Root()
    }

    /// - Parameter path: an absolute path without `.` and `..`. If its last component is a link, that link is not
    ///   followed.
    mutating func lookUp(_ path: String) -> Answer {
        let bytes = Array(path.utf8)
        if let answer = known[bytes] { return answer }
        let answer = find(path)
        if known.count >= Self.mostKept { known.removeAll(keepingCapacity: true) }
        known[bytes] = answer
        return answer
    }

    /// Like `lookUp`, but a link at the end of the path is followed too.
    package func follow(_ path: String) -> Answer { find(path, followsLast: true) }

    /// The paths to which the links on a path lead, one after another, as the kernel would follow them. The last path
    /// in the list contains no link. The list is empty if the given path contains no link, or if the host does not have
    /// the path.
    package func trail(_ path: String) -> [String] {
        var trail: [String] = []
        let answer = find(path, followsLast: true) { trail.append($0) }
        guard case .found = answer else { return [] }
        return trail
    }

    /// Whether a path leads to a directory. False if the answer is unknown.
    package func isDirectory(_ path: String) -> Bool { status(of: path)?.kind == .directory }

    /// Whether a path leads to something that is no directory. False if the answer is unknown.
    package func isFile(_ path: String) -> Bool { status(of: path).map { $0.kind != .directory } ?? false }

    /// The same for a path that the caller chose.
    package static func isFile(at path: String) -> Bool { HostLookup { _ in false }.isFile(path) }

    /// Whether a path leads to a directory, or to a file that no user may execute. False if the answer is unknown.
    func isNoProgram(_ path: String) -> Bool {
        status(of: path).map { $0.kind != .regular || $0.mode & 0o111 == 0 } ?? false
    }

    /// The status of what a path leads to; nil if there is nothing, or if the answer is unknown.
    private func status(of path: String) -> FileStatus? {
        guard case .found(let real) = follow(path), real != "/", !avoids(real), let root,
            let object = try? root.descriptor.openBeneath(
                bytes: Self.relative(Self.names(real)), Descriptor.pathOnly | O_NOFOLLOW)
        else { return nil }
        return try? object.status()
    }

    /// Whether a path contains no link, not even as its last component. Call this only for paths that the sandbox
    /// shows. The program itself can make the host look up such a path, so this code does not check for automounts.
    func isDirect(_ path: String) -> Bool {
        guard let root = root?.descriptor.number else { return false }
        guard case .success(let object) = open(Self.names(path), beneath: root) else { return false }
        return object.target == nil
    }

    /// Whether a lookup of the path does more than find a file, or asks a program of another user.
    func avoids(_ path: String) -> Bool { automounts().lead(to: path) }

    /// The first bytes of a regular file that its owner may execute; nil if the path leads to anything else. Another
    /// user may exchange files at any moment. So every check is made on one object, and only a regular file is opened
    /// for reading: the opening of a device can have effects, and the opening of a pipe can wait.
    /// - Parameter path: a path that `follow` has found. It contains no link.
    func beginning(ofProgram path: String, count: Int) -> [UInt8]? {
        guard !avoids(path), let root,
            let object = try? root.descriptor.openBeneath(
                bytes: Self.relative(Self.names(path)), Descriptor.pathOnly | O_NOFOLLOW),
            let status = try? object.status(), status.kind == .regular, status.mode & S_IXUSR != 0,
            let file = try? object.reopenedReadOnly()
        else { return nil }
        return try? file.read(at: 0, count: count)
    }

    /// - Parameter passing: called after each link. The closure receives the path in which the link's target has
    ///   taken the place of the link.
    private func find(
        _ path: String, followsLast: Bool = false, passing: (String) -> Void = { _ in }
    ) -> Answer {
        var todo = Self.names(path)
        if todo.isEmpty { return .found("/") }
        let automounts = automounts()
        // Usually the path contains no link, and this one call is enough.
        switch open(todo, avoiding: automounts) {
        case .success(let object) where followsLast && object.target != nil: break
        case .success: return .found("/" + todo.joined(separator: "/"))
        case .failure(let errno) where errno != ELOOP: return .missing
        case .failure: break
        case .avoided: return .unknown
        }
        var done: [String] = []
        var links = 0
        for _ in 0..<Self.mostSteps {
            guard !todo.isEmpty else { return .found("/" + done.joined(separator: "/")) }
            let name = todo.removeFirst()
            if name == ".." {
                _ = done.popLast()
                continue
            }
            let object: Object
            switch open(done + [name], avoiding: automounts) {
            case .success(let found): object = found
            case .failure: return .missing
            case .avoided: return .unknown
            }
            guard let target = object.target, followsLast || !todo.isEmpty else {
                done.append(name)
                continue
            }
            links += 1
            guard links <= Self.mostLinks, !isWritable("/" + done.joined(separator: "/")) else { return .unknown }
            if target.utf8.first == UInt8(ascii: "/") { done = [] }
            todo = Self.names(target).filter { $0 != "." } + todo
            passing(PathText.resolved("/" + (done + todo).joined(separator: "/")))
        }
        return .unknown
    }

    private final class Root: Sendable {
        let descriptor: Descriptor

        init() throws(SystemError) {
            descriptor = try Descriptor.reference(to: "/")
        }
    }

    /// An object that was opened. `target` is the target of a link; nil for any other object.
    private struct Object {
        let target: String?
    }

    private enum Opened {
        case success(Object)
        case failure(Int32)
        /// The lookup could make the host mount something.
        case avoided
    }

    private func open(_ names: [String], avoiding automounts: Automounts) -> Opened {
        if automounts.lead(to: "/" + names.joined(separator: "/")) { return .avoided }
        guard let root = root?.descriptor.number else { return .failure(EIO) }
        return open(names, beneath: root)
    }

    private static func names(_ path: String) -> [String] { PathText.parts(path).map(String.init) }

    private static func relative(_ names: [String]) -> [UInt8] { PathText.bytes(names.joined(separator: "/")) }

    private func open(_ names: [String], beneath root: Int32) -> Opened {
        let pathOnly: UInt64 = 0o10_000_000 | UInt64(O_NOFOLLOW)
        let path = Self.relative(names).map { CChar(bitPattern: $0) } + [0]
        // SAFETY: the text ends with NUL and outlives the call, which keeps no pointer to it.
        let number = unsafe annex_open_beneath(root, path, pathOnly, 0)
        guard number >= 0 else { return .failure(-number) }
        return .success(Object(target: Self.target(of: Descriptor(owning: number))))
    }

    /// The target of a link; nil for any other object.
    static func target(of object: borrowing Descriptor) -> String? {
        guard (try? object.status())?.kind == .symbolicLink else { return nil }
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        let file = object.number
        // SAFETY: an empty path names the descriptor itself; readlinkat writes at most the array's size.
        let count = unsafe readlinkat(file, "", &room, room.count)
        guard count > 0, count < room.count else { return nil }
        return PathText.text(room.prefix(count).map { UInt8(bitPattern: $0) })
    }
}
