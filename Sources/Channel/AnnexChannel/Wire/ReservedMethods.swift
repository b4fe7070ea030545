/// The numbers of requests, notices and streams that Annex uses itself.
package enum ReservedMethods {
    /// All numbers from this number on are reserved. The calls of extension points use the first reserved numbers. The
    /// events about an extension's life use numbers near the end.
    package static let first: UInt16 = 0xFE00
    /// The numbers of the extension's requests about items on demand.
    package static let itemLoads: ClosedRange<UInt16> = 0xFEF0...0xFEFF
    /// A notice without a meaning. The notice only wakes the thread that reads the channel.
    package static let wakeUp: UInt16 = 0xFEE0
    /// The request that carries items.
    package static let items: UInt16 = 1

    static func isReserved(request method: UInt16) -> Bool { method == items || method >= first }
    static func isReserved(notice method: UInt16) -> Bool { method == ChannelEvent.goodbye || method >= first }
    static func isReserved(stream method: UInt16) -> Bool { method >= first }
}
