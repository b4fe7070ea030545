/// What a host tells of an extension; see `ExtensionHandle`.
package enum ExtensionNotice: Sendable, Hashable {
    case saidHello
    case requestBegan(UInt64)
    case requestEnded(UInt64)
    case overstayed
    case gaveSign
    case pingPassedOn
    case activityBegan(String)
    case activityEnded
    case violated(ProtocolViolation)
    case channelClosed
    case parked
    case dismissed(completed: Bool)
}
