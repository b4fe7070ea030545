import AnnexLinux
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5))) struct EventLoopTests {
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
        let cancelled = loop.schedule(after: .milliseconds(1)) { report.yield(0) }
        #expect(cancelled.cancel())
        #expect(!cancelled.cancel())
        loop.schedule(after: .milliseconds(20)) { report.yield(2) }
        loop.schedule(after: .milliseconds(5)) { report.yield(1) }
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

    @Test func anIdleLoopDoesNotWake() throws {
        let loop = try EventLoop(name: "annex-idle")
        let started = try Signal()
        loop.execute { started.send() }
        try started.wait()
        let before = Threads.sleeps(ofThread: "annex-idle")
        var pause = timespec(tv_sec: 0, tv_nsec: 200_000_000)
        nanosleep(&pause, nil)  // the subject is what happens while nothing happens
        let after = Threads.sleeps(ofThread: "annex-idle")
        #expect(before != nil)
        #expect((after ?? 0) - (before ?? 0) <= 1)  // falling asleep after the job may come late
        loop.shutDown()
    }

    @Test func shutDownEndsTheThreadAndLetsGoOfEverything() throws {
        let before = Threads.count(named: "annex-leak")
        weak var gone: EventLoop?
        for _ in 0..<50 {
            let loop = try EventLoop(name: "annex-leak")
            gone = loop
            loop.schedule(after: .seconds(1000)) { _ = loop.isCurrent }
            loop.shutDown()
        }
        #expect(Threads.count(named: "annex-leak") == before)
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
