import AnnexBrokerAPI
import AnnexChannel
import AnnexHost
import AnnexLinux
import AnnexModel
import Testing

/// Icons and attributes between daemon and host. A host joins the parts of an icon, but it trusts no number in the
/// parts.
@Suite(.timeLimit(.minutes(20))) struct FaceWireTests {
    static let part = part(Array(1...9), of: 9)
    static let attributes: [String: ItemValue] = [
        "a": .list(["x", 1, true, 0.5]), "b": .dictionary(["c": .data([1])]), "": .dictionary([:]),
    ]

    private static func part(
        _ bytes: [UInt8], of size: UInt64, digest: UInt8 = 7, width: UInt32 = 2, height: UInt32 = 3
    ) -> IconPart {
        IconPart(width: width, height: height, isTemplate: true, size: size, digest: [digest], bytes: bytes)
    }

    @Test func `P6: a cut answer with an icon or attributes is not another answer`() throws {
        for answer in [ServiceAnswer.icon(Self.part), .icon(nil), .attributes(Self.attributes)] {
            let bytes = try DaemonPacket.answer(.max, answer).encoded()
            for length in 0..<bytes.count {
                #expect(throws: DecodingFailure.self) {
                    try DaemonPacketMessage(decoding: Array(bytes.prefix(length)), within: ServiceWire.fromDaemon)
                }
            }
        }
    }

    @Test func `P6: the parts of an icon are joined in order`() {
        var assembly = IconAssembly()
        #expect(assembly.add(Self.part([1, 2], of: 5)) == .next(2))
        #expect(assembly.add(Self.part([3], of: 5)) == .next(3))
        let whole = IconPicture(bytes: [1, 2, 3, 4, 5], width: 2, height: 3, isTemplate: true)
        #expect(assembly.add(Self.part([4, 5], of: 5)) == .complete(whole))
    }

    @Test func `P6: the parts of two icons are never joined`() {
        for other in [
            Self.part([3], of: 5, digest: 8), Self.part([3], of: 6), Self.part([3], of: 5, width: 3),
            Self.part([3], of: 5, height: 2), Self.part([], of: 2),
        ] {
            var assembly = IconAssembly()
            #expect(assembly.add(Self.part([1, 2], of: 5)) == .next(2))
            #expect(assembly.add(other) == .changed, "\(other)")
        }
    }

    @Test func `P6: a part that no icon can have is refused`() {
        let large = ServiceWire.largestIcon
        for bad in [
            Self.part([], of: 0), Self.part([1], of: 0), Self.part([], of: 5), Self.part([1, 2, 3], of: 2),
            Self.part([1], of: large + 1), Self.part([1], of: .max), Self.part([1], of: 5, width: 0),
            Self.part([1], of: 5, height: 1 << 31), Self.part([1], of: 5, width: .max),
        ] {
            var assembly = IconAssembly()
            #expect(assembly.add(bad) == .malformed, "\(bad)")
        }
        var assembly = IconAssembly()
        #expect(assembly.add(Self.part([1, 2, 3], of: 5)) == .next(3))
        #expect(assembly.add(Self.part([1, 2, 3], of: 5)) == .malformed)
    }

    @Test func `P6: an icon lies in memory that nothing can change`() throws {
        let icon = try ExtensionIcon(IconPicture(bytes: [1, 2, 3], width: 1, height: 1, isTemplate: false))
        #expect(try icon.bytes() == [1, 2, 3] && icon.byteCount == 3)
        #expect(try icon.file.seals().isSuperset(of: .immutable))
        #expect(try icon.file.readSome(atMost: 9) == [1, 2, 3], "reading begins at the start")
    }

    @Test func `A4: attributes that do not fit in a packet are found`() throws {
        #expect(ServiceWire.carries(attributes: Self.attributes))
        let bytes = try DaemonPacket.answer(1, .attributes(Self.attributes)).encoded()
        let read = try DaemonPacketMessage(decoding: bytes, within: ServiceWire.fromDaemon).packet
        guard case .answer(1, .attributes(Self.attributes)) = read else {
            Issue.record("\(read)")
            return
        }
        #expect(!ServiceWire.carries(attributes: ["a": .string(String(repeating: "x", count: 160 << 10))]))
        #expect(!ServiceWire.carries(attributes: ["a": .list(Array(repeating: true, count: 9_000))]))
        func nested(_ depth: Int) -> ItemValue { depth == 0 ? 1 : .dictionary(["a": nested(depth - 1)]) }
        #expect(ServiceWire.carries(attributes: ["a": nested(16)]))
        #expect(!ServiceWire.carries(attributes: ["a": nested(40)]))
    }
}

/// The languages of a user, as the environment states them.
@Suite(.timeLimit(.minutes(20))) struct UserLanguagesTests {
    private func languages(_ environment: [String: String]) -> [String] {
        UserLanguages.preferred { environment[$0] }
    }

    @Test func `P6: the first variable that is set names the locale`() {
        #expect(languages(["LANG": "de_AT.UTF-8"]) == ["de_AT"])
        #expect(languages(["LANG": "de_AT", "LC_MESSAGES": "fr_FR@euro"]) == ["fr_FR"])
        #expect(languages(["LANG": "de_AT", "LC_MESSAGES": "fr", "LC_ALL": "pt_BR"]) == ["pt_BR"])
        #expect(languages(["LANG": "de_AT", "LC_ALL": ""]) == ["de_AT"])
        #expect(languages([:]) == [] && languages(["LANG": "C.UTF-8"]) == [])
    }

    @Test func `P6: the list of languages comes before the locale`() {
        #expect(languages(["LANG": "de_AT.UTF-8", "LANGUAGE": "fr:pt_BR:fr"]) == ["fr", "pt_BR", "de_AT"])
        #expect(languages(["LANG": "C.UTF-8", "LANGUAGE": "fr"]) == ["fr"])
        #expect(languages(["LANGUAGE": "fr"]) == ["fr"])
        for locale in ["C", "POSIX"] { #expect(languages(["LC_ALL": locale, "LANGUAGE": "fr"]) == []) }
    }

    @Test func `P6: what names no language is left out, and the list is bounded`() {
        let long = String(repeating: "x", count: 65)
        #expect(languages(["LANGUAGE": "::e:\(long):d e:\u{1B}[0m:ü1:en", "LANG": "../../etc"]) == ["en"])
        let many = (10...99).map { "l\($0)" }
        #expect(languages(["LANGUAGE": many.joined(separator: ":"), "LANG": "de"]) == Array(many.prefix(32)))
    }
}
