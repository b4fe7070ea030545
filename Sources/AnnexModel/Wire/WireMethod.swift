/// The methods of the channel between a host and an extension.
package enum WireMethod {
    /// A `RequestMessage`, answered by a `ReplyMessage`.
    package static let beginRequest: UInt16 = 1
    /// One-way, from the host: the work is over, the grace begins.
    package static let goodbye: UInt16 = 2
}
