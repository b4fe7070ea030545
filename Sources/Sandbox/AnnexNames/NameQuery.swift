package import AnnexPolicy

/// A question to a name server (RFC 1035): one name, and the kind of record that is asked for.
///
/// The bytes come from the program in the sandbox. Only what an ordinary resolver of names sends is read.
package struct NameQuery: Sendable, Hashable {
    /// What is asked about the name.
    package enum Kind: Sendable, Hashable {
        /// Addresses of IPv4 (record A) or of IPv6 (record AAAA).
        case addresses(AddressFamily)
        /// Anything else. There is no answer to it, but the name exists or does not exist.
        case other(UInt16)
    }

    package enum AddressFamily: Sendable, Hashable { case four, six }

    /// The number by which the program recognizes the answer.
    package let id: UInt16
    package let name: HostName
    package let kind: Kind
    /// The question as it was asked. The answer repeats it, because programs compare its letters.
    private let question: [UInt8]
    /// The longest answer that the program takes, in bytes.
    private let room: Int

    /// The shortest and the longest room for an answer.
    private static let (least, most) = (512, 1_232)
    private static let header = 12

    /// Why a message is not answered, or answered with an error.
    package enum Mistake: Error, Sendable, Hashable {
        /// The message is no question. It gets no answer, as an answer could begin an exchange without end.
        case noQuestion
        /// The message is a question that cannot be read. The answer says so.
        case unreadable(answer: [UInt8])
    }

    package init(_ message: [UInt8]) throws(Mistake) {
        guard message.count >= Self.header, message.count <= Self.most, message[2] & 0x80 == 0 else {
            throw .noQuestion
        }
        let id = UInt16(message[0]) << 8 | UInt16(message[1])
        let isStandard = message[2] & 0x78 == 0
        guard isStandard, Self.number(message, at: 4) == 1, Self.number(message, at: 6) == 0,
            let (labels, end) = Self.labels(in: message), Self.number(message, at: end + 2) == 1,
            let type = Self.number(message, at: end), let name = try? HostName(labels)
        else {
            let code: NameAnswer.Code = isStandard ? .formatError : .notImplemented
            throw .unreadable(answer: Self.header(id, flags: message[2], code: code, questions: 0, answers: 0))
        }
        self.id = id
        self.name = name
        kind =
            switch type {
            case 1: .addresses(.four)
            case 28: .addresses(.six)
            default: .other(type)
            }
        question = Array(message[Self.header..<(end + 4)])
        recursionFlag = message[2] & 1
        room = Self.room(stated: message, at: end + 4)
    }

    /// Whether the program asked for recursion. The answer repeats this bit.
    private let recursionFlag: UInt8

    private static func number(_ message: [UInt8], at place: Int) -> UInt16? {
        guard place + 1 < message.count else { return nil }
        return UInt16(message[place]) << 8 | UInt16(message[place + 1])
    }

    /// The name of the question, and the place behind it. A question has no pointers to other names.
    private static func labels(in message: [UInt8]) -> (String, end: Int)? {
        var (place, bytes) = (header, [UInt8]())
        while place < message.count, bytes.count <= 255 {
            let count = Int(message[place])
            place += 1
            if count == 0 { return (String(decoding: bytes, as: UTF8.self), place) }
            guard count <= 63, place + count <= message.count else { return nil }
            let label = message[place..<(place + count)]
            // A dot inside a label would make two labels of it.
            guard label.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: ".") }) else { return nil }
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ".")) }
            bytes += label
            place += count
        }
        return nil
    }

    /// The room that the question's additional record states (RFC 6891).
    private static func room(stated message: [UInt8], at place: Int) -> Int {
        let hasRecord = number(message, at: 10) == 1 && place + 5 <= message.count && message[place] == 0
        guard hasRecord, number(message, at: place + 1) == 41, let stated = number(message, at: place + 3) else {
            return least
        }
        return min(max(Int(stated), least), most)
    }

    fileprivate static func header(
        _ id: UInt16, flags: UInt8, code: NameAnswer.Code, questions: UInt16, answers: Int
    ) -> [UInt8] {
        // An answer, with recursion available.
        let first = 0x80 | flags & 0x79
        return bytes(id) + [first, 0x80 | code.rawValue] + bytes(questions) + bytes(UInt16(answers)) + [0, 0, 0, 0]
    }

    fileprivate static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}

/// The answer to a question.
package enum NameAnswer: Sendable, Hashable {
    /// The addresses of the name, of 4 or 16 bytes each. If there are none of the kind that is asked for, the name
    /// exists all the same.
    case addresses([[UInt8]])
    /// There is no such name, or the program may not know it.
    case noSuchName
    /// The name could not be resolved now.
    case failed

    enum Code: UInt8 { case none = 0, formatError = 1, serverFailure = 2, noSuchName = 3, notImplemented = 4 }

    /// How long the program may use the addresses, in seconds. A connection to an older address is made to a new one.
    package static let lifetime: UInt16 = 30
}

extension NameQuery {
    /// The message that answers this question. If it has no room for all addresses, the first ones stand there: a
    /// program would ask for the rest over TCP, and no program needs so many.
    package func message(_ answer: NameAnswer) -> [UInt8] {
        let (code, addresses): (NameAnswer.Code, [[UInt8]]) =
            switch answer {
            case .addresses(let all): (.none, all.filter { $0.count == sizeOfAddress })
            case .noSuchName: (.noSuchName, [])
            case .failed: (.serverFailure, [])
            }
        // A pointer to the name of the question, the kind, the class of the Internet, the lifetime and the size.
        let start: [UInt8] = [0xC0, 0x0C] + Self.bytes(type) + [0, 1, 0, 0] + Self.bytes(NameAnswer.lifetime)
        let size = start.count + 2 + sizeOfAddress
        let fitting = addresses.prefix(max(0, room - Self.header - question.count) / size)
        var message = Self.header(id, flags: recursionFlag, code: code, questions: 1, answers: fitting.count)
        message += question
        for address in fitting { message += start + Self.bytes(UInt16(sizeOfAddress)) + address }
        return message
    }

    private var type: UInt16 {
        switch kind {
        case .addresses(.four): 1
        case .addresses(.six): 28
        case .other(let number): number
        }
    }

    /// The size of an address of the kind that is asked for; 0 if no addresses are.
    private var sizeOfAddress: Int {
        switch kind {
        case .addresses(.four): 4
        case .addresses(.six): 16
        case .other: 0
        }
    }
}
