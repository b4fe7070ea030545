/// What a daemon answers to one request.
package enum ServiceAnswer: Sendable, Hashable {
    case done
    /// - Parameter isAll: whether nothing follows behind the last.
    case extensions([InstalledExtension], isAll: Bool)
    case terms(SessionTerms)
    /// - Parameter isYours: whether the parked extension was still to be had.
    case claimed(isYours: Bool)
    case failed(BrokerError)
}
