import AnnexBrokerAPI
import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

private let kills = Repetitions("ANNEX_KILLS", short: 24)

/// A daemon that is killed while it changes the installed apps. `make change-soak` kills it ten thousand times.
@Suite(.timeLimit(.minutes(kills.watchdog))) struct KilledChangeTests {
    private static let lanes = 4
    private static let seed = SeededRandom.fresh()

    @Test(arguments: 1...lanes)
    func `P12: a daemon that is killed during a change keeps the state before it or after it`(_ lane: Int) async throws
    {
        var trial = try KilledChanges(seed: Self.seed &+ UInt64(lane))
        for round in 1...max(1, kills.count / Self.lanes) {
            let fault = try await trial.kill()
            try #require(fault == nil, "seed \(Self.seed), lane \(lane), kill \(round): \(fault ?? "")")
        }
        print("annex: seed \(Self.seed), lane \(lane): \(trial.tally)")
    }
}

/// The changes that a user makes.
private enum Change: CaseIterable {
    case install(Version)
    case installWithGrant(Version)
    case remove, grant, revoke, switchOff, switchOn, pin, unpin

    /// `other` has the version number of `first`, but other files.
    enum Version: String, CaseIterable { case first = "1", second = "2", other = "1 again" }

    static var allCases: [Change] {
        // Installations do the most work, so they are drawn most often.
        Version.allCases.flatMap { [.install($0), .installWithGrant($0), .install($0)] }
            + [.remove, .grant, .revoke, .switchOff, .switchOn, .pin, .unpin]
    }
}

/// A daemon that makes changes and is killed. An embedded broker makes the same changes, but is not killed.
private struct KilledChanges {
    private static let app = "com.example.notes"
    private static let part = "com.example.notes.part"
    private static let entitlement = "com.apple.security.network.client"

    private(set) var tally = (completed: 0, undone: 0, done: 0, duringStart: 0)
    private let folder: TemporaryFolder
    private let apps: [Change.Version: MadeApp]
    private let reference: AnnexHost
    private var marks: [String: String] = [:]
    private var random: SeededRandom

    init(seed: UInt64) throws {
        folder = try TemporaryFolder()
        random = SeededRandom(seed: seed)
        reference = try AnnexHost.embedded(patience: .patience)
        var apps: [Change.Version: MadeApp] = [:]
        for version in Change.Version.allCases { apps[version] = try Self.made(version) }
        self.apps = apps
    }

    private static func made(_ version: Change.Version) throws -> MadeApp {
        let made = try MadeApp(app, carrying: [part])
        try made.setVersion(version == .second ? "2" : "1")
        try made.setEntitlements([entitlement])
        // There are enough files that a kill can happen in the middle of an installation.
        for number in 0..<40 {
            let file = URL(filePath: made.path + "/file\(number)")
            try Data(repeating: UInt8(number), count: 8_000 + number).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        }
        try Data(version.rawValue.utf8).write(to: URL(filePath: made.path + "/mark"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: made.path + "/mark")
        return made
    }

    /// Makes one change and kills the daemon during it. Then it checks the state of the next daemon.
    /// - Returns: the fault that was found; nil if there is none.
    mutating func kill() async throws -> String? {
        let change = Change.allCases.randomElement(using: &random) ?? .remove
        let daemon = try await started()
        let host = try connect(daemon)
        let before = try state(of: reference)
        let pause = UInt32.random(in: 0..<15_000, using: &random)
        Thread.detachNewThread { [daemon] in
            usleep(pause)
            daemon.signal(SIGKILL)
        }
        let isCompleted = isAnswered(change, by: host)
        _ = await daemon.end(SIGKILL)
        if Bool.random(using: &random) { try await killDuringStart() }
        _ = isAnswered(change, by: reference)
        let oldMarks = marks
        note(change)
        let next = try await started()
        let fault = try judge(change, of: next, isCompleted: isCompleted, before: before, oldMarks)
        _ = await next.end(SIGKILL)
        return fault
    }

    private mutating func judge(
        _ change: Change, of daemon: TestDaemon, isCompleted: Bool, before: String, _ oldMarks: [String: String]
    ) throws -> String? {
        let host = try connect(daemon)
        let after = try state(of: reference)
        let found = try state(of: host)
        let isDone = found == after && stored(daemon) == marks
        let isUndone = found == before && stored(daemon) == oldMarks
        if let stranger = leftover(daemon, builds: isDone ? marks.count : oldMarks.count) { return stranger }
        switch (isCompleted, isDone, isUndone) {
        case (true, true, _): tally.completed += 1
        case (false, true, _): tally.done += 1
        case (false, false, true):
            tally.undone += 1
            // The same change can be made again.
            _ = isAnswered(change, by: host)
            let again = try state(of: host)
            if again != after { return "\(change) made again gave \(again) instead of \(after)" }
        default:
            let wanted = isCompleted ? after : "\(before) or \(after)"
            return "\(change) left \(found) with \(stored(daemon)) instead of \(wanted) with \(marks)"
        }
        return nil
    }

    private mutating func killDuringStart() async throws {
        let child = try ChildProcess(
            ChildProcess.executable("annexd"),
            arguments: ["--socket", folder.url.path + "/s", "--state", folder.url.path + "/state"], errors: .none)
        usleep(UInt32.random(in: 0..<30_000, using: &random))
        child.signal(SIGKILL)
        await child.ended()
        tally.duringStart += 1
    }

    private func started() async throws -> TestDaemon {
        // The log would be slow to read after ten thousand starts.
        try? FileManager.default.removeItem(at: folder.url.appending(path: "log"))
        return try await TestDaemon(in: folder)
    }

    private func connect(_ daemon: TestDaemon) throws -> AnnexHost {
        try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
    }

    /// Makes the change.
    /// - Returns: whether the broker answered, with success or with a rejection.
    private func isAnswered(_ change: Change, by host: AnnexHost) -> Bool {
        do throws(BrokerError) { try apply(change, to: host) } catch { return error.code != .unreachable }
        return true
    }

    private func apply(_ change: Change, to host: AnnexHost) throws(BrokerError) {
        switch change {
        case .install(let version): try host.installAndWait(app: path(version))
        case .installWithGrant(let version): try host.installAndWait(app: path(version), granting: [Self.entitlement])
        case .remove: try host.removeAndWait(app: Self.app)
        case .grant: try host.grantAndWait(Self.entitlement, to: Self.part)
        case .revoke: try host.revokeAndWait(Self.entitlement, from: Self.part)
        case .switchOff: try host.setEnabledAndWait(false, for: Self.part)
        case .switchOn: try host.setEnabledAndWait(true, for: Self.part)
        case .pin: try host.pinAndWait(app: Self.app, to: "1")
        case .unpin: try host.unpinAndWait(app: Self.app)
        }
    }

    private func path(_ version: Change.Version) -> String { apps[version]?.path ?? "" }

    /// Records in `marks` which builds the reference broker has installed now. The key is the version, and the value
    /// is the content of the build's mark.
    private mutating func note(_ change: Change) {
        switch change {
        case .install(let version), .installWithGrant(let version):
            marks[version == .second ? "2" : "1"] = version.rawValue
        case .remove: marks = [:]
        default: break
        }
    }

    private func state(of host: AnnexHost) throws -> String {
        try host.installedAndWait().map { one in
            let build = "\(one.build.version) pinned \(one.build.isPinned) beside \(one.build.otherVersions)"
            let granted = one.entitlements.filter(\.isInForce).map(\.name)
            return "\(one.id) \(build) on \(one.isEnabled) verdict \(one.verdict) granted \(granted)"
        }.description
    }

    /// The builds in the store. Each of them must be complete.
    private func stored(_ daemon: TestDaemon) -> [String: String] {
        var found: [String: String] = [:]
        for folder in builds(daemon) {
            let place = folder.appending(path: "App.app")
            let mark = (try? String(contentsOf: place.appending(path: "mark"), encoding: .utf8)) ?? "none"
            let source = Change.Version(rawValue: mark).map { URL(filePath: path($0)) }
            let isWhole = source.map { Self.files($0) == Self.files(place) } ?? false
            found[mark == "2" ? "2" : "1"] = isWhole ? mark : "half of \(mark)"
        }
        return found
    }

    private func builds(_ daemon: TestDaemon) -> [URL] {
        ProcText.names(in: daemon.store.path).filter { $0.hasPrefix("app-") }.map { daemon.store.appending(path: $0) }
    }

    private static func files(_ place: URL) -> [String: Data] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: place.path)) ?? []
        return names.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: place.path + "/" + $1) }
    }

    /// The files in the store other than the index and one folder for each build.
    private func leftover(_ daemon: TestDaemon, builds expected: Int) -> String? {
        let names = ProcText.names(in: daemon.store.path)
        let strangers = names.filter { $0 != "index" && !$0.hasPrefix("app-") }
        if !strangers.isEmpty { return "the store holds \(strangers)" }
        return builds(daemon).count == expected ? nil : "the store holds \(names) and not \(expected) builds"
    }
}
