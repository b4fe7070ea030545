import AnnexLinux
import Glibc
import Testing

@Suite struct TrapLintTests {
    /// The files that process a peer's numbers. Two kinds are left out. The first are the checked helpers `Hostile`
    /// and `ByteCursor`. The second are files in which the lint would report sums of arrays and removals from tables:
    /// `HostedCalls`, `SocketPacket`, `HostStreams`, `StreamQueue` and `StreamFrame`.
    static let receiver = [
        "AnnexMessages/MessageDecoder", "AnnexMessages/FieldValue", "AnnexReplay/RecordingContents",
        "AnnexChannel/Wire/RawCalls", "AnnexChannel/Wire/StreamState", "AnnexChannel/Wire/WireBytes",
        "AnnexChannel/Ring/RingBytes", "AnnexChannel/Ring/RingReader", "AnnexChannel/Ring/RingWriter",
        "AnnexChannel/Ring/LargeMessage", "AnnexChannel/Host/CallTable",
        "AnnexChannel/Host/ChannelStream", "AnnexChannel/Host/ChannelStream+Waiting", "AnnexChannel/Host/ControlInbox",
        "AnnexChannel/Host/ControlLine", "AnnexChannel/Host/RingLeader", "AnnexChannel/Host/RingLeader+Answers",
        "AnnexChannel/Host/RingLeader+Calling", "AnnexChannel/Host/RingLeader+Idling",
        "AnnexChannel/Host/RingLeader+Receiving",
        "AnnexChannel/Host/ChannelState+Handlers", "AnnexChannel/Host/HostReceiver", "AnnexChannel/Host/RateBudget",
        "AnnexChannel/Host/SealedBytes",
    ]

    @Test(arguments: receiver)
    func `no code of the receiver can trap on bytes of a peer`(_ file: String) throws {
        let source = try text("Sources/Channel/\(file).swift")
        let findings = TrapLint.findings(in: source)
        #expect(findings.isEmpty, "\(file): \(findings.map(\.description).joined(separator: "; "))")
    }

    /// All bytes that a client sends to a daemon pass through these files, and through the codec above.
    @Test(arguments: [
        "Broker/AnnexBrokerAPI/Wire/HostPacketMessage.swift", "Broker/AnnexBrokerAPI/Archive/BundleArchiveReader.swift",
    ])
    func `no code of the daemon reader can trap on bytes of a client`(_ file: String) throws {
        let findings = TrapLint.findings(in: try text("Sources/" + file))
        #expect(findings.isEmpty, "\(file): \(findings.map(\.description).joined(separator: "; "))")
    }

    @Test(arguments: [
        "let end = offset + length", "total += frame.length", "let n = Int(header.length)", "bytes[0]",
        "x = frame.payload[3]", "for i in 0..<count {", "let a = b ... c", "value!", "foo()!.bar", "count * 2",
        "fatalError()", "precondition(x > 0)", "list.removeFirst()", "a - b", "a-b", "x / y", "UInt8(count)",
        "Int64(status.size)", "n -= 1", "call(a)[2]", "-x + y",
    ])
    func `the lint finds code that can trap`(_ sample: String) {
        #expect(!TrapLint.findings(in: sample).isEmpty)
    }

    @Test(arguments: [
        "let end = offset &+ length", "func next() -> Frame? {", "a &-= b", "UInt32(truncatingIfNeeded: x)",
        "let list: [UInt8] = []", "// a + b", "throw .position(step: 1) // x[0]", "\"a + b\"", "if a != b {",
        "guard !x.isEmpty else { return }", "min(a, b)", "var list = [Frame]()", "x &+= 1", "1 << 3",
    ])
    func `the lint accepts code that cannot trap`(_ sample: String) {
        #expect(TrapLint.findings(in: sample) == [])
    }

    private func text(_ path: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return String(
            decoding: try Descriptor.open("/\(root)/\(path)", O_RDONLY).readAll(atMost: 1 << 20), as: UTF8.self)
    }
}
