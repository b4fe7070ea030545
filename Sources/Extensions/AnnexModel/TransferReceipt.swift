/// Lets a host learn how a background transfer goes on after the extension has ended, and never what is transferred.
///
/// The extension asks for a receipt (`BackgroundTask.receipt()`) and puts it into the `userInfo` of its answer. The
/// host then asks its broker (`AnnexHost.progress(of:)`). The receipt cannot be guessed, and is good for 24 hours.
public struct TransferReceipt: Sendable, Hashable {
    /// The key of a receipt in `ExtensionItem.userInfo`.
    public static let key = "AnnexTransferReceipt"
    private static let digits = 32

    /// The receipt as text: 32 hexadecimal digits.
    public let text: String

    /// - Returns: nil if the text is no receipt.
    public init?(_ text: String) {
        let isHex = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        guard text.utf8.count == Self.digits, isHex else { return nil }
        self.text = text
    }

    /// The receipt in an answer of an extension; nil if there is none.
    public init?(in item: ExtensionItem) {
        guard case .string(let text)? = item.userInfo[Self.key] else { return nil }
        self.init(text)
    }

    /// The receipt as a value of `userInfo`.
    public var value: ItemValue { .string(text) }

    /// A new receipt.
    package static func random() -> TransferReceipt? {
        var random = SystemRandomNumberGenerator()
        let halves = (0..<2).map { _ in
            let text = String(random.next(), radix: 16)
            return String(repeating: "0", count: digits / 2 - text.count) + text
        }
        return TransferReceipt(halves.joined())
    }
}

/// How far a background transfer has come, as a host may know it.
public struct TransferReport: Sendable, Hashable {
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        case underWay = "under-way"
        /// The server's answer is a success.
        case done
        /// The transfer failed, or the server's answer is an error.
        case failed
        case cancelled
    }

    public let outcome: Outcome
    public let sent: UInt64
    public let received: UInt64
    /// The size of the whole body that is sent or received; nil if it is not known.
    public let expected: UInt64?

    /// The part that is done, from 0 to 1; nil if the size is not known.
    public var fraction: Double? {
        guard let expected, expected > 0 else { return nil }
        return min(Double(max(sent, received)) / Double(expected), 1)
    }

    package init(outcome: Outcome, sent: UInt64, received: UInt64, expected: UInt64?) {
        self.outcome = outcome
        self.sent = sent
        self.received = received
        self.expected = expected
    }

    /// The report as values between broker and host.
    package var values: [String: ItemValue] {
        var values: [String: ItemValue] = [
            "outcome": .string(outcome.rawValue), "sent": .integer(Int64(clamping: sent)),
            "received": .integer(Int64(clamping: received)),
        ]
        values["expected"] = expected.map { .integer(Int64(clamping: $0)) }
        return values
    }

    /// - Returns: nil if the values are no report of this version.
    package init?(_ values: [String: ItemValue]) {
        func number(_ key: String) -> UInt64? {
            guard case .integer(let number)? = values[key] else { return nil }
            return UInt64(exactly: number)
        }
        guard case .string(let word)? = values["outcome"], let outcome = Outcome(rawValue: word),
            let sent = number("sent"), let received = number("received")
        else { return nil }
        self.init(outcome: outcome, sent: sent, received: received, expected: number("expected"))
    }
}
