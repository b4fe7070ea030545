import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexBroker

@Suite(.timeLimit(.minutes(20))) struct ReportKeeperTests {
    private let parent: TemporaryFolder

    init() throws { parent = try TemporaryFolder() }

    private var path: String { parent.url.appending(path: "reports").path }

    private func keeper(_ path: String? = nil, _ cap: ReportFolder.Cap = .init()) -> (ReportKeeper, ReportQueue) {
        let queue = ReportQueue()
        return (ReportKeeper(path: path ?? self.path, cap: cap, queue: queue), queue)
    }

    @Test func `one report is kept for each end`() throws {
        let (keeper, queue) = keeper()
        for number in 0..<10 { keeper.keep(.example("com.example.n\(number)")) }
        #expect(queue.finish(within: .patience))
        let (reports, flaws) = try StoredReport.all(in: path)
        #expect(reports.map(\.identifier) == (0..<10).reversed().map { "com.example.n\($0)" } && flaws.isEmpty)
        #expect(try StoredReport.all(in: path, of: "com.example.n3").reports.count == 1)
    }

    /// Several brokers of one user share a limit. Each broker has its own thread.
    @Test func `several keepers share a folder`() throws {
        let cap = ReportFolder.Cap(reports: 40, ofOne: 1000, bytes: 1 << 20)
        let all = (0..<4).map { _ in keeper(nil, cap) }
        for _ in 0..<100 { for (keeper, _) in all { keeper.keep(.example()) } }
        for (_, queue) in all { #expect(queue.finish(within: .patience)) }
        let (reports, flaws) = try StoredReport.all(in: path)
        #expect(flaws.isEmpty && reports.count >= 40, "\(reports.count) \(flaws)")
        #expect(reports.count <= 40 + 4 * ReportKeeper.tidyEvery)
        #expect(try names().allSatisfy { !$0.hasPrefix(".") })
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

    @Test func `a folder that was removed is made anew`() throws {
        let (keeper, queue) = keeper()
        keeper.keep(.example("first"))
        #expect(queue.finish(within: .patience))
        try FileManager.default.removeItem(atPath: path)
        keeper.keep(.example("second"))
        #expect(queue.finish(within: .patience))
        #expect(try StoredReport.all(in: path).reports.map(\.identifier) == ["second"])
    }

    @Test(arguments: ["/dev/null/reports", "/proc/reports", "/proc/self/fdinfo"])
    func `an end is complete even if its report cannot be written`(path: String) {
        let (keeper, queue) = keeper(path)
        for _ in 0..<3 { keeper.keep(.example()) }
        #expect(queue.finish(within: .patience))
    }

    @Test func `a disk that does not answer blocks no caller`() async {
        let queue = ReportQueue()
        let hold = Hold()
        #expect(queue.add { hold.wait() })
        var taken = 0
        while queue.add({}) { taken += 1 }
        // One folder may fill only half of the free queue.
        let half = ReportQueue.mostWaiting / 2
        #expect(taken >= half - 1 && taken <= half)
        #expect(!queue.finish(within: .milliseconds(5)))
        hold.release()
        #expect(queue.finish(within: .patience))
        #expect(queue.add {})
    }

    @Test func `reports that wait for a disk are bounded in bytes too`() async {
        let queue = ReportQueue()
        let hold = Hold()
        #expect(queue.add { hold.wait() })
        let large = EndedExtension.example(
            "large",
            Termination(
                .crashed,
                denials: (0..<64).map { _ in
                    DeniedCall(
                        "socket", layer: "seccomp",
                        backtrace: Array(repeating: Escaped(String(repeating: "f", count: 500)), count: 64))
                }))
        #expect(large.weight > 64 * 64 * 500 && EndedExtension.example().weight < 1 << 14)
        let nothing: ReportQueue.Work = {}
        var taken = 0
        while taken < 100, queue.add(holding: large.weight, nothing) { taken += 1 }
        #expect(taken > 1 && taken * large.weight <= ReportQueue.mostBytes / 2)
        hold.release()
        #expect(queue.finish(within: .patience))
        #expect(queue.add(holding: ReportQueue.mostBytes, nothing))
        #expect(queue.finish(within: .patience))
    }

    @Test func `a flood of ends of one user neither loses nor delays reports of another`() {
        let queue = ReportQueue()
        let hold = Hold()
        #expect(queue.add(to: "flood") { hold.wait() })
        while queue.add(to: "flood", {}) {}
        let written = Mutex<[String]>([])
        for user in ["one", "other"] {
            for _ in 0..<10 { #expect(queue.add(to: user) { written.withLock { $0.append(user) } }) }
        }
        #expect(queue.add(to: "last") { written.withLock { $0.append("last") } })
        let isFlooded = Mutex(false)
        #expect(!queue.add(to: "flood") { isFlooded.withLock { $0 = true } })
        hold.release()
        #expect(queue.finish(within: .patience))
        let order = written.withLock { $0 }
        #expect(order.count == 21 && order.prefix(3).sorted() == ["last", "one", "other"], "\(order)")
        #expect(!isFlooded.withLock { $0 })
    }

    /// Writes fail halfway, as on a full disk. No part of a file may remain.
    @Test func `a full disk leaves no half report`() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 300, rlim_max: 300)
            guard setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit) == 0 else { exit(2) }
            let queue = ReportQueue()
            let keeper = ReportKeeper(path: path, queue: queue)
            for _ in 0..<20 { keeper.keep(.example()) }
            exit(queue.finish(within: .seconds(600)) ? 0 : 3)
        }
        #expect(try names().isEmpty)
    }

    /// If a writer is killed, all its reports are whole. At most one draft remains, which the next writer removes.
    @Test(arguments: 0..<8) func `a killed writer leaves no torn report`(round: Int) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
            let queue = ReportQueue()
            let keeper = ReportKeeper(path: path, cap: .init(reports: 20, ofOne: 20), queue: queue)
            keeper.keep(.example())
            guard queue.finish(within: .seconds(600)) else { exit(2) }
            // The writer is killed while the queue still works. This happens after the round's number of files, at any
            // point in the next file.
            let end = Thread {
                var seen: Set<String> = []
                while seen.count < 4 + 5 * round {
                    seen.formUnion((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
                }
                kill(getpid(), SIGKILL)
            }
            end.start()
            while true { keeper.keep(.example()) }
        }
        let (_, flaws) = try StoredReport.all(in: path)
        #expect(flaws.isEmpty, "\(flaws)")
        let (keeper, queue) = keeper()
        keeper.keep(.example("after"))
        #expect(queue.finish(within: .patience))
        #expect(try names().allSatisfy { !$0.hasPrefix(".") })
        #expect(try StoredReport.all(in: path).reports.first?.identifier == "after")
    }

    /// A program calls `exit` in this way after its last extension has ended.
    @Test func `a program that exits at once loses no report`() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            // This test does not check whether the disk answers in time on a busy machine.
            ReportQueue.lastMoment.withLock { $0 = .patience }
            let keeper = ReportKeeper(path: path)
            for _ in 0..<10 { keeper.keep(.example()) }
            exit(0)
        }
        #expect(try StoredReport.all(in: path).reports.count == 10)
    }

    private final class Hold: Sendable {
        private let gate = DispatchSemaphore(value: 0)

        func wait() { gate.wait() }
        func release() { gate.signal() }
    }
}
