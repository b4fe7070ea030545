import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct EventLoopTests {
    @Test func aReadableDescriptorRunsItsHandler() async throws {
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

    @Test func timersRunInOrderAndCancelledOnesNever() async throws {
        let loop = try EventLoop()
        let (seen, report) = AsyncStream.makeStream(of: Int.self)
        let cancelled = loop.schedule(after: .seconds(1000)) { report.yield(0) }
        #expect(cancelled.cancel())
        #expect(!cancelled.cancel())
        // On the loop's own thread, so that neither fires before both are set.
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

    @Test func jobsRunOnTheLoopsThreadInTheirOrder() async throws {
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

    @Test func noHandlerStartsAfterCancel() throws {
        let loop = try EventLoop()
        let pipe = try DescriptorPair.pipe()
        try pipe.second.writeAll([1])
        for _ in 0..<500 {
            let isOver = Flag()
            let startedLate = Flag()
            // The byte is never read: the handler runs again and again until cancelled.
            let watch = try loop.watch(pipe.first.number) { _ in
                if isOver.isSet { startedLate.set() }
            }
            watch.cancelAndWait()
            isOver.set()
            #expect(!startedLate.isSet)
        }
        loop.shutDown()
    }

    @Test func anIdleLoopDoesNotWake() async throws {
        let loop = try EventLoop(name: "annex-idle")
        await withCheckedContinuation { started in loop.execute { started.resume() } }
        // Falling asleep after the job may come late, and a page that is fetched is a sleep too. What wakes again and
        // again never gives a quiet while, and the watchdog ends it.
        var before = -1
        while true {
            let sleeps = try #require(Threads.sleeps(ofThread: "annex-idle"))
            if sleeps == before { break }
            before = sleeps
            try await Task.sleep(for: .milliseconds(200))  // the subject is what happens while nothing happens
        }
        loop.shutDown()
    }

    @Test func shutDownEndsTheThreadAndLetsGoOfEverything() async throws {
        let before = Threads.count(named: "annex-leak")
        weak var gone: EventLoop?
        for _ in 0..<50 {
            let loop = try EventLoop(name: "annex-leak")
            gone = loop
            loop.schedule(after: .seconds(1000)) { _ = loop.isCurrent }
            loop.shutDown()
        }
        // A thread that has been joined is listed a little longer.
        await eventually { Threads.count(named: "annex-leak") == before }
        #expect(gone == nil)
    }

    @Test func shutDownFromAHandlerWorks() throws {
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
