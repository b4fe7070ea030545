/// What stands before a request's payload: how long the caller waits and what the reply may bring.
///
/// Lies in memory as three 64-bit words in the machine's byte order, which is also how it travels.
struct RequestTerms: Sendable, Hashable {
    /// Nanoseconds that the caller still waits; `UInt64.max`: without limit.
    var limit: UInt64 = .max
    /// The most bytes of sealed memory that the reply may hand over, all pieces together.
    var mostBytes: UInt64 = 0
    /// The most pieces.
    var mostPieces: UInt64 = 0

    static let size: UInt32 = 24
}
