import AnnexPortal
import AnnexPortalServer
import AnnexTestSupport
import Foundation
import Testing

private let kills = Repetitions("ANNEX_KILLS", short: 25)

/// Processes that are killed while they write to one store.
@Suite(.timeLimit(.minutes(kills.watchdog))) struct StoreKillTests {
    private let place: StorePlace

    init() throws { place = try StorePlace() }

    /// Two writers run at a time. The test kills the older writer at a random moment.
    @Test func `S2: after the kill of a writer the store is whole and the others go on`() async throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        let store = try place.opened()
        var writers = [try writer(), try writer()]
        defer { for writer in writers { writer.signal(SIGKILL) } }
        var generation: UInt64 = 0
        for kill in 0..<kills.count {
            try await Task.sleep(for: .microseconds(Int.random(in: 0...25_000, using: &random)))
            let victim = writers.removeFirst()
            victim.signal(SIGKILL)
            #expect(await victim.ended() == .killed(signal: SIGKILL))
            // In some rounds, no process that had the store open is left.
            let checked = kill % 3 == 0 ? try place.opened() : store
            generation = try check(checked, after: generation, "seed \(seed), kill \(kill)")
            writers.append(try writer())
        }
        for writer in writers {
            writer.signal(SIGKILL)
            await writer.ended()
        }
        // If a writer never began to write, its kill would prove nothing.
        #expect(try check(store, after: generation, "seed \(seed), last") > UInt64(kills.count) / 10)
        #expect(try place.sqlite("PRAGMA integrity_check") == ["ok"])
    }

    private func writer() throws -> ChildProcess {
        try ChildProcess(ChildProcess.executable("writes-defaults"), arguments: ["pairs", place.path])
    }

    private func check(
        _ store: GroupStore, after generation: UInt64, _ comment: Comment
    ) throws -> UInt64 {
        let snapshot = try store.snapshot()
        let values = snapshot.entries.map(\.value)
        #expect(values.isEmpty || values.count == 2 && values[0] == values[1], comment)
        #expect(snapshot.generation >= generation, comment)
        let board = try store.board()
        #expect(board.types == [] || board.types == [["one", "other"]], comment)
        #expect(try store.faults() == [], comment)
        return snapshot.generation
    }

    @Test func `S2: many processes open a new store at the same time`() async throws {
        for _ in 0..<5 {
            let writers = try (0..<8).map {
                try ChildProcess(
                    ChildProcess.executable("writes-defaults"), arguments: ["once", place.path, "\($0)", "v"])
            }
            for writer in writers { #expect(await writer.ended() == .exited(0)) }
            let store = try place.opened()
            #expect(try store.snapshot().generation == 8 && store.snapshot().entries.count == 8)
            for name in place.names { try FileManager.default.removeItem(atPath: "\(place.folderPath)/\(name)") }
        }
    }

    /// The values in the store. nil if the writer was stopped while it held a lock on SQLite's index, which it holds for a
    /// moment. SQLite then gives up after ten seconds.
    private static func values(in store: GroupStore) throws -> [[UInt8]?]? {
        do {
            return try store.snapshot().entries.map(\.value)
        } catch {
            guard "\(error)".contains("(SQLite 15)") else { throw error }
            return nil
        }
    }

    @Test func `S2: a stopped writer does not stop readers`() async throws {
        let store = try place.opened()
        _ = try store.change([DefaultsEntry("one", "v"), DefaultsEntry("other", "v")])
        let writer = try writer()
        var blocked = 0
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(3))
            writer.signal(SIGSTOP)
            let values = try Self.values(in: store)
            writer.signal(SIGCONT)
            if let values { #expect(values.count == 2 && values[0] == values[1]) } else { blocked += 1 }
        }
        #expect(blocked <= 2)
        writer.signal(SIGKILL)
        await writer.ended()
    }
}
