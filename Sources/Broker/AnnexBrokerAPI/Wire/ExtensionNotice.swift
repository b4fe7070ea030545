/// A host's report about its extension; each case is a method of `ExtensionHandle`.
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
