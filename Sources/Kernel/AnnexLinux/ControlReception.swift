/// The result of one attempt to receive.
package enum ControlReception: ~Copyable, Sendable {
    case message(ControlMessage)
    /// No message is waiting.
    case nothing
    /// The peer is gone. A message without bytes looks the same, but Annex never sends one.
    case end
}
