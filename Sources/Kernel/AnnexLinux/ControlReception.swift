/// What there was to receive.
package enum ControlReception: ~Copyable, Sendable {
    case message(ControlMessage)
    /// Nothing at the moment.
    case nothing
    /// The peer is gone, or sends messages without a byte, which Annex never does.
    case end
}
