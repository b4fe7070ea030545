package import AnnexMessages

/// A message from the broker to the agent.
package enum TransferOrder: Message, Hashable {
    /// Begin this job. The job's descriptors travel with the message. The agent ends each job exactly once, by `ended`.
    case start(TransferJob)
    /// End a job at once, as `cancelled` or as `suspended`. If the agent does not hold this attempt, nothing happens.
    case stop(TransferKey, TransferStop)
    /// The answer to `lookUp`.
    case found(TransferAddresses)

    package var descriptors: Int { if case .start(let job) = self { job.work.descriptors } else { 0 } }

    package func encode(into encoder: inout MessageEncoder) {
        switch self {
        case .start(let job): encoder.encode(job, as: 1)
        case .stop(let key, let stop):
            encoder.encode(key, as: 2)
            encoder.encode(stop, as: 3)
        case .found(let addresses): encoder.encode(addresses, as: 4)
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let job = try decoder.decodeIfPresent(1, as: TransferJob.self)
        let key = try decoder.decodeIfPresent(2, as: TransferKey.self)
        let stop = try decoder.decodeIfPresent(3, as: TransferStop.self)
        let found = try decoder.decodeIfPresent(4, as: TransferAddresses.self)
        switch (job, key, stop, found) {
        case (let job?, nil, nil, nil): self = .start(job)
        case (nil, let key?, let stop?, nil): self = .stop(key, stop)
        case (nil, nil, nil, let found?): self = .found(found)
        default: throw decoder.failure(1, reason: .rejected("is not exactly one order"))
        }
    }
}

/// Why the broker stops a job.
package enum TransferStop: UInt8, FieldValue, Hashable, CaseIterable {
    case cancel = 1
    case suspend
}

/// The broker's answer to a question for a name. The agent has no resolver of its own, so the broker decides which
/// servers a job reaches, also after each redirect.
package struct TransferAddresses: Message, Hashable {
    /// The number of the question.
    package let question: UInt64
    /// Numeric addresses of IPv4 and IPv6, in the order in which the agent tries them.
    package let addresses: [String]
    /// Why there are no addresses: `nameNotResolved` or `refusedAddress`.
    package let error: TransferError?

    package init(question: UInt64, addresses: [String]) {
        self.question = question
        self.addresses = addresses
        error = nil
    }

    package init(question: UInt64, error: TransferError) {
        self.question = question
        addresses = []
        self.error = error
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(question, as: 1)
        encoder.encode(list: addresses, as: 2)
        encoder.encode(error, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        question = try decoder.decode(1)
        addresses = try decoder.decodeList(2)
        error = try decoder.decodeIfPresent(3)
        if let problem { throw decoder.failure(2, reason: .rejected(problem)) }
    }

    package var problem: StaticText? {
        guard addresses.isEmpty == (error != nil), addresses.count <= TransferLimits.addresses else {
            return "has neither 1 to 16 addresses nor an error"
        }
        return addresses.allSatisfy(Self.isAddress) ? nil : "has an address with other characters than those of numbers"
    }

    /// Whether the text has only characters of numeric addresses. The agent hands the text to its HTTP library, where a
    /// comma or a colon at the wrong place would make several entries of one.
    private static func isAddress(_ text: String) -> Bool {
        let isNumeric = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x2e, 0x3a: true
            default: false
            }
        }
        return isNumeric && (2...45).contains(text.utf8.count)
    }
}
