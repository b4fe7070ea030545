import AnnexBrokerAPI
import AnnexLinux
import Testing

@testable import AnnexBroker

@Suite struct ReportLocationTests {
    private func path(_ place: ReportLocation, user: UInt32 = 1000, _ environment: [String: String]) throws -> String? {
        try place.path(user: user) { environment[$0] }
    }

    @Test func `the standard folder belongs to the user`() throws {
        #expect(try path(.standard, ["HOME": "/home/u"]) == "/home/u/.local/state/annex/reports")
        #expect(try path(.standard, ["HOME": "/home/u", "XDG_STATE_HOME": "/s"]) == "/s/annex/reports")
        #expect(
            try path(.standard, ["HOME": "/home/u", "XDG_STATE_HOME": "s"]) == "/home/u/.local/state/annex/reports")
        #expect(try path(.standard, user: 0, ["HOME": "/root", "XDG_STATE_HOME": "/s"]) == "/var/lib/annex/reports")
    }

    @Test func `a host or a variable can name another folder`() throws {
        #expect(try path(.standard, user: 0, ["ANNEX_REPORTS": "/r"]) == "/r")
        #expect(try path(.standard, ["ANNEX_REPORTS": "", "HOME": "/home/u"]) == nil)
        #expect(try path(.folder("/f"), ["ANNEX_REPORTS": "/r"]) == "/f")
        #expect(try path(.nowhere, ["ANNEX_REPORTS": "/r"]) == nil)
    }

    @Test func `without a home directory there is no standard folder`() {
        #expect(throws: ReportLocation.homeless) { try path(.standard, [:]) }
        #expect(throws: ReportLocation.homeless) { try path(.standard, ["HOME": "relative"]) }
        #expect(throws: SystemError.self) { try path(.standard, ["ANNEX_REPORTS": "relative"]) }
        #expect(throws: SystemError.self) { try path(.folder(""), [:]) }
    }
}
