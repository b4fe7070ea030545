import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct EventLoopTests {
    @Test func `a readable descriptor runs its handler`() async throws {
        let loop = try EventLoop()
        let pipe = try DescriptorPair.pipe()
        let number = pipe.first.number
        let (seen, report) = AsyncStream.makeStream(of: Readiness.self)
        let watch = try loop.watch(number) { readiness in
            var byte: UInt8 = 0
            _ = read(number, &byte, 1)
            report.yield(readiness)
        }
        try pipe.second.writeAll([1])
        var events = seen.makeAsyncIterator()
        #expect(await events.next() == .readable)
        watch.cancelAndWait()
        loop.shutDown()
    }

    @Test func `timers run in order and cancelled timers never run`() async throws {
        let loop = try EventLoop()
        let (seen, report) = AsyncStream.makeStream(of: Int.self)
        let cancelled = loop.schedule(after: .seconds(1000)) { report.yield(0) }
        #expect(cancelled.cancel())
        #expect(!cancelled.cancel())
        // Both timers are set on the loop's own thread, so that neither fires before both are set.
        loop.execute {
            let now = MonotonicClock.now()
            loop.schedule(at: now + 20_000_000) { report.yield(2) }
            loop.schedule(at: now + 5_000_000) { report.yield(1) }
        }
        var events = seen.makeAsyncIterator()
        #expect(await events.next() == 1)
        #expect(await events.next() == 2)
        loop.shutDown()
    }

    @Test func `jobs run on the thread of the loop in their order`() async throws {
        let loop = try EventLoop()
        let (seen, report) = AsyncStream.makeStream(of: Int.self)
        for index in 0..<1000 {
            loop.execute { report.yield(loop.isCurrent ? index : -1) }
        }
        var events = seen.makeAsyncIterator()
        for index in 0..<1000 { #expect(await events.next() == index) }
        #expect(!loop.isCurrent)
        loop.shutDown()
    }

    @Test func `no handler starts after its watch is cancelled`() throws {
        let loop = try EventLoop()
        let pipe = try DescriptorPair.pipe()
        try pipe.second.writeAll([1])
        for _ in 0..<500 {
            let isOver = Flag()
            let startedLate = Flag()
            // The byte is never read, so the handler runs again and again until it is cancelled.
            let watch = try loop.watch(pipe.first.number) { _ in
                if isOver.isSet { startedLate.set() }
            }
            watch.cancelAndWait()
            isOver.set()
            #expect(!startedLate.isSet)
        }
        loop.shutDown()
    }

    @Test func `a timer due during a handler waits for the descriptors ready by then`() async throws {
        let loop = try EventLoop()
        let first = try DescriptorPair.pipe()
        let second = try DescriptorPair.pipe()
        let (seen, report) = AsyncStream.makeStream(of: String.self)
        let taking = try loop.watch(second.first.number) { [number = second.first.number] _ in
            var byte: UInt8 = 0
            _ = read(number, &byte, 1)
            report.yield("descriptor")
        }
        let (entry, word) = (first.first.number, second.second.number)
        let holding = try loop.watch(entry) { _ in
            var byte: UInt8 = 0
            _ = read(entry, &byte, 1)
            let deadline = MonotonicClock.now() + 1_000_000
            loop.schedule(at: deadline) { report.yield("timer") }
            _ = write(word, &byte, 1)
            while MonotonicClock.now() < deadline + 1_000_000 {}
        }
        try first.second.writeAll([1])
        var events = seen.makeAsyncIterator()
        #expect(await events.next() == "descriptor")
        #expect(await events.next() == "timer")
        holding.cancelAndWait()
        taking.cancelAndWait()
        loop.shutDown()
    }

    @Test func `an idle loop does not wake`() async throws {
        let loop = try EventLoop(name: "annex-idle")
        await withCheckedContinuation { started in loop.execute { started.resume() } }
        _ = try await quietSleeps(ofThread: "annex-idle")
        loop.shutDown()
    }

    @Test func `a timer set while the loop sleeps wakes it only when due`() async throws {
        let loop = try EventLoop(name: "annex-timed")
        await withCheckedContinuation { started in loop.execute { started.resume() } }
        let before = try await quietSleeps(ofThread: "annex-timed")
        for hour in (1...20).reversed() { loop.schedule(after: .seconds(3600 * hour)) {} }
        #expect(try await quietSleeps(ofThread: "annex-timed") == before)
        // This timer is due before all other timers, and before the moment at which the sleep would have ended.
        await withCheckedContinuation { passed in loop.schedule(after: .milliseconds(1)) { passed.resume() } }
        await withCheckedContinuation { passed in loop.schedule(after: .zero) { passed.resume() } }
        await withCheckedContinuation { passed in loop.schedule(at: 0) { passed.resume() } }
        loop.shutDown()
    }

    @Test func `a cancelled timer causes no wake-up after the next sleep`() async throws {
        let loop = try EventLoop(name: "annex-regret")
        await withCheckedContinuation { started in loop.execute { started.resume() } }
        _ = try await quietSleeps(ofThread: "annex-regret")
        let timer = loop.schedule(after: .seconds(20)) { Issue.record("it was cancelled") }
        #expect(timer.cancel())
        await withCheckedContinuation { started in loop.execute { started.resume() } }
        let before = try await quietSleeps(ofThread: "annex-regret")
        try await Task.sleep(for: .seconds(21))  // past the deadline of the cancelled timer
        #expect(Threads.sleeps(ofThread: "annex-regret") == before)
        loop.shutDown()
    }

    @Test func `every timer fires for every task that sets one at any time`() async throws {
        let loop = try EventLoop()
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<4 {
                group.addTask {
                    for turn in 0..<300 {
                        let wait = Duration.microseconds((turn * 37 + lane * 11) % 400)
                        loop.schedule(after: .seconds(1 + turn % 7)) {}.cancel()
                        await withCheckedContinuation { passed in loop.schedule(after: wait) { passed.resume() } }
                    }
                }
            }
        }
        loop.shutDown()
    }

    /// The number of times that the thread has slept, after that number no longer changes.
    private func quietSleeps(ofThread name: String) async throws -> Int {
        // The thread may fall asleep late after the job, and fetching a page counts as a sleep too. If a loop wakes
        // again and again, it is never quiet, and the watchdog ends the test.
        var before = -1
        while true {
            let sleeps = try #require(Threads.sleeps(ofThread: name))
            if sleeps == before, sleeps >= 0 { return sleeps }
            before = sleeps
            try await Task.sleep(for: .milliseconds(200))  // the subject is what happens while nothing happens
        }
    }

    @Test func `a shutdown ends the thread and releases everything the loop held`() async throws {
        let before = Threads.count(named: "annex-leak")
        weak var gone: EventLoop?
        for _ in 0..<50 {
            let loop = try EventLoop(name: "annex-leak")
            gone = loop
            loop.schedule(after: .seconds(1000)) { _ = loop.isCurrent }
            loop.shutDown()
        }
        // A thread that has been joined stays listed a little longer.
        await eventually { Threads.count(named: "annex-leak") == before }
        #expect(gone == nil)
    }

    @Test func `a handler can shut its loop down`() throws {
        let loop = try EventLoop()
        let ended = try Signal()
        loop.execute {
            loop.shutDown()
            ended.send()
        }
        try ended.wait()
        #expect(throws: SystemError("epoll_ctl", errno: ESHUTDOWN)) { _ = try loop.watch(0) { _ in } }
    }
}
