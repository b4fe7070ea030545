/// A daemon's answer to one request.
package enum ServiceAnswer: Sendable, Hashable {
    case done
    /// - Parameter isAll: true if no extension follows after the last of these.
    case extensions([InstalledExtension], isAll: Bool)
    case terms(SessionTerms)
    /// - Parameter isYours: whether the parked extension still had its slot, and is the host's now.
    case claimed(isYours: Bool)
    case failed(BrokerError)
}
