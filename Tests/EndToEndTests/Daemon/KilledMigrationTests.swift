import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

private let kills = Repetitions("ANNEX_KILLS", short: 24)

/// A daemon that is killed while it reads an older or a damaged index. `make change-soak` kills it ten thousand times.
@Suite(.timeLimit(.minutes(kills.watchdog))) struct KilledMigrationTests {
    private static let seed = SeededRandom.fresh()

    @Test(arguments: KilledMigrations.Index.allCases)
    func `P12: a daemon that is killed during a migration leaves an index that the next start reads`(
        _ index: KilledMigrations.Index
    ) async throws {
        var trial = try await KilledMigrations(seed: Self.seed)
        for round in 1...max(1, kills.count / KilledMigrations.Index.allCases.count) {
            let fault = try await trial.kill(reading: index)
            try #require(fault == nil, "seed \(Self.seed), \(index), kill \(round): \(fault ?? "")")
        }
        print("annex: seed \(Self.seed), \(index): \(trial.tally)")
    }
}

/// A store with one installed app. Its index is restored before each kill.
struct KilledMigrations {
    enum Index: String, CaseIterable {
        case ofVersion1, damaged
    }

    private static let app = "com.example.notes"
    /// The user has switched this extension off.
    private static let off = "com.example.notes.part"
    /// Today this extension is off by default. In version 1, every extension was on.
    private static let keyboard = "com.example.notes.keys"
    private static let garbage = Data([1, 2, 3])

    /// The number of kills before the new index existed, and the number after that.
    private(set) var tally = (before: 0, after: 0)
    private let folder: TemporaryFolder
    private let store: URL
    private let build: String
    private var random: SeededRandom

    init(seed: UInt64) async throws {
        folder = try TemporaryFolder()
        random = SeededRandom(seed: seed)
        let app = try MadeApp(Self.app, carrying: [Self.off, Self.keyboard])
        try app.setPoint("com.apple.keyboard-service", ofPart: 1)
        let daemon = try await TestDaemon(in: folder)
        try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience).installAndWait(app: app.path)
        #expect(await daemon.end() == .exited(0))
        store = daemon.store
        build = try #require(ProcText.names(in: store.path).first { $0.hasPrefix("app-") })
    }

    /// Kills a daemon that starts with this index. Then it checks the state of the next daemon.
    /// - Returns: the fault that was found; nil if there is none.
    mutating func kill(reading index: Index) async throws -> String? {
        let old = try bytes(of: index)
        let damaged = store.appending(path: "index.damaged")
        try? FileManager.default.removeItem(at: damaged)
        try old.write(to: place)
        try await killDuringStart()
        if try Data(contentsOf: place) == old { tally.before += 1 } else { tally.after += 1 }
        try? FileManager.default.removeItem(at: folder.url.appending(path: "log"))
        let next = try await TestDaemon(in: folder)
        let found = try state(of: next)
        _ = await next.end(SIGKILL)
        let isOn = index == .ofVersion1
        let wanted = [Self.keyboard: isOn, Self.off: false]
        if found != wanted { return "the next daemon has \(found) instead of \(wanted)" }
        if index == .damaged, (try? Data(contentsOf: damaged)) != old { return "the damaged index is lost" }
        let names = Set(ProcText.names(in: store.path)).subtracting(["index", "index.damaged"])
        return names == [build] ? nil : "the store holds \(names) instead of \(build)"
    }

    private var place: URL { store.appending(path: "index") }

    private func bytes(of index: Index) throws -> Data {
        switch index {
        case .damaged: return Self.garbage
        case .ofVersion1:
            let bundle = try #require(ProcText.names(in: store.path + "/" + build).first { $0.hasSuffix(".app") })
            return Data(
                try OldIndex(Self.app, folder: build, bundle: bundle, bytes: 7, disabled: [Self.off]).encoded())
        }
    }

    private mutating func killDuringStart() async throws {
        let socket = folder.url.path + "/s"
        let child = try ChildProcess(
            ChildProcess.executable("annexd"),
            arguments: ["--socket", socket, "--state", folder.url.path + "/state"], errors: .none)
        usleep(UInt32.random(in: 0..<40_000, using: &random))
        // The daemon opens the store of a user when the user's first host connects.
        let pause = UInt32.random(in: 0..<20_000, using: &random)
        Thread.detachNewThread {
            usleep(pause)
            child.signal(SIGKILL)
        }
        _ = try? AnnexHost.connectAndWait(to: socket).installedAndWait()
        await child.ended()
    }

    private func state(of daemon: TestDaemon) throws -> [String: Bool] {
        let installed = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience).installedAndWait()
        return Dictionary(installed.map { ($0.id, $0.isEnabled) }) { first, _ in first }
    }
}
