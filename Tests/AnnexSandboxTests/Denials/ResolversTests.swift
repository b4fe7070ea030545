import AnnexNames
import Testing

@testable import AnnexLaunch

/// A program that may connect to other machines may also ask the machine's own name server.
@Suite struct ResolversTests {
    @Test func `the resolvers of names are the first three of their file`() {
        let text = """
            # nameserver 9.9.9.9
            search example.org
            nameserver 127.0.0.53
            nameserver\t2001:db8::1  # a comment
             nameserver  10.0.0.1
            nameserver not.an.address
            nameserver 10.0.0.2
            nameserver 10.0.0.3
            """
        let hosts = Resolvers.hosts(in: text)
        #expect(hosts.count == 3 && hosts[0] == [127, 0, 0, 53] && hosts[1].count == 16)
        #expect(Resolvers.hosts(in: "").isEmpty)
        // At the address of a resolver, only the port for name queries is allowed.
        #expect(!Resolvers.include(InternetAddress(host: [127, 0, 0, 1], port: 5432)))
    }
}
