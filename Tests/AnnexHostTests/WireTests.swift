import AnnexBrokerAPI
import AnnexChannel
import AnnexLinux
import AnnexModel
import Testing

/// Packets between host and daemon must pass through the wire unchanged.
@Suite(.timeLimit(.minutes(20))) struct WireTests {
    private static let notices: [ExtensionNotice] = [
        .saidHello, .requestBegan(1), .requestEnded(.max), .answered,
        .overstayed, .gaveSign, .pingPassedOn, .activityBegan("é"), .activityEnded, .userActed,
        .violated(ProtocolViolation("x", isBudget: true)),
        .violated(ProtocolViolation("y")), .channelClosed, .parked, .dismissed(.completed),
        .dismissed(.cancelled), .dismissed(.memoryPressure),
    ]
    private static let requests: [ServiceRequest] = [
        .install(name: "A.app"), .uninstall(app: "com.a"), .setEnabled(true, extension: "com.a.b"),
        .setEnabled(false, extension: "com.a.b"), .pin(app: "com.a", version: "1.2"), .pin(app: "com.a", version: nil),
        .install(name: "A.app", granting: ["a.b", "c.d"]),
        .setGranted(true, entitlements: ["a.b"], extension: "com.a.b"),
        .setGranted(false, entitlements: [], extension: "com.a.b"),
        .setGranted(true, entitlements: ["a.b"], hosts: ["feed.example.org:443", "*.b.example"], extension: "com.a.b"),
        .list(after: ""), .trust(key: "annex-team 1\n", app: nil), .trust(key: "", app: "com.a"),
        .list(after: "com.a", withDisabled: true), .list(after: "", languages: []),
        .list(after: "com.a", withDisabled: true, languages: ["de-AT", "en"]), .icon(extension: "com.a.b", from: .max),
        .attributes(extension: "com.a.b"), .typeDeclarations(extension: "com.a.b"), .open(url: "todo://add"),
        .transfer(.list(after: 7)), .transfer(.show(1)), .transfer(.cancel(.max)), .transfer(.retry(2)),
        .terms(extension: "com.a.b"),
        .claim(.max),
        .launch(extension: "com.a.b", for: .request, timeLimit: nil, counters: 0),
        .launch(extension: "com.a.b", as: "p", for: .ahead, timeLimit: .milliseconds(1500), counters: .max),
        .launch(extension: "com.a.b", for: .request, timeLimit: nil, origin: "", counters: 0),
        .launch(
            extension: "com.a.b", as: "p", for: .request, timeLimit: .zero, origin: String(repeating: "é", count: 128),
            counters: 1),
    ]

    private static let counts = SessionStatistics(
        messagesSent: 1, messagesReceived: .max, bytesSent: 0, bytesReceived: 1 << 63)

    private static var packets: [HostPacket] {
        [.hello(versions: 1...1), .hello(versions: 3...9), .portal(app: ""), .portal(app: "com.a")]
            + requests.map { .request(.max, $0) }
            + notices.map { .notice(7, $0, counts: counts) }
    }

    @Test func `packets of a host read back unchanged`() throws {
        for packet in Self.packets {
            let bytes = try HostPacketMessage(packet).encoded(within: ServiceWire.fromHost)
            #expect(try HostPacketMessage(decoding: bytes, within: ServiceWire.fromHost).packet == packet)
        }
    }

    @Test func `a packet of a host that is cut or changed gives another one or a failure`() throws {
        var random = SystemRandomNumberGenerator()
        for packet in Self.packets {
            let bytes = try HostPacketMessage(packet).encoded(within: ServiceWire.fromHost)
            // A hello without its last field is the hello of hosts of version 3.
            let old = if case .hello = packet { [bytes.count - 14] } else { [Int]() }
            for length in 0..<bytes.count where !old.contains(length) {
                #expect(throws: DecodingFailure.self) {
                    let cut = Array(bytes.prefix(length))
                    _ = try HostPacketMessage(decoding: cut, within: ServiceWire.fromHost)
                }
            }
            for _ in 0..<300 {
                var changed = bytes
                changed[.random(in: bytes.indices, using: &random)] = .random(in: 0 ... .max, using: &random)
                // The result is a value or a failure, never a trap.
                _ = try? HostPacketMessage(decoding: changed, within: ServiceWire.fromHost)
            }
        }
        let origin = String(repeating: "x", count: ServiceWire.longestOrigin + 1)
        for request in [
            ServiceRequest.list(after: String(repeating: "x", count: 5000)),
            .launch(extension: "com.a.b", for: .request, timeLimit: nil, origin: origin, counters: 0),
        ] {
            let long = try HostPacketMessage(.request(1, request)).encoded()
            #expect(throws: DecodingFailure.self) {
                try HostPacketMessage(decoding: long, within: ServiceWire.fromHost)
            }
        }
    }

    /// If a notice lacks one of its counts, or if a count has another form, the notice is invalid.
    @Test func `a notice without all four counts is refused`() throws {
        func read(_ tags: Set<UInt16>, _ value: [UInt8]) throws -> HostPacket {
            var encoder = MessageEncoder()
            encoder.encode(34 as UInt8, as: 1)
            encoder.encode(7 as UInt64, as: 2)
            for tag in tags.sorted() { encoder.encode(value, as: tag) }
            return try HostPacketMessage(decoding: encoder.finish(), within: ServiceWire.fromHost).packet
        }
        let largest = [UInt8](repeating: 0xFF, count: 8)
        let all = SessionStatistics(
            messagesSent: .max, messagesReceived: .max, bytesSent: .max, bytesReceived: .max)
        #expect(try read([10, 11, 12, 13], largest) == .notice(7, .overstayed, counts: all))
        for missing in 10...13 as ClosedRange<UInt16> {
            #expect(throws: DecodingFailure.self) { try read(Set(10...13).subtracting([missing]), largest) }
        }
        for length in [0, 1, 4, 7, 9, 16] {
            #expect(throws: DecodingFailure.self) {
                try read(Set(10...13), [UInt8](repeating: 1, count: length))
            }
        }
    }

    @Test func `every end of an extension reads back unchanged`() throws {
        let call = DeniedCall(
            "socket", arguments: [Escaped("AF_INET\n")], layer: "seccomp", remedy: "- socket", count: 3,
            backtrace: [Escaped("main\\x")])
        let details: [Termination.Detail] = [
            .none, .exitCode(-3), .signal(Signal(9)),
            .signal(Signal(11, message: Escaped("\u{1B}[0m"), backtrace: [Escaped("main + 3\n"), Escaped("0x1")])),
            .limit("64 MiB"), .deniedCall(call), .violation(Escaped("a\\b")),
            .step(LaunchStep("pivot_root", cause: "c", remedy: "m")), .step(LaunchStep("clone", cause: "c")),
            .error(ExtensionError(code: 1, domain: "d", localizedDescription: "e")),
        ]
        for (detail, reason) in zip(details + details + details, Termination.Reason.allCases) {
            let end = Termination(
                reason, detail: detail,
                usage: Usage(peakMemory: 5, userTime: .milliseconds(3), systemTime: nil),
                lastOutput: [Escaped("a\u{202E}b"), Escaped("\\")], denials: [call])
            #expect(try roundTrip(end) == end)
        }
    }

    @Test func `an end is reported however long its words are`() throws {
        let call = DeniedCall(
            "open", arguments: [Escaped(String(repeating: "p", count: 1000))], layer: "Landlock",
            remedy: String(repeating: "p", count: 8192),
            backtrace: (0..<64).map { _ in Escaped(String(repeating: "f", count: 500)) })
        let end = Termination(
            .deniedOperation, detail: .deniedCall(call), denials: Array(repeating: call, count: 64))
        let told = try roundTrip(end)
        #expect(told.reason == end.reason && told.detail == end.detail)
    }

    @Test func `an end with too many words is reported with fewer`() throws {
        let call = DeniedCall(
            "socket", layer: "seccomp", backtrace: (0..<64).map { _ in Escaped(String(repeating: "f", count: 500)) })
        let end = Termination(.exited, detail: .exitCode(1), denials: Array(repeating: call, count: 64))
        let told = try roundTrip(end)
        #expect(told.reason == .exited && told.detail == .exitCode(1) && told.denials.count == 16)
    }

    private func roundTrip(_ end: Termination) throws -> Termination {
        let bytes = try DaemonPacket.event(4, .ended(end)).encoded()
        #expect(bytes.count <= ServiceWire.fromDaemon.bytes)
        let packet = try DaemonPacketMessage(decoding: bytes, within: ServiceWire.fromDaemon).packet
        guard case .event(4, .ended(let told)) = packet else { throw DecodingFailure(offset: 0, reason: .missingField) }
        return told
    }

    @Test func `reports, answers and rejections read back unchanged`() throws {
        let report = LaunchReport(
            waited: .microseconds(5), steps: [.init(name: "clone3", duration: .microseconds(7))], layers: ["a", "b"],
            waived: [.init(layer: .landlock, cause: "c", remedy: nil)], policy: "p",
            limits: [.init(name: "memory", bound: "64M", enforcement: .enforced, keeper: "k")], memoryLimit: 1 << 26,
            memory: .watched, privateDirectory: .userOfApp)
        var terms = SessionTerms()
        terms.keepAlive = .seconds(7)
        terms.channel.hostCapacity = 4096
        terms.channel.extensionCapacity = 8192
        terms.channel.mostOpenCalls = 3
        terms.channel.framesPerSecond = 9
        terms.channel.controlMessagesPerSecond = 10
        terms.channel.callLimit = .seconds(3)
        terms.channel.hostArena = 65_536
        terms.channel.extensionArena = 131_072
        terms.channel.largestMessage = 11
        terms.channel.unreadLimit = .seconds(12)
        terms.hasPrivateInput = true
        let team = SigningTeam(name: "é", identifier: "ABC", publicKey: "00", isTrusted: true)
        var offered = InstalledExtension(id: "a.b.c", displayName: "é", extensionPoint: "p", containingApp: "a.b")
        offered.team = team
        offered.summary = "Ü"
        offered.endedGrants = ["a.b", "c"]
        let off = InstalledExtension(
            id: "a.b.d", displayName: "", extensionPoint: "p", containingApp: "a.b", isEnabled: false,
            build: InstalledExtension.Build(version: "1.2", digest: "0a", isPinned: true, otherVersions: ["2", "1"]))
        let rejected = InstalledExtension(
            id: "a.b/e", displayName: "e", extensionPoint: "", containingApp: "a.b",
            rejection: BrokerError(.unsupportedPoint, what: "w", place: "p"))
        let packets: [DaemonPacket] = [
            .welcome(version: 1), .welcome(version: 13, window: 32),
            .rejected(BrokerError(.overQuota, what: "w", place: "p", remedy: "m")), .leaving,
            .changed(7), .answer(1, .done), .answer(1, .claimed(isYours: true)), .answer(1, .claimed(isYours: false)),
            .answer(2, .extensions([offered, off, rejected], isAll: false)),
            .answer(3, .terms(terms)), .answer(3, .trusted(team)), .answer(3, .icon(nil)),
            .answer(3, .icon(FaceWireTests.part)), .answer(3, .attributes(["a": .list([1, "x"])])),
            .answer(4, .failed(BrokerError(.disabled, what: "w", place: "p"))),
            .event(5, .ready(report)), .event(5, .ping), .event(5, .memoryWarning), .event(5, .goodbye),
            .event(5, .endIsNear),
        ]
        for packet in packets {
            let read = try DaemonPacketMessage(decoding: packet.encoded(), within: ServiceWire.fromDaemon).packet
            #expect("\(read)" == "\(packet)")
            // The report's own encoding omits some parts.
            if case .event(_, .ready(let told)) = read { #expect(told == report) }
        }
    }
}
