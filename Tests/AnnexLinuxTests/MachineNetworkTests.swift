import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

struct MachineNetworkTests {
    /// Whether the system lists an interface with an address, beside the loopback one.
    private var isListed: Bool {
        let four = (try? String(contentsOfFile: "/proc/net/fib_trie", encoding: .utf8)) ?? ""
        let hosts = four.components(separatedBy: "|-- ").dropFirst().compactMap { entry -> Substring? in
            entry.contains("/32 host LOCAL") ? entry.prefix { !$0.isWhitespace } : nil
        }
        let six = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)) ?? ""
        let global = six.split(separator: "\n").contains { !$0.hasPrefix("fe80") && !$0.hasSuffix(" lo") }
        return hosts.contains { !$0.hasPrefix("127.") } || global
    }

    @Test func `a network is there only if the kernel lists an address beside the loopback one`() {
        // An interface without a cable has an address too.
        #expect(!MachineNetwork.isThere || isListed)
    }

    @Test func `news of changes can be awaited, and read to their end`() throws {
        let changes = try MachineNetwork.changes()
        MachineNetwork.drain(changes)
        #expect(changes.number >= 0)
    }
}
