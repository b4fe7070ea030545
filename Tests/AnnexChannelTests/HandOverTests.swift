import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexChannel

/// Descriptors in both directions. Descriptors that a call accepts arrive. The receiver closes all other descriptors
/// and names them.
@Suite(.timeLimit(.minutes(20))) struct HandOverTests {
    private static let allowance = DescriptorAllowance(pieces: 2, bytes: 100_000)

    private func sealed(_ name: String, _ bytes: [UInt8], seals: Seals = .immutable) throws -> DescriptorList {
        let memory = try Descriptor.memfd(name, size: 0)
        try memory.writeAll(bytes)
        try memory.addSeals(seals)
        return DescriptorList(memory)
    }

    /// A peer that has sent its hello and received a call that accepts `allowance`.
    private func asked(
        _ channel: HostileChannel, allowance: DescriptorAllowance = allowance
    ) async throws -> (ChannelCall, RawWriter) {
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        return (try await channel.host.start(Request(method: 1, accepts: allowance)), writer)
    }

    @Test func `an answer brings its sealed memory`() throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in
                var pieces = SealedPieces(try SealedMemory(copying: [1, 2, 3]))
                pieces.append(
                    try SealedMemory.make(count: 20_000) { bytes in
                        bytes.storeBytes(of: 9, toByteOffset: 19_999, as: UInt8.self)
                    })
                try request.reply([5], sealed: pieces)
            }
        }
        for _ in 0..<20 {
            let reply = try host.callAndWait(Request(method: 1, accepts: HandOverTests.allowance))
            #expect(reply.payload == [5])
            try #require(reply.sealed.count == 2)
            let first = reply.sealed[0].withBytes { span in
                (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            }
            #expect(first == [1, 2, 3])
            #expect(reply.sealed[1].count == 20_000)
            let last = reply.sealed[1].withBytes { $0.unsafeLoad(fromByteOffset: 19_999, as: UInt8.self) }
            #expect(last == 9)
            let copy = try Descriptor.memfd("annex-copy", size: 0)
            try reply.sealed[0].write(to: copy)
            #expect(try copy.read(at: 0, count: 10) == [1, 2, 3])
        }
        host.finish(thread)
    }

    /// This test runs in a separate process, because the limit applies to a whole process. If it runs as root, it
    /// changes to a user that no other process has. If it runs as an ordinary user, other tests share the count of
    /// descriptors in flight. So the limit is low, and this test adds few descriptors to that count.
    @Test(arguments: [1, 300_000])
    func `an answer waits while its user has too many descriptors in flight`(_ bytes: Int) async {
        await #expect(processExitsWith: .success) { [bytes = bytes as Int] in
            // The kernel exempts root.
            if getuid() == 0, setgid(61_107) != 0 || setuid(61_107) != 0 { exit(1) }
            var few = rlimit(rlim_cur: 64, rlim_max: 64)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few) == 0 else { exit(2) }
            let receiver = try HandOverTests.crowd()
            let ends = try HostEndpoint.make(configuration: .patient)
            let host = ends.host
            let isServing = try Gate()
            let thread = ExtensionThread(ends.descriptors) { endpoint in
                try endpoint.sayHello()
                try endpoint.serve { request in
                    isServing.open()
                    let sealed = SealedPieces(try SealedMemory(copying: [1]))
                    try request.reply([UInt8](repeating: 5, count: bytes), sealed: sealed)
                }
            }
            let other = ExtensionThread(raw: {
                // While the extension serves, it answers pings only if the kernel accepts no descriptors.
                do {
                    try isServing.wait()
                    try host.pingAndWait(timeout: .seconds(60))
                } catch {
                    exit(4)
                }
                close(receiver)
            })
            let request = Request(method: 1, accepts: HandOverTests.allowance, mostReply: 1 << 20)
            let reply = try host.callAndWait(request)
            guard reply.payload == [UInt8](repeating: 5, count: bytes), reply.sealed.count == 1 else { exit(3) }
            other.join()
            host.finish(thread)
        }
    }

    /// Puts descriptors in flight until the kernel accepts no more from this user.
    /// - Returns: the socket in which the descriptors wait.
    private static func crowd() throws -> Int32 {
        var pair: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0 else { exit(5) }
        let sender = ControlSocket(owning: Descriptor(owning: pair[0]))
        while true {
            var list = DescriptorList()
            for _ in 0..<8 { list.append(try Descriptor.open("/dev/null", O_RDONLY)) }
            do throws(SystemError) { try sender.send([1], list) } catch {
                guard error.errno == ETOOMANYREFS else { throw error }
                break
            }
        }
        // If the sender were closed, the descriptors would still be in flight.
        return pair[1]
    }

    @Test func `a request brings its file`() throws {
        let name = "annex-picture"
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in
                var request = request
                guard let file = request.popFirstDescriptor() else {
                    return try request.fail(code: 1, text: "no file")
                }
                try request.reply(try file.read(at: 0, count: 100))
            }
        }
        for index in 0..<20 {
            let file = try Descriptor.memfd(name, size: 0)
            try file.writeAll([UInt8(index)])
            let request = Request(method: 1, descriptors: DescriptorList(try file.reopenedReadOnly()))
            let reply = try host.callAndWait(request)
            #expect(reply.payload == [UInt8(index)])
        }
        #expect(throws: CallFailure.failed(code: 1, text: "no file")) { _ = try host.callAndWait(Request(method: 1)) }
        host.finish(thread)
        #expect(try OpenDescriptors.count(naming: name) == 0)
    }

    @Test func `FD-03: the kernel refuses descriptors at their sender unless a call accepts some`() throws {
        let channel = try HostileChannel()
        guard channel.host.leader.control.socket.setPassRights(false) else {
            try Test.cancel("this kernel has no SO_PASSRIGHTS (needs 6.16)")
        }
        let memory = try sealed("annex-refused", [1])
        #expect(throws: SystemError("sendmsg", errno: EPERM)) {
            try channel.peer.control.send(DescriptorTag(call: 1, count: 1).encoded(), memory)
        }
    }

    @Test func `the host closes unaccepted descriptors that the kernel let through`() async throws {
        let name = "annex-unasked"
        let channel = try HostileChannel()
        // With this setting, the socket behaves as on an older kernel.
        _ = channel.host.leader.control.socket.setPassRights(true)
        do {
            let (_, _) = try await asked(channel, allowance: .none)
            let memory = try sealed(name, [1])
            try channel.peer.control.send(DescriptorTag(call: 1, count: 1).encoded(), memory)
        }
        #expect(await channel.violation() == .descriptorsNotAskedFor(count: 1, call: 1))
        try await OpenDescriptors.untilNone(naming: name)
    }

    @Test func `a doorbell with a descriptor is refused`() async throws {
        let name = "annex-doorbell"
        let channel = try HostileChannel()
        _ = channel.host.leader.control.socket.setPassRights(true)
        do {
            let memory = try sealed(name, [1])
            try channel.peer.control.send(WireFormat.doorbell, memory)
        }
        #expect(await channel.violation() == .malformedControl(length: 1, descriptors: 1))
        try await OpenDescriptors.untilNone(naming: name)
    }

    @Test func `FD-03: descriptors for a call that was never made are closed`() async throws {
        let name = "annex-never"
        let channel = try HostileChannel()
        do {
            let (_, _) = try await asked(channel)
            let memory = try sealed(name, [1])
            try channel.peer.control.send(DescriptorTag(call: 2, count: 1).encoded(), memory)
        }
        #expect(await channel.violation() == .descriptorsNotAskedFor(count: 1, call: 2))
        try await OpenDescriptors.untilNone(naming: name)
    }

    @Test func `more descriptors than the call accepts are refused`() async throws {
        let channel = try HostileChannel()
        let (_, _) = try await asked(channel)
        var list = DescriptorList()
        for _ in 0..<3 { list.append(try Descriptor.memfd("annex-many", size: 0)) }
        try channel.peer.control.send(DescriptorTag(call: 1, count: 3).encoded(), list)
        #expect(await channel.violation() == .descriptorsNotAskedFor(count: 3, call: 1))
    }

    @Test func `a tag with a wrong number of descriptors is refused`() async throws {
        let channel = try HostileChannel()
        let (_, _) = try await asked(channel)
        try channel.peer.control.send(DescriptorTag(call: 1, count: 2).encoded(), try sealed("annex-lie", [1]))
        #expect(await channel.violation() == .malformedControl(length: 16, descriptors: 1))
    }

    @Test func `an announced hand-over that never came is refused and not waited for`() async throws {
        let channel = try HostileChannel()
        var (call, writer) = try await asked(channel)
        writer.send(RawPeer.frame(3, descriptors: 1, method: 1, call: 1))
        #expect(await channel.violation() == .descriptorsMissing(call: 1))
        await #expect(throws: CallFailure.violated(.descriptorsMissing(call: 1))) { _ = try await call.value() }
    }

    @Test func `FD-03: hand-overs for calls that are over end at the budget`() async throws {
        let channel = try HostileChannel {
            $0.controlMessagesPerSecond = 20
            $0.budgetPeriod = .patience
        }
        let (call, _) = try await asked(channel)
        // If no open call accepted descriptors, the kernel would refuse them.
        _ = try await channel.host.start(Request(method: 1, accepts: HandOverTests.allowance))
        call.cancel()
        let memory = try sealed("annex-endless", [1])
        for _ in 0...20 {
            try channel.peer.control.send(DescriptorTag(call: 1, count: 1).encoded(), memory, waiting: true)
        }
        #expect(await channel.violation() == .messageBudget(.control, limit: 20))
    }

    @Test func `a hand-over for a call that was given up is closed and the channel lives`() async throws {
        let name = "annex-late"
        let channel = try HostileChannel()
        do {
            var (call, writer) = try await asked(channel)
            let other = try await channel.host.start(Request(method: 1, accepts: HandOverTests.allowance))
            call.cancel()
            let memory = try sealed(name, [1, 2])
            for id in [1, 2] as [UInt64] {
                try channel.peer.control.send(DescriptorTag(call: id, count: 1).encoded(), memory)
                writer.send(RawPeer.frame(3, descriptors: 1, method: 1, call: id))
            }
            #expect(try await other.value().sealed.first?.count == 2)
        }
        try await OpenDescriptors.untilNone(naming: name)
        #expect(channel.host.counters.lateReplies == 1)
    }

    /// Descriptors that a peer hands over instead of sealed memory.
    enum Fake: String, CaseIterable {
        case unsealed, growable, sparse, filledBeyond, tooLarge, empty, socket, file, pipe
    }

    @Test(arguments: Fake.allCases)
    func `IPC-02, IPC-03, IPC-04, FD-05: the host maps only sealed memory with all its pages`(_ fake: Fake) async throws
    {
        let channel = try HostileChannel()
        var (call, writer) = try await asked(channel)
        let list = try make(fake)
        try channel.peer.control.send(DescriptorTag(call: 1, count: 1).encoded(), list)
        writer.send(RawPeer.frame(3, descriptors: 1, method: 1, call: 1))
        let violation = await channel.violation()
        switch (fake, violation) {
        case (.unsealed, .notSealed), (.growable, .notSealed), (.socket, .notSealed), (.file, .notSealed),
            (.pipe, .notSealed):
            break
        case (.sparse, .sealedHoles(50_000)), (.filledBeyond, .sealedHoles(50_000)),
            (.tooLarge, .sealedSize(100_001, accepted: 100_000)),
            (.empty, .sealedSize(0, accepted: 100_000)):
            break
        default: Issue.record("\(fake.rawValue): \(violation.map { "\($0)" } ?? "nothing")")
        }
        await #expect(throws: CallFailure.self) { _ = try await call.value() }
    }

    private func make(_ fake: Fake) throws -> DescriptorList {
        switch fake {
        case .unsealed: return try sealed("annex-fake", [1], seals: [])
        case .growable: return try sealed("annex-fake", [1], seals: [.write, .shrink, .seal])
        case .sparse:
            let memory = try Descriptor.memfd("annex-fake", size: 50_000)
            try memory.addSeals(.immutable)
            return DescriptorList(memory)
        case .filledBeyond:
            // The memory has as many pages as the file is long, but all of them lie behind the file's end.
            let memory = try Descriptor.memfd("annex-fake", size: 50_000)
            #expect(RawMemory.fill(memory, from: 65_536, count: 65_536) == 0)
            try memory.addSeals(.immutable)
            return DescriptorList(memory)
        case .tooLarge: return try sealed("annex-fake", [UInt8](repeating: 1, count: 100_001))
        case .empty: return try sealed("annex-fake", [])
        case .socket: return DescriptorList(try ControlSocketPair().host.descriptor.duplicate())
        case .file: return DescriptorList(try Descriptor.open("/proc/self/exe", O_RDONLY))
        case .pipe: return DescriptorList(try DescriptorPair.pipe().first.duplicate())
        }
    }

    @Test func `IPC-04: memory of huge pages, which can lack pages, is refused by its kind`() async throws {
        guard let memory = try RawMemory.huge("annex-huge", pages: 1) else {
            try Test.cancel("this kernel has no memory of huge pages")
        }
        try memory.addSeals(.immutable)
        let channel = try HostileChannel()
        var (_, writer) = try await asked(channel, allowance: DescriptorAllowance(pieces: 1, bytes: 4 << 20))
        try channel.peer.control.send(DescriptorTag(call: 1, count: 1).encoded(), DescriptorList(memory))
        writer.send(RawPeer.frame(3, descriptors: 1, method: 1, call: 1))
        #expect(await channel.violation() == .notSealed("it consists of huge pages"))
    }

    @Test func `all pieces of an answer share one allowance`() async throws {
        let channel = try HostileChannel()
        var (_, writer) = try await asked(channel)
        var list = try sealed("annex-half", [UInt8](repeating: 1, count: 60_000))
        list.append(
            try list.numbers.first.map { number in try Descriptor.open("/proc/self/fd/\(number)", O_RDONLY) }
                ?? Descriptor.memfd("x", size: 0))
        try channel.peer.control.send(DescriptorTag(call: 1, count: 2).encoded(), list)
        writer.send(RawPeer.frame(3, descriptors: 2, method: 1, call: 1))
        #expect(await channel.violation() == .sealedSize(60_000, accepted: 40_000))
    }

    /// If an extension hands over empty memory, the host closes its channel.
    @Test func `IPC-04: an extension cannot seal empty memory`() throws {
        let error = #expect(throws: SystemError.self) { _ = try SealedMemory(copying: []) }
        #expect(error?.errno == EINVAL && error?.remedy != nil)
    }

    @Test func `an extension survives that its call is given up while it answers with memory`() async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let mayAnswer = try Gate()
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in
                try mayAnswer.wait()
                try request.reply([1], sealed: SealedPieces(try SealedMemory(copying: [1])))
            }
        }
        let given = try await host.start(Request(method: 1, accepts: HandOverTests.allowance))
        given.cancel()
        mayAnswer.open()
        await #expect(throws: CallFailure.cancelled) { _ = try await given.value() }
        mayAnswer.open()
        let reply = try await host.call(Request(method: 1, accepts: HandOverTests.allowance))
        #expect(reply.sealed.count == 1)
        host.finish(thread)
    }

    @Test func `an extension cannot hand over more than its call accepts`() throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in
                do {
                    try request.reply(sealed: SealedPieces(try SealedMemory(copying: [1])))
                } catch let failure as ExtensionFailure {
                    #expect(failure == .notAccepted(pieces: 1, bytes: 1))
                }
            }
        }
        #expect(throws: CallFailure.failed(code: IncomingRequest.droppedCode, text: "no answer was given")) {
            _ = try host.callAndWait(Request(method: 1))
        }
        host.finish(thread)
    }
}
