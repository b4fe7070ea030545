import Testing

@testable import AnnexNames

/// The broker connects programs only to other machines. So it must recognize every spelling of this machine's
/// addresses.
@Suite struct InternetAddressTests {
    private static func four(_ host: [UInt8], port: UInt16 = 80) -> InternetAddress {
        InternetAddress(host: host, port: port)
    }

    private static func six(_ groups: [UInt16]) -> InternetAddress {
        InternetAddress(host: groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, port: 80)
    }

    @Test(
        arguments: [
            [0, 0, 0, 0], [0, 1, 2, 3], [127, 0, 0, 1], [127, 255, 255, 254], [169, 254, 169, 254], [169, 254, 0, 1],
            [224, 0, 0, 1], [239, 1, 2, 3], [240, 0, 0, 1], [255, 255, 255, 255], [100, 100, 100, 200],
        ] as [[UInt8]])
    func `NET-03: no program connects to an address of this machine or to none at all`(host: [UInt8]) {
        #expect(Self.four(host).barrier != nil)
        let zero = [UInt8](repeating: 0, count: 10)
        // The same address inside an IPv6 address: mapped, translated, or tunnelled.
        for spelled in [
            zero + [0xFF, 0xFF] + host, [0, 0x64, 0xFF, 0x9B] + zero.prefix(8) + host, [0x20, 0x02] + host + zero,
        ] {
            #expect(InternetAddress(host: spelled, port: 80).barrier != nil, "\(spelled)")
        }
    }

    @Test(
        arguments: [
            [1, 1, 1, 1], [10, 0, 0, 1], [172, 17, 0, 1], [192, 168, 1, 1], [126, 0, 0, 1], [128, 0, 0, 1],
            [169, 253, 1, 1],
            [223, 255, 255, 254],
        ] as [[UInt8]])
    func `addresses of other machines have no barrier of their own`(host: [UInt8]) {
        #expect(Self.four(host).barrier == nil)
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + host
        #expect(InternetAddress(host: mapped, port: 80).barrier == nil)
    }

    @Test func `NET-03: addresses of IPv6 for this machine, the link and groups are barred`() {
        for (groups, isBarred) in [
            ([0, 0, 0, 0, 0, 0, 0, 0], true), ([0, 0, 0, 0, 0, 0, 0, 1], true), ([0, 0, 0, 0, 0, 0, 0x7F00, 1], true),
            ([0xFE80, 0, 0, 0, 0, 0, 0, 1], true), ([0xFEBF, 0, 0, 0, 0, 0, 0, 1], true),
            ([0xFF02, 0, 0, 0, 0, 0, 0, 1], true), ([0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x254], true),
            ([0x2001, 0xDB8, 0, 0, 0, 0, 0, 1], false), ([0xFD77, 0, 0, 0, 0, 0, 0, 1], false),
        ] as [([UInt16], Bool)] {
            #expect((Self.six(groups).barrier != nil) == isBarred, "\(groups)")
        }
    }

    @Test func `an address is read as the kernel reads it`() throws {
        let four: [UInt8] = [2, 0, 0x1F, 0x90, 192, 0, 2, 7, 1, 2, 3, 4, 5, 6, 7, 8]
        let address = try #require(InternetAddress(four))
        #expect(address.port == 8080 && address.text == "192.0.2.7:8080")
        // The kernel reads no more bytes than its structure has.
        #expect(try #require(InternetAddress(four + [9, 9])).bytes.count == 16)
        let six: [UInt8] = [10, 0, 0, 80, 0, 0, 0, 0, 0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        #expect(try #require(InternetAddress(six)).text == "[2001:db8:0:0:0:0:0:1]:80")
        #expect(try #require(InternetAddress(six)).bytes.count == 28)
    }

    @Test func `no bytes of a program trap the reader of addresses`() {
        for length in 0...InternetAddress.longest {
            for family: UInt8 in [0, 1, 2, 10, 16, 255] {
                for fill: UInt8 in [0, 1, 0x64, 0xFF] {
                    var bytes = [UInt8](repeating: fill, count: length)
                    if length > 0 { bytes[0] = family }
                    if length > 1 { bytes[1] = 0 }
                    let address = InternetAddress(bytes)
                    let isWhole = family == 2 && length >= 16 || family == 10 && length >= 24
                    #expect((address != nil) == isWhole, "\(family), \(length)")
                    _ = address?.barrier
                    _ = address?.embedded?.text
                }
            }
        }
    }

    @Test func `the kernel names the own addresses of this machine and no other`() {
        #expect(OwnAddresses.include(Self.four([127, 0, 0, 1])))
        #expect(OwnAddresses.include(Self.four([127, 9, 9, 9])))
        #expect(!OwnAddresses.include(Self.four([192, 0, 2, 77])))
    }
}
