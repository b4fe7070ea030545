package import AnnexModel

/// What a user or a host asks about background transfers.
package enum TransferRequest: Sendable, Hashable {
    /// The tasks whose numbers follow this number, at most 64.
    case list(after: UInt64)
    case show(UInt64)
    case cancel(UInt64)
    /// Begins the next attempt of a waiting task now.
    case retry(UInt64)
    /// How far the task of a receipt has come.
    case report(TransferReceipt)

    package var word: String {
        switch self {
        case .list: "list"
        case .show: "show"
        case .cancel: "cancel"
        case .retry: "retry"
        case .report: "report"
        }
    }

    /// The number of a task; 0 if the request names none.
    package var number: UInt64 {
        switch self {
        case .list(let number), .show(let number), .cancel(let number), .retry(let number): number
        case .report: 0
        }
    }

    package var receipt: String { if case .report(let receipt) = self { receipt.text } else { "" } }

    /// - Returns: nil if the parts are no request.
    package init?(word: String, number: UInt64, receipt: String) {
        switch word {
        case "list": self = .list(after: number)
        case "show": self = .show(number)
        case "cancel": self = .cancel(number)
        case "retry": self = .retry(number)
        case "report":
            guard let receipt = TransferReceipt(receipt) else { return nil }
            self = .report(receipt)
        default: return nil
        }
    }
}

extension BrokerService {
    /// A broker that keeps no transfers has no answer.
    package func transfers(_ request: TransferRequest) throws(BrokerError) -> [String: ItemValue] {
        throw BrokerError(
            .unreachable, what: "keeps no transfers: they need annexd", place: "this broker",
            remedy: "start annexd, and connect to it")
    }
}
