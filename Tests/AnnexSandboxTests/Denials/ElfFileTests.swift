import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

@Suite struct ElfFileTests {
    private static func file(_ bytes: [UInt8]) -> ElfFile? {
        ElfFile { offset, count in
            guard let start = Int(exactly: offset), start < bytes.count else { return [] }
            return Array(bytes[start..<min(bytes.count, start + min(count, bytes.count - start))])
        }
    }

    private static func fixture() throws -> [UInt8] {
        try Array(Data(contentsOf: WardenFixture.fixture.deletingLastPathComponent().appending(path: "asks-for-much")))
    }

    @Test func `the functions of a program are found by address`() throws {
        let elf = try #require(Self.file(Self.fixture()))
        let table = try #require(elf.symbols)
        #expect(table.count > 100)
        // The program's own entry point lies in a loaded segment, and `main` lies in a function of that name.
        let start = try #require(elf.segments.first)
        #expect(elf.address(ofByteAt: start.offset) == start.address)
        let main = try #require(Self.address(of: "main", in: elf))
        let found = elf.functions(at: [main, main + 4, 1])
        #expect(found[main].map { String(decoding: $0.name, as: UTF8.self) } == "main")
        #expect(found[main + 4]?.address == main)
        #expect(found[1] == nil)
    }

    private static func address(of name: String, in elf: ElfFile) -> UInt64? {
        guard let table = elf.symbols else { return nil }
        for index in 0..<table.count {
            let entry = LittleEndian(elf.read(at: table.offset + UInt64(index * 24), count: 24))
            guard let place = entry.number(UInt32.self, at: 0), let kind = entry.number(UInt8.self, at: 4),
                kind & 15 == 2
            else { continue }
            let text = elf.read(at: table.names + UInt64(place), count: 64).prefix { $0 != 0 }
            if Array(text) == Array(name.utf8) { return entry.number(UInt64.self, at: 8) }
        }
        return nil
    }

    @Test(arguments: [[], [0x7F], Array("#!/bin/sh\n".utf8), [0x7F, 0x45, 0x4C, 0x46, 1, 1]] as [[UInt8]])
    func `bytes that are no program give no ELF file`(bytes: [UInt8]) {
        #expect(Self.file(bytes) == nil)
    }

    @Test func `a stripped program has no names but its places`() throws {
        var bytes = try Self.fixture()
        // The file gets no section headers.
        for index in 40..<48 { bytes[index] = 0 }
        let elf = try #require(Self.file(bytes))
        #expect(elf.symbols == nil && !elf.segments.isEmpty)
        #expect(elf.functions(at: [1, 2, 3]).isEmpty)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `DEPUTY-07: a mangled program gives names or none`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let whole = try Self.fixture()
        let original = try #require(Self.file(whole))
        let table = try #require(original.symbols)
        let places: [UInt64] = (0..<64).map { _ in .random(in: 0...0x60_0000, using: &random) } + [0, .max, .max - 1]
        for _ in 0..<8 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                // The reader reads only the headers, the section headers at the end, and the table of symbols.
                let regions = [
                    0..<512, max(0, bytes.count - 4096)..<bytes.count, Int(table.offset)..<Int(table.offset) + 2400,
                ]
                guard let region = regions.randomElement(using: &random) else { return }
                bytes[Int.random(in: region, using: &random)] =
                    [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            guard let elf = Self.file(bytes) else { continue }
            for place in places { _ = elf.address(ofByteAt: place) }
            for function in elf.functions(at: places).values { #expect(function.name.count <= ElfFile.longestName) }
        }
    }

    @Test func `DEPUTY-07: functions that all claim every address cost a bounded time`() {
        var bytes = [UInt8](repeating: 0, count: 64 + 128 + 24 * 20_000 + 16)
        bytes.replaceSubrange(0..<6, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
        func put(_ value: UInt64, _ width: Int, at place: Int) {
            for index in 0..<width { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (index * 8)) }
        }
        put(64, 8, at: 40)
        put(64, 2, at: 58)
        put(2, 2, at: 60)
        put(2, 4, at: 64 + 4)
        put(192, 8, at: 64 + 24)
        put(24 * 20_000, 8, at: 64 + 32)
        put(1, 4, at: 64 + 40)
        put(24, 8, at: 64 + 56)
        put(192 + 24 * 20_000, 8, at: 128 + 24)
        put(16, 8, at: 128 + 32)
        for index in 0..<20_000 {
            put(1, 4, at: 192 + index * 24)
            put(2, 1, at: 192 + index * 24 + 4)
            put(1, 2, at: 192 + index * 24 + 6)
            put(.max, 8, at: 192 + index * 24 + 16)
        }
        bytes[192 + 24 * 20_000 + 1] = 0x41
        let elf = Self.file(bytes)
        #expect(elf?.symbols?.count == 20_000)
        let found = elf?.functions(at: (0..<4_096).map { UInt64($0) })
        #expect(found?[0].map(\.name) == [0x41])
    }
}
