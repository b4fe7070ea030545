import AnnexBrokerAPI
import AnnexChannel
import Testing

@testable import AnnexHost

/// A host's reports about its requests to a daemon. They must be correct even if the daemon reads slowly.
@Suite struct RemoteExtensionTests {
    /// All pending reports, sent at once.
    private func tell(_ known: inout RemoteExtension) -> [ExtensionNotice] {
        var said: [ExtensionNotice] = []
        while let news = known.news {
            said.append(news)
            known.markReported()
        }
        return said
    }

    @Test func `each request is reported by its number in order`() throws {
        var known = try RemoteExtension(HostEndpoint.make().host) { _ in }
        #expect(known.news == nil)
        known.began(3)
        known.began(4)
        #expect(tell(&known) == [.requestBegan(3), .requestBegan(4)])
        known.ended(4)
        known.began(5)
        #expect(tell(&known) == [.requestEnded(4), .requestBegan(5)])
        known.ended(3)
        known.ended(5)
        #expect(tell(&known) == [.requestEnded(3), .requestEnded(5)])
    }

    @Test func `a request that began and ended without room is not reported`() throws {
        var known = try RemoteExtension(HostEndpoint.make().host) { _ in }
        for request in 1...5000 as ClosedRange<UInt64> {
            known.began(request)
            if request != 70 { known.ended(request) }
        }
        #expect(tell(&known) == [.requestBegan(70)])
    }

    @Test func `no more open requests are reported than a daemon takes`() throws {
        var known = try RemoteExtension(HostEndpoint.make().host) { _ in }
        let most = UInt64(ServiceWire.mostOpenRequests)
        for request in 1...most + 2 { known.began(request) }
        #expect(tell(&known).count == ServiceWire.mostOpenRequests)
        known.ended(2)
        #expect(tell(&known) == [.requestEnded(2), .requestBegan(most + 1)])
        known.ended(most + 2)
        #expect(known.news == nil)
    }
}
