import AnnexChannel
import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct CallTests {
    private func echo(_ waiting: WaitingStyle = .adaptive) throws -> (HostEndpoint, ExtensionThread) {
        var configuration = ChannelConfiguration.patient
        configuration.waiting = waiting
        let ends = try HostEndpoint.make(configuration: configuration)
        let host = ends.host
        let thread = ExtensionThread.echoing(ends.descriptors, waiting: waiting, features: 5)
        return (host, thread)
    }

    @Test(arguments: [WaitingStyle.spin, .adaptive, .block])
    func `a call returns its answer in every waiting style and at every size`(_ waiting: WaitingStyle) throws {
        let (host, thread) = try echo(waiting)
        for size in [0, 1, 15, 16, 17, 100, 4096, 30_000, host.largestFrame] {
            let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let answer = try host.callAndWait(Request(method: 3, payload: payload), timeout: .patience).payload
            #expect(answer == payload)
        }
        for index in 0..<2000 {
            let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: index % 200)
            let answer = try host.callAndWait(Request(method: 3, payload: payload)).payload
            #expect(answer == payload)
        }
        host.finish(thread)
    }

    @Test func `the features in the hello of an extension reach the host`() async throws {
        let (host, thread) = try echo()
        #expect(try await host.untilHello().features == 5)
        try host.pingAndWait(timeout: .patience)
        host.finish(thread)
    }

    @Test func `a warning of memory reaches each handler before the next request`() throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            var warned: [UInt8] = []
            var service = ChannelService()
            service.handleMemoryWarning { warned.append(1) }
            service.handleMemoryWarning { warned.append(2) }
            service.serve(Resize.self) { _ in Resized(image: warned) }
            try endpoint.sayHello()
            try service.serve(endpoint)
        }
        #expect(try host.callAndWait(Resize(width: 1)).image == [])
        try host.sendAndWait(ChannelEvent(method: ChannelEvent.memoryWarning))
        #expect(try host.callAndWait(Resize(width: 1)).image == [1, 2])
        try host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        thread.join()
        host.end(with: "the test is over")
    }

    @Test func `many tasks call at once and each gets its own answer`() async throws {
        let (host, thread) = try echo()
        try await withThrowingTaskGroup { group in
            for index in 0..<50 {
                group.addTask {
                    for turn in 0..<100 {
                        let payload = [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: turn)]
                        let answer = try await host.call(Request(method: 1, payload: payload)).payload
                        #expect(answer == payload)
                    }
                }
            }
            try await group.waitForAll()
        }
        host.finish(thread)
    }

    @Test func `many threads call at once and each gets its own answer`() throws {
        let (host, thread) = try echo()
        let callers = (0..<8).map { index in
            ExtensionThread(raw: {
                for turn in 0..<1000 {
                    let payload = [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: turn)]
                    let answer = try? host.callAndWait(Request(method: 1, payload: payload)).payload
                    #expect(answer == payload)
                }
            })
        }
        for caller in callers { caller.join() }
        host.finish(thread)
        #expect(host.counters.framesReceived == 8001)
    }
}
