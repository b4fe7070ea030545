import AnnexPolicy
import AnnexTestSupport
import Testing

@testable import AnnexNames

/// Questions for names, written by a program that would like to confuse its resolver.
@Suite struct NameQueryTests {
    private static func question(_ name: String, type: UInt16 = 1, id: UInt16 = 0x1234) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(id >> 8), UInt8(id & 0xFF), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for label in name.split(separator: ".") { bytes += [UInt8(label.utf8.count)] + Array(label.utf8) }
        bytes += [0, UInt8(type >> 8), UInt8(type & 0xFF), 0, 1]
        return bytes
    }

    private static func code(_ answer: [UInt8]) -> UInt8 { answer[3] & 0xF }
    private static func answers(_ answer: [UInt8]) -> Int { Int(answer[6]) << 8 | Int(answer[7]) }

    @Test func `a question is answered with its own letters and the addresses of its kind`() throws {
        let asked = Self.question("CoDe.example.ORG")
        let query = try NameQuery(asked)
        #expect(query.name.text == "code.example.org" && query.kind == .addresses(.four) && query.id == 0x1234)
        let six = [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [9]
        let answer = query.message(.addresses([[192, 0, 2, 7], six]))
        #expect(Array(answer[..<2]) == [0x12, 0x34] && answer[2] == 0x81 && answer[3] == 0x80)
        #expect(Self.answers(answer) == 1 && Array(answer[12..<asked.count]) == Array(asked[12...]))
        #expect(answer.suffix(4) == [192, 0, 2, 7])
        let other = try NameQuery(Self.question("code.example.org", type: 28))
        #expect(other.message(.addresses([[192, 0, 2, 7], six])).suffix(16) == six[...])
    }

    @Test func `a name without an address of the kind exists, and a refused one does not`() throws {
        let query = try NameQuery(Self.question("a.example", type: 28))
        let none = query.message(.addresses([[192, 0, 2, 7]]))
        #expect(Self.code(none) == 0 && Self.answers(none) == 0)
        #expect(Self.code(query.message(.noSuchName)) == 3 && Self.code(query.message(.failed)) == 2)
        let service = try NameQuery(Self.question("a.example", type: 65))
        #expect(service.kind == .other(65) && Self.answers(service.message(.addresses([[192, 0, 2, 7]]))) == 0)
    }

    @Test func `a hundred addresses fill the room that the program has, and no more`() throws {
        let many = (1...100).map { [192, 0, 2, UInt8($0)] as [UInt8] }
        let small = try NameQuery(Self.question("a.example")).message(.addresses(many))
        #expect(small.count <= 512 && Self.answers(small) > 20)
        // The additional record of a program that takes 4,096 bytes.
        var large = Self.question("a.example")
        large[11] = 1
        large += [0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0]
        let answer = try NameQuery(large).message(.addresses(many))
        #expect(answer.count <= 1_232 && Self.answers(answer) > 60)
    }

    @Test(
        arguments: [
            [], [0], [UInt8](repeating: 0, count: 12), question("a.example").dropLast().map { $0 },
            // Two questions, an answer, a pointer in place of a name, another class, an update.
            question("a.example").enumerated().map { $0 == 5 ? 2 : $1 },
            question("a.example").enumerated().map { $0 == 7 ? 1 : $1 },
            question("a.example").enumerated().map { $0 == 12 ? 0xC0 : $1 },
            question("a.example").dropLast().map { $0 } + [3],
            question("a.example").enumerated().map { $0 == 2 ? 0x28 : $1 },
        ] as [[UInt8]])
    func `a message that is no plain question gets no address`(message: [UInt8]) {
        let mistake = #expect(throws: NameQuery.Mistake.self) { try NameQuery(message) }
        if case .unreadable(let answer) = mistake {
            #expect(answer.count == 12 && Self.answers(answer) == 0 && Self.code(answer) != 0)
        }
    }

    @Test func `an answer is never answered`() {
        var answer = Self.question("a.example")
        answer[2] |= 0x80
        #expect(throws: NameQuery.Mistake.noQuestion) { try NameQuery(answer) }
    }

    @Test func `a dot inside a label makes no other name of it`() {
        var question = Self.question("a.example")
        question.replaceSubrange(12..<14, with: [3, UInt8(ascii: "a"), UInt8(ascii: "."), UInt8(ascii: "b")])
        #expect(throws: NameQuery.Mistake.self) { try NameQuery(question) }
    }

    @Test func `no changed byte traps the reader`() {
        var random = SeededRandom(seed: SeededRandom.fresh())
        let good = Self.question("code.example.org")
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            guard let query = try? NameQuery(bytes) else { continue }
            #expect(query.message(.addresses([[192, 0, 2, 7]])).count <= 1_232)
        }
    }
}
