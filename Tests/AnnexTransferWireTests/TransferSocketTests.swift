import AnnexLinux
import AnnexMessages
import AnnexTestSupport
import AnnexTransferWire
import Testing

/// The connection between broker and agent, of which either end may be hostile.
@Suite(.timeLimit(.minutes(20))) struct TransferSocketTests {
    let download = TransferOrder.start(
        TransferJob(
            key: TransferKey(task: 7, attempt: 1), method: .get, url: "http://example.org/",
            work: .download(TransferDownload(mostBytes: 10))))

    @Test func `a job arrives with its descriptor, and news go back`() throws {
        let ends = try Ends()
        let file = try Descriptor.memfd("annex-transfer", size: 3)
        try ends.broker.send(download, with: DescriptorList(try file.duplicate()))
        guard case .message(let order, var descriptors) = try ends.agent.receive() else {
            Issue.record("no message")
            return
        }
        #expect(order == download)
        let arrived = descriptors.takeFirst()
        #expect(try arrived?.status().inode == file.status().inode)
        let news = TransferNews.progress(
            TransferProgress(key: TransferKey(task: 7, attempt: 1), sent: 0, received: 1, expected: nil))
        try ends.agent.send(news)
        guard case .message(let said, _) = try ends.broker.receive() else {
            Issue.record("no news")
            return
        }
        #expect(said == news)
        guard case .nothing = try ends.broker.receive() else {
            Issue.record("more news than were sent")
            return
        }
    }

    @Test func `a job is neither sent nor taken with another number of descriptors`() throws {
        let ends = try Ends()
        #expect(throws: TransferSocketError.wrongDescriptors(0)) { try ends.broker.send(download) }
        let bytes = try download.encoded(within: TransferLimits.message)
        try ends.broker.socket.send(bytes)
        #expect(throws: TransferSocketError.wrongDescriptors(0)) { _ = try ends.agent.receive() }
        let stop = try TransferOrder.stop(TransferKey(task: 1, attempt: 1), .cancel).encoded()
        try ends.broker.socket.send(stop, DescriptorList(try Descriptor.memfd("annex-transfer", size: 1)))
        #expect(throws: TransferSocketError.wrongDescriptors(1)) { _ = try ends.agent.receive() }
    }

    @Test func `descriptors of news are refused and closed`() throws {
        let ends = try Ends()
        var pipe = try DescriptorPair.pipe().list()
        let reading = try pipe.duplicate(at: 0)
        let news = TransferNews.lookUp(
            TransferQuestion(
                question: 1, key: TransferKey(task: 1, attempt: 1), host: "a", port: 80, redirects: 0))
        try ends.agent.socket.send(try news.encoded(), DescriptorList(try pipe.duplicate(at: 1)))
        pipe.closeAll()
        #expect(throws: TransferSocketError.wrongDescriptors(1)) { _ = try ends.broker.receive() }
        #expect(try reading.readSome(atMost: 1).isEmpty)
    }

    @Test func `an unsound message is not sent, and one that arrives is refused`() throws {
        let ends = try Ends()
        let unsound = TransferOrder.found(TransferAddresses(question: 1, addresses: ["example.org"]))
        #expect(throws: TransferSocketError.self) { try ends.broker.send(unsound) }
        guard case .nothing = try ends.agent.receive() else {
            Issue.record("the message was sent")
            return
        }
        try ends.broker.socket.send(try unsound.encoded())
        #expect(throws: TransferSocketError.self) { _ = try ends.agent.receive() }
        try ends.broker.socket.send([UInt8](repeating: 0, count: TransferLimits.message.bytes + 1))
        #expect(throws: TransferSocketError.cut) { _ = try ends.agent.receive() }
    }

    @Test func `the end of one end is the end for the other`() throws {
        let ends = try Ends()
        ends.broker.socket.shutDown()
        guard case .end = try ends.agent.receive() else {
            Issue.record("the connection lives on")
            return
        }
    }

    private struct Ends: ~Copyable {
        let broker: TransferBrokerSocket
        let agent: TransferAgentSocket

        init() throws {
            let pair = try DescriptorPair.sockets()
            let (first, second) = (try pair.first.duplicate().release(), try pair.second.duplicate().release())
            broker = TransferBrokerSocket(owning: Descriptor(owning: first))
            agent = TransferAgentSocket(owning: Descriptor(owning: second))
        }
    }
}
