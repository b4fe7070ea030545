import AnnexChannel
import AnnexBrokerAPI
import Testing

@testable import AnnexHost

/// What a host tells a daemon of its requests, however slowly the daemon reads.
@Suite struct RemoteExtensionTests {
    /// All that there is to say, said at once.
    private func tell(_ known: inout RemoteExtension) -> [ExtensionNotice] {
        var said: [ExtensionNotice] = []
        while let news = known.news {
            said.append(news)
            known.isTold()
        }
        return said
    }

    @Test func eachRequestIsToldByItsNumberInOrder() throws {
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

    @Test func whatBeganAndEndedWithoutRoomIsNotTold() throws {
        var known = try RemoteExtension(HostEndpoint.make().host) { _ in }
        for request in 1...5000 as ClosedRange<UInt64> {
            known.began(request)
            if request != 70 { known.ended(request) }
        }
        #expect(tell(&known) == [.requestBegan(70)])
    }

    @Test func noMoreAreToldThanADaemonTakes() throws {
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
