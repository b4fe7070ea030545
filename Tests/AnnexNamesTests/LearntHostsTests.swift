import AnnexPolicy
import Testing

@testable import AnnexNames

/// The machines that a recorded program reached.
@Suite struct LearntHostsTests {
    @Test func `a machine gets the names that the program asked for, and its address if it has none of them`() throws {
        var recording = Recording()
        for name in ["code.example.org", "www.code.example.org", "other.example"] {
            recording.add(question: try HostName(name))
        }
        for (address, port) in [([192, 0, 2, 7], 443), ([192, 0, 2, 7], 80), ([192, 0, 2, 9], 22)]
            as [([UInt8], UInt16)]
        {
            recording.add(address: .connected(HostRule(.address(address), port: port)))
        }
        let rules = LearntHosts.rules(of: recording) { name in
            name.text.hasSuffix("code.example.org") ? .addresses([[192, 0, 2, 7], [192, 0, 2, 8]]) : .noSuchName
        }
        #expect(
            rules.map(\.description) == [
                "192.0.2.9:22", "code.example.org:443", "code.example.org:80", "www.code.example.org:443",
                "www.code.example.org:80",
            ])
    }
}
