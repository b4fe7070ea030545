package import AnnexLinux
internal import AnnexMessages
package import AnnexModel
internal import Glibc

/// The folder with the snapshots of the widgets, and with the order in which the user has put the widgets.
///
/// Several views of a user may share the folder. A view replaces each file as a whole, so the file of the view that
/// wrote last stays. If a file cannot be read, the view works as if the file did not exist.
package struct TodayFolder: Sendable {
    private static let suffix = ".snapshot"
    private static let order = "order"
    /// The age at which a snapshot is removed, in nanoseconds: 30 days. If no Today view has replaced a snapshot for
    /// so long, the snapshot is no longer needed.
    private static let oldest: Int64 = 30 * 24 * 60 * 60 * 1_000_000_000
    private static let mostEntries = 4096
    private static let mostOrderBytes = 256 << 10

    package let shared: SharedTodayFolder

    /// - Parameter path: the folder. If the folder does not exist, it is made, and only the present user can use it.
    package init(_ path: String) throws(SystemError) {
        shared = try SharedTodayFolder(path)
        try removeOld(Descriptor.directory(path))
    }

    private var path: String { shared.path }

    // MARK: Snapshots

    /// The snapshot of a widget; nil if the folder has no snapshot that this build of the widget drew.
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

    private static func name(of identifier: String) -> String? {
        SharedTodayFolder.fileName(of: identifier).map { $0 + suffix }
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

    /// The identifiers of the widgets in the user's order. A widget that is not in this list comes after the listed
    /// widgets.
    package var order: [String] {
        guard let bytes = read(Self.order, atMost: Self.mostOrderBytes) else { return [] }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        var seen: Set<String> = []
        return lines.filter { Self.name(of: $0) != nil && seen.insert($0).inserted }
    }

    /// Keeps the order of some widgets. The other widgets keep their places.
    package func keep(order wanted: [String]) throws(SystemError) {
        var rest = wanted[...]
        // The widgets in `wanted` share the places that they had, now in the wanted order.
        var all = order.map { wanted.contains($0) ? rest.removeFirst() : $0 }
        all += rest
        try write(Array(all.map { $0 + "\n" }.joined().utf8), to: Self.order)
    }

    // MARK: Files

    private func read(_ name: String, atMost cap: Int) -> [UInt8]? {
        // Only a regular file is read. Reading another kind of file could block or never end.
        guard let folder = try? Descriptor.directory(path),
            let file = try? folder.openBeneath(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let kind = try? file.status().kind, kind == .regular
        else { return nil }
        return try? file.readAll(atMost: cap)
    }

    private func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
        let folder = try Descriptor.directory(path)
        // If this process is killed before the renaming, the new file stays. It has the suffix of a snapshot, so a
        // later view removes it as an old snapshot.
        let new = ".\(UInt64.random(in: .min ... .max))\(Self.suffix)"
        try folder.replace(name, with: bytes, draft: new)
    }
}

extension SharedTodayFolder {
    /// Watches the marks with which apps say whether their widgets have content.
    /// - Parameter onChange: a closure that is called after each change of the marks, on a thread of the event loop.
    func watch(onChange: @escaping @Sendable () -> Void) throws(SystemError) -> FileWatch {
        try FileWatch(
            [(marks, IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)], on: .shared(), onChange: onChange)
    }
}
