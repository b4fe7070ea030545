import AnnexLinux
import Glibc
import Testing

@testable import AnnexChannel

/// Processes without free descriptor numbers. Only one call fails, no descriptor stays open, and the channel stays
/// usable. Each test runs in a separate process, because the limit applies to a whole process.
@Suite(.timeLimit(.minutes(20))) struct ScarceNumberTests {
    @Test func `FD-04: a grant fails its call if the extension has no number for it`() async {
        await #expect(processExitsWith: .success) {
            try await Holdings.areLeft(after: 5) { loop in try ScarceNumberTests.grants(loop) }
        }
    }

    @Test func `FD-04: sealed memory fails its call if the host has no number for it`() async {
        await #expect(processExitsWith: .success) {
            try await Holdings.areLeft(after: 5) { loop in try ScarceNumberTests.memory(loop) }
        }
    }

    @Test func `FD-04: a file is not granted if the host has no number for it`() async {
        await #expect(processExitsWith: .success) {
            try await Holdings.areLeft(after: 5) { _ in ScarceNumberTests.files() }
        }
    }

    private static func grants(_ loop: EventLoop) throws {
        let ends = try HostEndpoint.make(configuration: .patient, eventLoop: loop)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in
                let count = UInt8(request.descriptors.count)
                try request.reply([count])
            }
        }
        _ = try host.callAndWait(Request(method: 1))
        let before = try Holdings.now()
        for free in 0..<3 {
            try before.untilBack()
            var scarce = try outcome(free: free, host)
            while isCrowded(scarce) { scarce = try outcome(free: free, host) }
            guard case .failed(IncomingRequest.droppedCode, _) = scarce else { exit(2) }
            // For the next call, numbers are free again.
            let again = Request(method: 1, granting: Grants(try ReadOnlyFile(path: "/proc/self/exe")))
            guard try host.callAndWait(again).payload == [1] else { exit(3) }
        }
        host.finish(thread)
    }

    /// The outcome of three grants if this many descriptor numbers are free.
    private static func outcome(free: Int, _ host: HostEndpoint) throws -> CallFailure? {
        let scarcity = Scarcity(free: free)
        // After sending, the host closes the files. Their numbers must not become free for the extension.
        var grants = Grants()
        for _ in 0..<3 { grants.append(try ReadOnlyFile(path: "/proc/self/exe")) }
        let request = Request(method: 1, granting: grants)
        scarcity.begin()
        defer { scarcity.end() }
        return failure(of: request, host)
    }

    /// Whether other programs of this user have too many descriptors in flight at the moment.
    private static func isCrowded(_ failure: CallFailure?) -> Bool {
        if case .system(let error)? = failure { error.errno == ETOOMANYREFS } else { false }
    }

    private static func sendPatiently(_ tag: [UInt8], _ pieces: borrowing DescriptorList, _ peer: RawPeer) throws {
        while true {
            do throws(SystemError) {
                return try peer.control.send(tag, pieces)
            } catch {
                guard error.errno == ETOOMANYREFS else { throw error }
                usleep(1000)
            }
        }
    }

    private static func failure(of request: consuming Request, _ host: HostEndpoint) -> CallFailure? {
        do throws(CallFailure) {
            _ = try host.callAndWait(request)
            return nil
        } catch {
            return error
        }
    }

    private static func memory(_ loop: EventLoop) throws {
        let ends = try HostEndpoint.make(configuration: .patient, eventLoop: loop)
        let host = ends.host
        let peer = try RawPeer(ends.descriptors)
        var writer = RawWriter(peer)
        writer.sendHello()
        let allowance = DescriptorAllowance(pieces: 3, bytes: 100)
        // Only a host that has taken the hello holds all that it will hold. It takes the hello before any reply.
        let first: ChannelCall = try host.startAndWait(Request(method: 1))
        writer.send(RawPeer.frame(3, method: 1, call: first.id))
        _ = try first.wait()
        let before = try Holdings.now()
        for free in 0..<4 {
            try before.untilBack()
            let call: ChannelCall = try host.startAndWait(Request(method: 1, accepts: allowance))
            var pieces = DescriptorList()
            for _ in 0..<3 { pieces.append(try SealedMemory(copying: [1]).takeDescriptor()) }
            let scarcity = Scarcity(free: free)
            scarcity.begin()
            try sendPatiently(DescriptorTag(call: call.id, count: 3).encoded(), pieces, peer)
            writer.send(RawPeer.frame(3, descriptors: 3, method: 1, call: call.id))
            let reply = try? call.wait()
            scarcity.end()
            guard free < 3 else {
                guard reply?.sealed.count == 3 else { exit(2) }
                continue
            }
            guard case .failure(.system(let error)) = call.outcome(), error.errno == EMFILE else { exit(3) }
        }
        host.end(with: "the test is over")
    }

    private static func files() {
        let scarcity = Scarcity(free: 0)
        scarcity.begin()
        let error = refusal()
        scarcity.end()
        guard error?.errno == EMFILE else { exit(2) }
    }

    private static func refusal() -> SystemError? {
        do throws(SystemError) {
            _ = try ReadOnlyFile(path: "/proc/self/exe")
            return nil
        } catch {
            return error
        }
    }
}
