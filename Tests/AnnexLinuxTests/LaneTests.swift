import AnnexTestSupport
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import AnnexLinux

@Suite(.timeLimit(.minutes(20))) struct LaneTests {
    @Test func `a lane is idle only if no job waits and none runs`() async {
        let lane = Lane("annex-test")
        #expect(lane.isIdle)
        let (waiting, goesOn) = whileAJobRuns(on: lane)
        #expect(waiting == [0, 1])
        goesOn.signal()
        await eventually { lane.isIdle }
        #expect(lane.count == 0)
    }

    /// - Returns: two counts and a semaphore. The counts state how many jobs waited besides the running job, first and
    ///   after one more job. The semaphore lets the running job continue.
    private func whileAJobRuns(on lane: Lane) -> (waiting: [Int], goesOn: DispatchSemaphore) {
        let goesOn = held(lane)
        var waiting = [lane.count]
        #expect(!lane.isIdle, "a job runs")
        lane.run {}
        waiting.append(lane.count)
        #expect(!lane.isIdle, "a job runs, and another waits")
        return (waiting, goesOn)
    }

    /// Holds a lane until the returned semaphore is signalled.
    private func held(_ lane: Lane, in row: String = "held") -> DispatchSemaphore {
        let (runs, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        lane.run(in: row) {
            runs.signal()
            goesOn.wait()
        }
        runs.wait()
        return goesOn
    }

    // MARK: Rows

    /// What a lane does with jobs that are added while it is held: the rows take turns, in the order in which they got
    /// their first job.
    private struct Model {
        private var rows: [(name: String, jobs: [Int])] = []

        mutating func add(_ job: Int, to name: String) {
            if let place = rows.firstIndex(where: { $0.name == name }) { return rows[place].jobs.append(job) }
            rows.append((name, [job]))
        }

        mutating func cancel(_ job: Int) {
            for place in rows.indices { rows[place].jobs.removeAll { $0 == job } }
            rows.removeAll { $0.jobs.isEmpty }
        }

        mutating func run() -> [Int] {
            var done: [Int] = []
            while !rows.isEmpty {
                var (name, jobs) = rows.removeFirst()
                done.append(jobs.removeFirst())
                if !jobs.isEmpty { rows.append((name, jobs)) }
            }
            return done
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func `rows take turns and keep their order`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var model = Model()
        let lane = Lane("annex-model")
        let order = Mutex<[Int]>([])
        let goesOn = held(lane)
        var open: [(job: Int, number: UInt64)] = []
        for job in 0..<Int.random(in: 1..<200, using: &random) {
            let row = "\(Int.random(in: 0..<4, using: &random))"
            let number = try lane.schedule(in: row) { order.withLock { $0.append(job) } }
            model.add(job, to: row)
            open.append((job, number))
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            let cancelled = open.remove(at: Int.random(in: 0..<open.count, using: &random))
            lane.cancel(cancelled.number)
            model.cancel(cancelled.job)
        }
        #expect(lane.count == open.count)
        goesOn.signal()
        await eventually { lane.isIdle }
        #expect(order.withLock { $0 } == model.run(), "seed \(seed)")
    }

    @Test func `a row with very many jobs delays another by one job at most`() async {
        let lane = Lane("annex-flood")
        let order = Mutex<[String]>([])
        let goesOn = held(lane)
        for _ in 0..<1000 { lane.run(in: "flood") { order.withLock { $0.append("flood") } } }
        lane.run(in: "other") { order.withLock { $0.append("other") } }
        goesOn.signal()
        await eventually { lane.isIdle }
        let done = order.withLock { $0 }
        #expect(done.count == 1001 && done.firstIndex(of: "other") == 1)
    }

    // MARK: Moments

    @Test func `jobs begin in the order of their moments and none before its own`() async throws {
        let lane = Lane("annex-moments")
        let begun = Mutex<[(place: UInt64, isEarly: Bool)]>([])
        let start = MonotonicClock.now()
        for place in [5, 1, 4, 2, 3] as [UInt64] {
            let moment = start + place * 20_000_000
            _ = try lane.schedule(at: moment) {
                let isEarly = MonotonicClock.now() < moment
                begun.withLock { $0.append((place, isEarly)) }
            }
        }
        await eventually { lane.isIdle }
        let all = begun.withLock { $0 }
        // On a busy machine, a job may have run before the next one was scheduled.
        #expect(all.map(\.place).sorted() == [1, 2, 3, 4, 5] && !all.contains { $0.isEarly })
    }

    @Test func `jobs that became due while another ran begin in the order of their moments`() async throws {
        let lane = Lane("annex-due")
        let order = Mutex<[UInt64]>([])
        let goesOn = held(lane)
        let start = MonotonicClock.now()
        for place in [5, 1, 4, 2, 3] as [UInt64] {
            _ = try lane.schedule(at: start + place) { order.withLock { $0.append(place) } }
        }
        goesOn.signal()
        await eventually { lane.isIdle }
        #expect(order.withLock { $0 } == [1, 2, 3, 4, 5])
    }

    @Test func `a cancelled job does not begin and is released`() async throws {
        final class Kept: Sendable {}
        let lane = Lane("annex-cancel")
        let hasRun = Mutex(false)
        let isLast = Mutex(false)
        var kept: Kept? = Kept()
        weak let released = kept
        let goesOn = held(lane)
        let moment = MonotonicClock.now()
        let number = try lane.schedule(at: moment) { [kept] in
            hasRun.withLock { $0 = true }
            withExtendedLifetime(kept) {}
        }
        kept = nil
        #expect(released != nil)
        lane.cancel(number)
        #expect(released == nil)
        _ = try lane.schedule(at: moment + 1) { isLast.withLock { $0 = true } }
        goesOn.signal()
        await eventually { isLast.withLock { $0 } }
        #expect(!hasRun.withLock { $0 })
    }

    @Test func `the thread ends after its rest, also if the last job was cancelled`() async throws {
        let lane = Lane("annex-rest", rest: .milliseconds(1))
        lane.run {}
        await eventually { lane.isIdle && Threads.count(named: "annex-rest") == 0 }
        let number = try lane.schedule(at: MonotonicClock.deadline(after: .seconds(3000))) {}
        await eventually { Threads.count(named: "annex-rest") == 1 }
        lane.cancel(number)
        await eventually { Threads.count(named: "annex-rest") == 0 }
        let hasRun = Mutex(false)
        lane.run { hasRun.withLock { $0 = true } }
        await eventually { hasRun.withLock { $0 } }
    }

    // MARK: Patience

    @Test(arguments: [false, true])
    func `a job that does not end keeps only its own row waiting`(comesLater: Bool) async throws {
        let name = comesLater ? "annex-late" : "annex-stuck"
        let lane = Lane(name, rest: .milliseconds(1), patience: .milliseconds(1))
        let order = Mutex<[String]>([])
        let goesOn = [held(lane, in: "stuck"), DispatchSemaphore(value: 0)]
        lane.run(in: "stuck") { order.withLock { $0.append("stuck") } }
        let moment = comesLater ? MonotonicClock.deadline(after: .milliseconds(5)) : 0
        for job in ["first", "second"] {
            _ = try lane.schedule(in: "other", at: moment) { order.withLock { $0.append(job) } }
        }
        await eventually { order.withLock { $0.count } == 2 }
        // A second row gets stuck.
        lane.run(in: "also stuck") { goesOn[1].wait() }
        lane.run(in: "third") { order.withLock { $0.append("third") } }
        await eventually { order.withLock { $0.count } == 3 }
        #expect(order.withLock { $0 } == ["first", "second", "third"])
        #expect(!lane.isIdle && (2...3).contains(Threads.count(named: name)))
        for each in goesOn { each.signal() }
        await eventually { lane.isIdle && Threads.count(named: name) == 0 }
        #expect(order.withLock { $0 } == ["first", "second", "third", "stuck"])
    }

    /// The jobs take about as long as the lane's patience. So a job may end at any moment while another thread is made.
    @Test func `each job runs once and in the order of its row while jobs are overtaken`() async {
        let lane = Lane("annex-overtake", rest: .milliseconds(1), patience: .microseconds(200))
        let order = Mutex<[[Int]]>(.init(repeating: [], count: 4))
        for job in 0..<600 {
            lane.run(in: "\(job % 4)") {
                let end = MonotonicClock.deadline(after: .microseconds(job * 37 % 400))
                while MonotonicClock.now() < end {}
                order.withLock { $0[job % 4].append(job) }
            }
        }
        await eventually { lane.isIdle }
        for (row, jobs) in order.withLock({ $0 }).enumerated() {
            #expect(jobs == Array(stride(from: row, to: 600, by: 4)))
        }
    }

    /// A job that is due much later must not replace the look at a job that hangs now.
    @Test func `a job that does not end is overtaken although another is due much later`() async throws {
        let lane = Lane("annex-far", rest: .milliseconds(1), patience: .milliseconds(1))
        let far = try lane.schedule(in: "far", at: MonotonicClock.deadline(after: .seconds(3000))) {}
        let goesOn = held(lane, in: "stuck")
        let hasRun = Mutex(false)
        lane.run(in: "other") { hasRun.withLock { $0 = true } }
        await eventually { hasRun.withLock { $0 } }
        goesOn.signal()
        lane.cancel(far)
        await eventually { lane.isIdle }
    }

    @Test func `a row whose jobs take long is overtaken without patience`() async {
        let lane = Lane("annex-slow-row", rest: .milliseconds(1), patience: .seconds(3000), quick: .zero)
        let first = Mutex(false)
        lane.run(in: "slow") { first.withLock { $0 = true } }
        await eventually { first.withLock { $0 } && lane.isIdle }
        // The next job of the row holds the thread, and the other row comes before or after it.
        let goesOn = held(lane, in: "slow")
        let order = Mutex<[String]>([])
        lane.run(in: "other") { order.withLock { $0.append("other") } }
        await eventually { order.withLock { $0 } == ["other"] }
        lane.run(in: "slow") { order.withLock { $0.append("slow") } }
        goesOn.signal()
        await eventually { lane.isIdle }
        #expect(order.withLock { $0 } == ["other", "slow"])
    }

    // MARK: Threads that cannot be made

    /// Starts threads, and fails as often as a test says.
    private final class Starter: Sendable {
        private let failures: Mutex<Int>
        private let tries = Mutex(0)

        init(failures: Int = 0) { self.failures = Mutex(failures) }

        func fail(_ times: Int) { failures.withLock { $0 = times } }

        var triesSoFar: Int { tries.withLock { $0 } }

        func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
            tries.withLock { $0 += 1 }
            let fails = failures.withLock { failures in
                defer { failures = max(0, failures - 1) }
                return failures > 0
            }
            guard !fails else { throw SystemError("pthread_create", errno: EAGAIN) }
            _ = try WorkerThread(name, body)
        }
    }

    @Test func `jobs wait until a thread can be made and then run in order`() async {
        let starter = Starter(failures: 5)
        let lane = Lane("annex-none", start: starter.start)
        let order = Mutex<[Int]>([])
        for job in 0..<3 { lane.run { order.withLock { $0.append(job) } } }
        await eventually { order.withLock { $0 } == [0, 1, 2] }
        #expect(starter.triesSoFar >= 6)
        await eventually { lane.isIdle && Threads.count(named: "annex-none") == 0 }
        starter.fail(1)
        #expect(throws: SystemError.self) { try lane.schedule {} }
    }

    @Test func `a job behind one that was overtaken runs although no thread could be made at first`() async {
        let starter = Starter()
        let lane = Lane("annex-behind", rest: .milliseconds(1), patience: .milliseconds(1), start: starter.start)
        let goesOn = held(lane, in: "stuck")
        let hasRun = Mutex(0)
        lane.run(in: "stuck") { hasRun.withLock { $0 += 1 } }
        lane.run(in: "other") { hasRun.withLock { $0 += 1 } }
        await eventually { hasRun.withLock { $0 } == 1 && Threads.count(named: "annex-behind") == 1 }
        starter.fail(3)
        goesOn.signal()
        await eventually { hasRun.withLock { $0 } == 2 && lane.isIdle }
    }

    @Test func `a row that hangs holds up the others until a thread can be made for them`() async {
        let starter = Starter()
        let lane = Lane("annex-alone", rest: .milliseconds(1), patience: .milliseconds(1), start: starter.start)
        let goesOn = held(lane, in: "stuck")
        starter.fail(4)
        let hasRun = Mutex(false)
        lane.run(in: "other") { hasRun.withLock { $0 = true } }
        await eventually { hasRun.withLock { $0 } }
        #expect(starter.triesSoFar >= 5)
        goesOn.signal()
        await eventually { lane.isIdle }
    }

    @Test func `an overtaken thread is the worker again if no other is left`() async {
        let lane = Lane("annex-again", rest: .milliseconds(1), patience: .milliseconds(1))
        let goesOn = DispatchSemaphore(value: 0)
        let threads = Mutex<[pthread_t]>([])
        let note: @Sendable () -> Void = { threads.withLock { $0.append(pthread_self()) } }
        lane.run(in: "stuck") {
            note()
            goesOn.wait()
        }
        lane.run(in: "other") {}
        lane.run(in: "stuck", note)
        // The thread of the other row has ended.
        await eventually { lane.count == 1 && Threads.count(named: "annex-again") == 1 }
        goesOn.signal()
        await eventually { lane.isIdle }
        let both = threads.withLock { $0 }
        #expect(both.count == 2 && Set(both).count == 1)
    }

    // MARK: Tasks

    @Test func `a task gets the value of its job, also if it is cancelled`() async throws {
        let lane = Lane("annex-value")
        let goesOn = held(lane)
        let row = Lane.Row(of: lane)
        let task = Task { try await row.value { lane.isCurrent } }
        task.cancel()
        await eventually { lane.count == 1 }
        goesOn.signal()
        #expect(try await task.value)
    }

    @Test func `a job is released before its task goes on`() async throws {
        final class Kept: Sendable {}
        let row = Lane.Row(of: Lane("annex-kept"))
        for _ in 0..<1000 {
            var kept: Kept? = Kept()
            weak let released = kept
            try await row.value { [kept] in withExtendedLifetime(kept) {} }
            kept = nil
            #expect(released == nil)
        }
    }

    @Test func `more tasks than threads that wait for a job leave their threads to others`() async throws {
        let lane = Lane("annex-crowd")
        let goesOn = held(lane)
        let row = Lane.Row(of: lane)
        let tasks = (0..<100).map { number in Task { try await row.value { number } } }
        await eventually { lane.count == 100 }
        goesOn.signal()
        for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
    }

    @Test func `without patience a lane has one thread however long a job takes`() async {
        let lane = Lane("annex-patient")
        let goesOn = held(lane)
        let place = Mutex<Bool?>(nil)
        lane.run(in: "other") { place.withLock { $0 = lane.isCurrent } }
        #expect(!lane.isCurrent && Threads.count(named: "annex-patient") == 1 && lane.count == 1)
        goesOn.signal()
        await eventually { lane.isIdle }
        #expect(place.withLock { $0 } == true)
    }
}
