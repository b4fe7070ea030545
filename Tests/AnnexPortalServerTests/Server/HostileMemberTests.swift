import AnnexLinux
import AnnexMessages
import AnnexPortal
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexPortalServer

/// A member that sends messages that no library would send.
@Suite(.timeLimit(.minutes(20))) struct HostileMemberTests {
    private let fixture: GroupFixture
    private let member: RawMember

    init() throws {
        fixture = try GroupFixture()
        member = try RawMember(of: fixture.openGroup())
    }

    /// Waits until the broker has ended the portal. Returns the rule that the broker names.
    private func ending() async throws -> [String] {
        while try await member.answer() != nil {}
        await eventually { !member.violations.isEmpty }
        return member.violations
    }

    @Test func `bytes that are no message end the portal`() async throws {
        try await member.send([1, 2, 3])
        #expect(try await ending() == ["a request that is no message"])
    }

    @Test func `IPC-10: an empty message ends the portal as a violation`() async throws {
        try await member.send([])
        #expect(try await ending() == ["a request that is no message"])
    }

    @Test func `random bytes end the portal or get an error and nothing else`() async throws {
        var random = SeededRandom(seed: 20_261_126)
        for _ in 0..<200 {
            let other = try RawMember(of: fixture.openGroup())
            let valid = try PortalRequest(
                call: 1, method: DefaultsMethod.change, group: GroupFixture.identifier, body: [1, 2, 3, 4]
            ).encoded()
            var bytes = valid
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            try await other.send(bytes)
            // If the number of a request became 0, the request gets no answer. The next request gets an answer, unless
            // the portal has ended.
            try? await other.send(GroupMethod.list, call: 99)
            while let answer = try await other.answer(), answer.call != 99 { #expect(answer.error != nil) }
        }
    }

    @Test func `a request that is too large ends the portal`() async throws {
        try await member.send([UInt8](repeating: 0, count: PortalRequest.mostBytes + 1))
        #expect(try await ending() == ["a request of more than \(PortalRequest.mostBytes) bytes"])
    }

    @Test func `a member that floods its portal waits, and the others do not`() async throws {
        async let flood: Void = { [member] in
            for _ in 0..<5 * PortalBudget.perPeriod { try await member.send(GroupMethod.list, call: 0) }
        }()
        let other = try RawMember(of: fixture.openGroup())
        for call in 1...100 {
            try await other.send(GroupMethod.list, call: UInt64(call))
            #expect(try await other.answer()?.call == UInt64(call))
        }
        try await flood
        // In the end, the broker reads all requests.
        try await member.send(GroupMethod.list, call: 8)
        #expect(try await member.answer()?.call == 8)
        #expect(member.violations == [])
    }

    @Test func `a member that reads no answer is ended and named`() async throws {
        // Each answer is larger than its request, so the answers fill the queue first.
        let group = try fixture.openGroup()
        _ = try group.withStore { (store) throws(StoreError) in
            try store.change([DefaultsEntry(key: "large", value: [UInt8](repeating: 1, count: 30 << 10))])
        }
        for call in 1...60 { try await member.send(DefaultsMethod.snapshot, call: UInt64(call)) }
        await eventually { !member.violations.isEmpty }
        #expect(member.violations == ["unread answers"])
    }

    @Test func `an unknown service, method or group is an error with a remedy`() async throws {
        try await member.send(
            PortalRequest(call: 1, method: GroupMethod.list, group: "", body: []).with(service: 99).encoded())
        #expect(try await member.answer()?.error?.code == .unavailable)
        try await member.send(PortalMethod(.defaults, number: 999))
        #expect(try await member.answer()?.error?.code == .invalid)
        try await member.send(DefaultsMethod.snapshot, group: "group.com.example.other")
        let stranger = try await member.answer()?.error
        #expect(stranger?.code == .notMember && stranger?.remedy != nil)
        try await member.send(DefaultsMethod.snapshot, group: "")
        #expect(try await member.answer()?.error?.code == .invalid)
    }

    @Test func `an entitlement is checked at each request`() async throws {
        try await member.send(DefaultsMethod.snapshot)
        #expect(try await member.answer()?.error == nil)
        member.revoke()
        try await member.send(DefaultsMethod.snapshot)
        #expect(try await member.answer()?.error?.code == .notAllowed)
    }

    @Test func `a message without a number gets no answer`() async throws {
        try await member.send(DefaultsMethod.snapshot, call: 0)
        try await member.send(GroupMethod.list, call: 7)
        #expect(try await member.answer()?.call == 7)
    }
}

extension PortalRequest {
    /// The same bytes with the number of another service.
    fileprivate func with(service: UInt16) throws -> OtherService { OtherService(request: self, service: service) }

    fileprivate struct OtherService: Message {
        let request: PortalRequest
        let service: UInt16

        init(request: PortalRequest, service: UInt16) {
            self.request = request
            self.service = service
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(request.call, as: 1)
            encoder.encode(service, as: 2)
            encoder.encode(request.method, as: 3)
            encoder.encode(request.group, as: 4)
            encoder.encode(request.body, as: 5)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            request = try PortalRequest(from: &decoder)
            service = request.service
        }
    }
}
