internal import AnnexTransferWire

extension TransferRetry {
    /// The longest wait that the agent passes on. A server that asks for more is asked again after a day.
    private static let longest: Int64 = 24 * 3600

    /// After an answer that arrived whole.
    init(after head: AnswerHead, seconds: (String) -> Int64?) {
        guard [408, 425, 429, 500, 502, 503, 504].contains(head.status) else {
            self = .never
            return
        }
        guard let text = head.fields[.retryAfter], head.unreadable.isDisjoint(with: [.retryAfter, .date]) else {
            self = .later
            return
        }
        if let wait = ContentRange.number(text) {
            self = .after(UInt32(clamping: min(wait, UInt64(Self.longest))))
        } else if let then = seconds(text), let now = head.fields[.date].flatMap(seconds) {
            let wait = then.subtractingReportingOverflow(now)
            self = wait.overflow ? .later : .after(UInt32(clamping: min(max(wait.partialValue, 0), Self.longest)))
        } else {
            self = .later
        }
    }

    /// After an error. What depends on the moment is tried again, and what the caller or the server has to change is not.
    init(after error: TransferError) {
        switch error {
        case .nameNotResolved, .connectFailed, .connectionLost, .badAnswer, .timedOut, .tooSlow, .bodyMismatch,
            .diskFull,
            .suspended, .busy, .agentFailed:
            self = .later
        case .badURL, .refusedAddress, .tlsFailed, .redirectRefused, .tooManyRedirects, .headersTooLarge, .fileChanged,
            .tooLarge, .cancelled:
            self = .never
        }
    }
}
