package import AnnexBrokerAPI
internal import AnnexLaunch
package import AnnexLinux
internal import Glibc

/// An open folder of reports. If its path leads to another folder later, this value still uses the folder that was
/// opened. `own` checks which users may write to the folder. `existing` does not check this.
///
/// Brokers share a folder without coordination. A report is first written completely to a draft, a file with a
/// temporary name that readers ignore. Then the draft is renamed. `tidy` removes abandoned drafts, and the oldest
/// reports beyond the caps.
struct ReportFolder: ~Copyable, Sendable {
    /// The limits on the kept reports. The oldest reports beyond a cap are removed.
    struct Cap: Sendable {
        var reports = 500
        /// The most reports of one extension. Without this cap, an extension that ends again and again would push out
        /// all other reports.
        var ofOne = 100
        var bytes: Int64 = 32 << 20
    }

    /// The most bytes of one report.
    static let largest = 64 << 10
    /// The most names in a folder. Annex does not search a folder with more names.
    static let mostNames = 16_384
    /// The longest time that a broker may take to write a report, in microseconds. An older draft counts as abandoned,
    /// even if its writer ran in another PID namespace and cannot be checked.
    private static let longestWriting: Int64 = 3_600_000_000

    let descriptor: Descriptor

    private init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Opens a folder for reading. The folder may belong to any user.
    static func existing(_ path: String) throws(SystemError) -> ReportFolder {
        ReportFolder(try Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    }

    /// Opens a folder for writing, and creates it if it is missing. The folder must belong to this user, and no other
    /// user may have the right to write to it.
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

    /// Writes a whole report into the folder. If an error occurs, no report appears.
    ///
    /// Every end of an extension has a report. So the call does not wait for the disk, and a machine that loses power can
    /// lose the last reports.
    func write(_ bytes: [UInt8], as name: ReportName) throws(SystemError) {
        let draft = Self.draftPrefix + OwnedName.next()
        try descriptor.replace(name.text, with: bytes, draft: draft, isDurable: false)
    }

    /// Removes the oldest reports beyond the caps, and the drafts that writers left behind.
    func tidy(keeping cap: Cap = Cap(), at now: WallClock = .now()) throws(SystemError) {
        let entries = try descriptor.entries(atMost: Self.mostNames).compactMap(\.name)
        for name in entries where isLeaving(name, at: now) { try? descriptor.removeFile(name) }
        for name in excess(entries.compactMap { ReportName($0) }, beyond: cap, at: now) {
            try? descriptor.removeFile(name.text)
        }
    }

    private func excess(_ names: [ReportName], beyond cap: Cap, at now: WallClock) -> [ReportName] {
        // A name that lies more than a day in the future comes from a wrong clock. Such a name counts as the oldest
        // name. Otherwise, it would stay the newest name for ever. If this machine's clock is not set yet, the names of
        // all earlier reports lie in the future.
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

    /// Whether a name is a draft that will never be finished.
    private func isLeaving(_ name: String, at now: WallClock) -> Bool {
        guard name.hasPrefix(Self.draftPrefix), let owner = OwnedName(String(name.dropFirst(Self.draftPrefix.count)))
        else { return false }
        if !owner.isOwned { return true }
        let status = try? descriptor.openBeneath(name, Descriptor.pathOnly).status()
        guard let status else { return false }
        return now.microseconds - status.modified / 1000 > Self.longestWriting
    }
}

extension ReportLocation {
    /// The error that is thrown if the environment names no folder for reports.
    package static let homeless = SystemError(
        "getenv", errno: ENOENT, path: "HOME", remedy: "name a folder with the variable ANNEX_REPORTS")

    /// The folder's path; nil if no reports are wanted.
    /// - Throws: `homeless` if neither the environment nor the home directory names a folder; `EINVAL` if the folder's
    ///   path is not absolute.
    package func path() throws(SystemError) -> String? {
        try path(user: geteuid(), environment: UserEnvironment.variable)
    }

    func path(user: UInt32, environment: (String) -> String?) throws(SystemError) -> String? {
        switch self {
        case .nowhere: return nil
        case .folder(let path): return try Self.absolute(path)
        case .standard:
            if let named = environment("ANNEX_REPORTS") { return named.isEmpty ? nil : try Self.absolute(named) }
            if user == 0 { return "/var/lib/annex/reports" }
            // The XDG base directory specification says that a relative path is ignored.
            if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/annex/reports" }
            guard let home = environment("HOME"), home.hasPrefix("/") else { throw Self.homeless }
            return home + "/.local/state/annex/reports"
        }
    }

    private static func absolute(_ path: String) throws(SystemError) -> String {
        guard path.hasPrefix("/") else {
            throw SystemError("open", errno: EINVAL, path: path, remedy: "name the folder by its absolute path")
        }
        return path
    }
}
