package import AnnexLinux
internal import AnnexMessages
internal import Glibc

/// The folder with the snapshots of the widgets and the order in which the user has put them.
///
/// Several views of a user may share it. Each file is replaced as a whole, so the last writer wins. A file that cannot be read counts
/// as absent: a view without snapshots works all the same.
package struct TodayFolder: Sendable {
    private static let suffix = ".snapshot"
    private static let order = "order"
    /// A snapshot that no view has replaced for so long is of no use to anybody.
    private static let oldest: Int64 = 30 * 24 * 60 * 60 * 1_000_000_000
    private static let mostEntries = 4096
    private static let mostOrderBytes = 256 << 10

    private let path: String

    /// - Parameter path: made if it does not exist, for its user alone.
    package init(_ path: String) throws(SystemError) {
        self.path = path
        try Descriptor.makeDirectories(path, mode: 0o700)
        let folder = try Descriptor.directory(path)
        // Others could plant views there.
        try folder.checkOwn(path)
        try removeOld(folder)
    }

    /// The folder of this process's user. `ANNEX_TODAY` names another one.
    /// - Throws: `ENOENT` if neither the environment nor the home directory names a folder.
    package static func standard() throws(SystemError) -> String {
        if let folder = variable("ANNEX_TODAY") { return folder }
        if geteuid() == 0 { return "/var/lib/annex/today" }
        if let state = variable("XDG_STATE_HOME") { return state + "/annex/today" }
        if let home = variable("HOME") { return home + "/.local/state/annex/today" }
        throw SystemError("getenv", errno: ENOENT, path: "HOME", remedy: "set HOME, or name a folder with ANNEX_TODAY")
    }

    /// An absolute path in the environment. The XDG base directory specification ignores relative ones.
    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let path = String(cString: value)
        return path.hasPrefix("/") ? path : nil
    }

    // MARK: Snapshots

    /// The snapshot of a widget; nil if there is none of this build.
    package func snapshot(of identifier: String, instance: String) -> WidgetSnapshot? {
        guard let name = Self.name(of: identifier), let bytes = read(name, atMost: SnapshotMessage.bytes),
            let message = try? SnapshotMessage(decoding: bytes, within: Self.limits),
            message.snapshot.instance == instance
        else { return nil }
        return message.snapshot
    }

    package func keep(_ snapshot: WidgetSnapshot, of identifier: String) throws(SystemError) {
        guard let name = Self.name(of: identifier),
            let bytes = try? SnapshotMessage(snapshot).encoded(within: Self.limits)
        else { return }
        try write(bytes, to: name)
    }

    private static var limits: MessageLimits { MessageLimits(bytes: SnapshotMessage.bytes, fields: 64, depth: 4) }

    /// Identifiers consist of letters, digits, dots and hyphens. One that does not is no file name either.
    private static func name(of identifier: String) -> String? {
        let isPlain = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, (1...200).contains(identifier.utf8.count) else { return nil }
        return identifier + suffix
    }

    private func removeOld(_ folder: borrowing Descriptor) throws(SystemError) {
        let now = WallClock.now().microseconds * 1000
        for entry in try folder.entries(atMost: Self.mostEntries) {
            guard let name = entry.name, name.hasSuffix(Self.suffix),
                let status = try? folder.openBeneath(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).status(),
                status.modified < now - Self.oldest
            else { continue }
            try? folder.removeFile(name)
        }
    }

    // MARK: Order

    /// The identifiers of the widgets in the user's order. Widgets that are not listed follow.
    package var order: [String] {
        guard let bytes = read(Self.order, atMost: Self.mostOrderBytes) else { return [] }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        var seen: Set<String> = []
        return lines.filter { Self.name(of: $0) != nil && seen.insert($0).inserted }
    }

    /// Keeps the order of some widgets. The other widgets keep their places.
    package func keep(order wanted: [String]) throws(SystemError) {
        var rest = wanted[...]
        // The places of these widgets are given out anew.
        var all = order.map { wanted.contains($0) ? rest.removeFirst() : $0 }
        all += rest
        try write(Array(all.map { $0 + "\n" }.joined().utf8), to: Self.order)
    }

    // MARK: Files

    private func read(_ name: String, atMost cap: Int) -> [UInt8]? {
        // Another kind of file could block, or never end.
        guard let folder = try? Descriptor.directory(path),
            let file = try? folder.openBeneath(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let kind = try? file.status().kind, kind == .regular
        else { return nil }
        return try? file.readAll(atMost: cap)
    }

    private func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
        let folder = try Descriptor.directory(path)
        // Left over by a kill, it is removed as an old snapshot.
        let new = ".\(UInt64.random(in: .min ... .max))\(Self.suffix)"
        do throws(SystemError) {
            try folder.openBeneath(new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600).writeAll(bytes)
            try folder.rename(new, to: name)
        } catch {
            try? folder.removeFile(new)
            throw error
        }
    }
}
