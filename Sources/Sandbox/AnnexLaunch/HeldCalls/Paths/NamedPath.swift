internal import AnnexLinux
internal import AnnexPolicy

/// A path that a held call named, read from the memory of the calling process. The path is for the report only.
struct NamedPath: Hashable {
    /// The absolute path, without `.` and `..`, in the form of `PathText.text`.
    let path: String
    private(set) var rights: PathRights
    let makesEntry: Bool

    /// nil if the text cannot be read or is empty. nil also if the text is relative to a directory that has no path.
    init?(_ use: PathUse, of call: HeldCall) {
        guard let bytes = Self.bytes(use.text, of: call), let first = bytes.first,
            let use = Self.opened(use, of: call), case .rights(let rights) = use.need
        else { return nil }
        guard let start = first == UInt8(ascii: "/") ? "" : Self.start(use.directory, of: call) else { return nil }
        path = PathText.resolved(start + "/" + PathText.text(bytes))
        self.rights = rights
        makesEntry = use.makesEntry
    }

    /// The same path for another purpose.
    func needing(_ rights: PathRights) -> NamedPath {
        var copy = self
        copy.rights = rights
        return copy
    }

    static func == (first: NamedPath, second: NamedPath) -> Bool {
        PathText.isSame(first.path, as: second.path) && first.rights == second.rights
            && first.makesEntry == second.makesEntry
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(Array(path.utf8))
        hasher.combine(rights)
    }

    private static func bytes(_ text: PathUse.Text, of call: HeldCall) -> [UInt8]? {
        switch text {
        case .path(let register):
            guard let bytes = call.memory(at: call.arguments[register], count: 4_096),
                let end = bytes.firstIndex(of: 0)
            else { return nil }
            return Array(bytes[..<end])
        case .socketAddress(let register, let size):
            let size = Int(min(call.arguments[size] & 0xFFFF_FFFF, 110))
            return call.memory(at: call.arguments[register], count: size).flatMap(Self.socketPath)
        }
    }

    /// The path in a `struct sockaddr_un`. nil for other address families, and for abstract names, which are not paths.
    static func socketPath(_ address: [UInt8]) -> [UInt8]? {
        guard LittleEndian(address).number(UInt16.self, at: 0) == 1 else { return nil }
        let path = address.dropFirst(2).prefix { $0 != 0 }
        return path.isEmpty ? nil : Array(path)
    }

    private static func opened(_ use: PathUse, of call: HeldCall) -> PathUse? {
        guard case .openHow(let register) = use.need else { return use }
        guard let how = call.memory(at: call.arguments[register], count: 8),
            let flags = LittleEndian(how).number(UInt64.self, at: 0)
        else { return nil }
        return use.opened(flags: flags)
    }

    /// The directory at which a relative path begins; nil if this directory has no path.
    private static func start(_ directory: Int?, of call: HeldCall) -> String? {
        let number = directory.map { Int32(truncatingIfNeeded: call.arguments[$0]) } ?? -100
        if number < 0, number != -100 { return nil }
        let folder = ProcNumber.folder(of: call.thread)
        let link = number == -100 ? "\(folder)/cwd" : "\(folder)/fd/\(number)"
        guard let text = ProcessText.link(link).map({ PathText.text($0) }) else { return nil }
        // The kernel adds ` (deleted)` to the path of a deleted directory. If the real name of a directory ends with
        // this text, the directory is treated as deleted too.
        return text.hasSuffix(" (deleted)") ? nil : text
    }
}
