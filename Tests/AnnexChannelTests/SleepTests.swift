import AnnexChannel
import AnnexLinux
import Testing

/// The two sides sleep and wake as fast as possible. A lost wake-up causes a hang, which the time limit ends.
@Suite(.timeLimit(.minutes(20))) struct SleepTests {
    @Test(arguments: [(WaitingStyle.block, WaitingStyle.block), (.block, .spin), (.adaptive, .block)])
    func `two ends that block never miss a wake-up`(_ host: WaitingStyle, _ peer: WaitingStyle) throws {
        var configuration = ChannelConfiguration.patient
        configuration.waiting = host
        configuration.hostCapacity = 4096
        configuration.extensionCapacity = 4096
        let ends = try HostEndpoint.make(configuration: configuration)
        let endpoint = ends.host
        let thread = ExtensionThread.echoing(ends.descriptors, waiting: peer)
        for index in 0..<20_000 {
            let payload = [UInt8(truncatingIfNeeded: index)]
            let answer = try endpoint.callAndWait(Request(method: 1, payload: payload)).payload
            if answer != payload { Issue.record("turn \(index): \(answer)") }
        }
        endpoint.finish(thread)
    }

    /// A service checks after an answer whether the host sleeps, unless the next request shows that the answer was
    /// taken. If the service never checked, each call would last half a second, until the host checks again by itself.
    /// So twenty calls would always take more than five seconds, and this test would not end.
    @Test(arguments: [(WaitingStyle.block, WaitingStyle.adaptive), (.block, .spin), (.adaptive, .block)])
    func `a service of typed requests wakes a host that sleeps`(_ host: WaitingStyle, _ peer: WaitingStyle) async throws
    {
        var configuration = ChannelConfiguration.patient
        configuration.waiting = host
        let ends = try HostEndpoint.make(configuration: configuration)
        let endpoint = ends.host
        let thread = ExtensionThread(ends.descriptors, waiting: peer) { endpoint in
            try endpoint.sayHello()
            var service = ChannelService()
            service.serve(Resize.self) { Resized(image: [UInt8(truncatingIfNeeded: $0.width)]) }
            try service.serve(endpoint)
        }
        let clock = ContinuousClock()
        var time = Duration.seconds(60)
        while time >= .seconds(5) {
            time = try clock.measure {
                for width in 0..<20 {
                    let image = try endpoint.callAndWait(Resize(width: UInt32(width))).image
                    #expect(image == [UInt8(width)])
                }
            }
        }
        // Only the doorbell can resume a task.
        for width in 0..<20 {
            #expect(try await endpoint.call(Resize(width: UInt32(width))).image == [UInt8(width)])
        }
        try endpoint.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        thread.join()
        endpoint.end(with: "the test is over")
    }

    @Test func `both sides of a full ring sleep for room and wake`() async throws {
        var configuration = ChannelConfiguration.patient
        configuration.hostCapacity = 4096
        configuration.extensionCapacity = 4096
        let ends = try HostEndpoint.make(configuration: configuration)
        let host = ends.host
        let thread = ExtensionThread.echoing(ends.descriptors, waiting: .block)
        let callers = (0..<6).map { index in
            ExtensionThread(raw: {
                for turn in 0..<500 {
                    let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: index ^ turn), count: 1500)
                    let answer = try? host.callAndWait(Request(method: 1, payload: payload)).payload
                    #expect(answer == payload)
                }
            })
        }
        try await withThrowingTaskGroup { group in
            for index in 0..<6 {
                group.addTask {
                    for turn in 0..<200 {
                        let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: index &* turn), count: 1500)
                        let answer = try await host.call(Request(method: 1, payload: payload)).payload
                        #expect(answer == payload)
                    }
                }
            }
            try await group.waitForAll()
        }
        for caller in callers { caller.join() }
        host.finish(thread)
    }

    @Test func `an idle channel causes no wake-ups`() async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in try request.reply() }
        }
        _ = try await host.call(Request(method: 1))
        // The first doorbell may come late. If a channel wakes a side again and again, it is never quiet, and the
        // watchdog ends the test.
        var before: ChannelCounters?
        while host.counters != before {
            before = host.counters
            try await Task.sleep(for: .milliseconds(200))  // the subject is what happens while nothing happens
        }
        host.finish(thread)
    }
}
