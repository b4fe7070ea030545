/// What a host tells of an extension; see `ExtensionHandle`.
package enum ExtensionNotice: Sendable, Hashable {
    case saidHello
    /// Whether any request is open by now, and whether one was answered since the last word: the time limit then runs
    /// anew. So a host that asks thousands of things a second has only ever one thing to say.
    case requests(areOpen: Bool, wereAnswered: Bool)
    case overstayed
    case gaveSign
    case activityBegan(String)
    case activityEnded
    case violated(ProtocolViolation)
    case channelClosed
    case parked
    case dismissed(completed: Bool)
}
