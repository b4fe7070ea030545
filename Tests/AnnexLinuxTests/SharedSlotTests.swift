import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexLinux

/// Memory that a process publishes, and the behaviour of its readers if the contents are false.
@Suite(.timeLimit(.minutes(20))) struct SharedSlotTests {
    private let layout = SlotLayout(name: "annex-test-slots", magic: 7, version: 3, slotSize: 64, slots: 4)
    private let text = SlotLayout.Text(offset: 32, size: 16)

    private func header(_ used: UInt64, magic: UInt32 = 7) -> [UInt8] {
        let words = [magic, 3, 64, 4].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        return words + (0..<8).map { UInt8(truncatingIfNeeded: used >> ($0 * 8)) }
    }

    @Test func `a slot can be read while its owner lives`() throws {
        func own() throws -> [SlotCopy] { try SlotCopy.all(layout, of: getpid()) }
        #expect(try own().isEmpty)
        do {
            let first = SharedSlot(layout, texts: [(text, "first")])
            let second = SharedSlot(layout, texts: [(text, String(repeating: "é", count: 20))])
            second.store(.max, in: 2)
            let found = try own()
            #expect(found.map(\.number) == [first.number, second.number] && found.allSatisfy { $0.takenAt > 0 })
            #expect(found.map { $0.word(2) } == [0, .max])
            #expect(found[0].text(text) == "first" && found[1].text(text).hasPrefix("ééééééé"))
        }
        #expect(try own().isEmpty)
        // The place is used again, but the number is not.
        let third = SharedSlot(layout, texts: [])
        #expect(third.number == 3)
        #expect(try own().map { $0.word(2) } == [0])
    }

    @Test func `a slot without room works and stays invisible`() throws {
        let full = SlotLayout(name: "annex-test-full", magic: 7, version: 3, slotSize: 64, slots: 1)
        let first = SharedSlot(full, texts: [])
        let second = SharedSlot(full, texts: [])
        second.store(5, in: 2)
        #expect(second.number == 0)
        #expect(try SlotCopy.all(full, of: getpid()).map(\.number) == [first.number])
    }

    @Test func `a process with too many descriptors is not searched`() throws {
        let few = SlotLayout(name: "annex-test-few", magic: 7, version: 3, slotSize: 64, slots: 1)
        let slot = SharedSlot(few, texts: [])
        var most = 2
        #expect(throws: SystemError.self) { try SlotCopy.all(few, of: getpid(), atMost: &most) }
        #expect(most == 0)
        most = 1 << 20
        #expect(try SlotCopy.all(few, of: getpid(), atMost: &most).map(\.number) == [slot.number])
        #expect(most > 0 && most < 1 << 20)
    }

    @Test(arguments: [0, 1, 4, 5, 1 << 32, UInt64.max]) func `a false count in a header is bounded`(used: UInt64) throws
    {
        var asked = 0
        let found = SlotCopy.all(layout, header: header(used)) { count in
            asked = count
            return [UInt8](repeating: 1, count: count)
        }
        #expect(asked == Int(min(used, 4)) * 64 && found?.count == Int(min(used, 4)))
    }

    @Test func `a file without a valid header is no slot file`() {
        #expect(SlotCopy.all(layout, header: header(1, magic: 8)) { _ in [] } == nil)
        #expect(SlotCopy.all(layout, header: header(1).dropLast()) { _ in [] } == nil)
        #expect(SlotCopy.all(layout, header: []) { _ in [] } == nil)
        #expect(SlotCopy.all(layout, header: header(1)) { _ in nil } == nil)
    }

    /// A file may end anywhere and contain any bytes.
    @Test func `any bytes in a slot can be read`() {
        var random = SeededRandom(seed: 5)
        for length in 0..<300 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
            let found = SlotCopy.all(layout, header: header(.max)) { Array(bytes.prefix($0)) } ?? []
            for copy in found {
                #expect(copy.text(text).utf8.count <= 16 * 3)
                _ = (copy.word(-1), copy.word(7), copy.word(8), copy.word(1 << 40), copy.takenAt)
            }
        }
    }

    @Test func `another file of the same name is not read`() throws {
        let impostor = try Descriptor.memfd("annex-test-odd", size: 10)
        let odd = SlotLayout(name: "annex-test-odd", magic: 7, version: 3, slotSize: 64, slots: 4)
        #expect(try SlotCopy.all(odd, of: getpid()).isEmpty)
        _ = consume impostor
    }
}
