import Testing

@testable import AnnexDaemon

@Suite struct UserMapTests {
    @Test func `a user map is read as the kernel writes it`() {
        let map = UserMap(text: "         0       1000          1\n         1     100000      65536\nnonsense\n")
        #expect(
            map.ranges == [
                .init(inside: 0, outside: 1000, count: 1), .init(inside: 1, outside: 100_000, count: 65_536),
            ])
        #expect(!map.hasEverybody)
        #expect(UserMap(text: "").ranges.isEmpty && !UserMap(text: "").hasEverybody)
    }

    @Test func `the initial namespace has a number for every user`() {
        #expect(UserMap(text: "         0          0 4294967295\n").hasEverybody)
        #expect(UserMap(text: "0 0 1000\n1000 1000 4294966295\n").hasEverybody)
        #expect(!UserMap(text: "0 0 4294967294\n").hasEverybody)
    }
}
