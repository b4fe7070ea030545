internal import AnnexLinux
internal import AnnexSandbox
internal import Glibc

/// A folder of reports, open: whatever its path leads to meanwhile, this is the one that was checked.
///
/// Brokers share one without knowing of each other: each report is written whole under a name that nobody reads and
/// then given its own, and what is taken away is always older than as many as are kept.
struct ReportFolder: ~Copyable, Sendable {
    /// How much is kept; what is older goes.
    struct Cap: Sendable {
        var reports = 500
        /// Of one extension, so that one that ends again and again does not push out all others.
        var ofOne = 100
        var bytes: Int64 = 32 << 20
    }

    /// Bytes of the largest report.
    static let largest = 64 << 10
    /// More names than this, whosever, and nobody counts them any more.
    static let mostNames = 16_384
    /// What a writer in another namespace of processes left behind is older than this.
    private static let longestWriting: Int64 = 3_600_000_000

    let descriptor: Descriptor

    private init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Opens a folder for reading, whosever it is.
    static func existing(_ path: String) throws(SystemError) -> ReportFolder {
        ReportFolder(try Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    }

    /// Opens a folder for writing, and makes it where it is missing: this user's own, which nobody else may write to.
    static func own(_ path: String) throws(SystemError) -> ReportFolder {
        let folder = try openOrMake(path)
        try folder.descriptor.checkOwn(path)
        return folder
    }

    private static func openOrMake(_ path: String) throws(SystemError) -> ReportFolder {
        do throws(SystemError) {
            return try existing(path)
        } catch {
            guard error.errno == ENOENT else { throw error }
            try Descriptor.makeDirectories(path, mode: 0o700)
            return try existing(path)
        }
    }

    /// Puts a whole report into the folder, or nothing.
    func write(_ bytes: [UInt8], as name: ReportName) throws(SystemError) {
        let draft = Self.draftPrefix + OwnedName.next()
        let file = try descriptor.openBeneath(draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do throws(SystemError) {
            try file.writeAll(bytes)
            try descriptor.rename(draft, to: name.text)
        } catch {
            try? descriptor.removeFile(draft)
            throw error
        }
    }

    /// Takes away what is more than is kept, the oldest first, and what writers that are gone left behind.
    func tidy(keeping cap: Cap = Cap(), at now: WallClock = .now()) throws(SystemError) {
        let entries = try descriptor.entries(atMost: Self.mostNames).compactMap(\.name)
        for name in entries where isLeaving(name, at: now) { try? descriptor.removeFile(name) }
        for name in excess(entries.compactMap { ReportName($0) }, cap, at: now) {
            try? descriptor.removeFile(name.text)
        }
    }

    private func excess(_ names: [ReportName], _ cap: Cap, at now: WallClock) -> [ReportName] {
        // A clock that was set back since would make them the newest for ever, and one that is not set yet all of them:
        // they count as the oldest.
        let limit = WallClock(microseconds: now.microseconds &+ 86_400_000_000).compact
        let newestFirst = names.sorted {
            ($0.time < limit ? 1 : 0, $0.time, $0.mark) > ($1.time < limit ? 1 : 0, $1.time, $1.mark)
        }
        var kept = 0
        var bytes: Int64 = 0
        var each: [String: Int] = [:]
        return newestFirst.filter { name in
            guard each[name.identifier, default: 0] < cap.ofOne, kept < cap.reports else { return true }
            bytes += size(of: name)
            guard bytes <= cap.bytes else { return true }
            each[name.identifier, default: 0] += 1
            kept += 1
            return false
        }
    }

    private func size(of name: ReportName) -> Int64 {
        let status = try? descriptor.openBeneath(name.text, Descriptor.pathOnly).status()
        return status?.size ?? 0
    }

    private static let draftPrefix = ".writing."

    /// A report that will never be finished.
    private func isLeaving(_ name: String, at now: WallClock) -> Bool {
        guard name.hasPrefix(Self.draftPrefix), let owner = OwnedName(String(name.dropFirst(Self.draftPrefix.count)))
        else { return false }
        if !owner.isOwned { return true }
        let status = try? descriptor.openBeneath(name, Descriptor.pathOnly).status()
        guard let status else { return false }
        return now.microseconds - status.modified / 1000 > Self.longestWriting
    }
}
