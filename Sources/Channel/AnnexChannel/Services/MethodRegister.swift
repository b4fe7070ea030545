/// A message that Annex defines for an extension point. Its number is in the reserved range.
package protocol PointMessage {}

/// The method numbers that a service has registered. A number that is reserved or registered twice is a mistake in the
/// program. The register ends the program at once, because a message would otherwise reach a handler that cannot read
/// it.
struct MethodRegister: Sendable {
    enum Kind: String {
        case request, notice, stream
    }

    private var requests: Set<UInt16> = []
    private var notices: Set<UInt16> = []
    private var streams: Set<UInt16> = []

    /// - Parameter type: the type of the message or stream; nil for handlers of undecoded bytes.
    mutating func add(_ kind: Kind, method: UInt16, for type: Any.Type?) {
        let name = type.map { " of \($0)" } ?? ""
        if !(type is any PointMessage.Type), Self.isReserved(kind, method: method) {
            fatalError(
                "the number \(method)\(name) is reserved: Annex uses request 1, notice 2 and all numbers from "
                    + "\(ReservedMethods.first) on; choose another number")
        }
        guard insert(kind, method: method) else {
            fatalError("the \(kind.rawValue) number \(method)\(name) has a handler already; choose another number")
        }
    }

    private mutating func insert(_ kind: Kind, method: UInt16) -> Bool {
        switch kind {
        case .request: requests.insert(method).inserted
        case .notice: notices.insert(method).inserted
        case .stream: streams.insert(method).inserted
        }
    }

    private static func isReserved(_ kind: Kind, method: UInt16) -> Bool {
        switch kind {
        case .request: ReservedMethods.isReserved(request: method)
        case .notice: ReservedMethods.isReserved(notice: method)
        case .stream: ReservedMethods.isReserved(stream: method)
        }
    }
}
