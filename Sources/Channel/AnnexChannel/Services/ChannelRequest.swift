public import AnnexMessages

/// A message that is answered by another one.
///
/// ```swift
/// struct Resize: ChannelRequest {
///     static let method: UInt16 = 10
///     typealias Response = Resized
///
///     var width: UInt32
///     var image: [UInt8]
///
///     func encode(into encoder: inout MessageEncoder) {
///         encoder.encode(width, as: 1)
///         encoder.encode(image, as: 2)
///     }
/// }
///
/// extension Resize {
///     init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
///         width = try decoder.decode(1)
///         image = try decoder.decode(2)
///     }
/// }
///
/// let resized = try await session.call(Resize(width: 320, image: picture))
/// ```
public protocol ChannelRequest: Message {
    /// The type of a successful answer.
    associatedtype Response: Message

    /// The request's number. Host and extension choose their own numbers, except 1, which is reserved for Annex.
    static var method: UInt16 { get }
}

/// A one-way message without an answer.
public protocol ChannelNotice: Message {
    /// The notice's number. Host and extension choose their own numbers, except 2 and those above 0xFFEF, which are
    /// reserved for Annex.
    static var method: UInt16 { get }
}

/// A response without content: it only states that the request was done.
public struct NoContent: Message, Hashable {
    public init() {}

    public func encode(into encoder: inout MessageEncoder) {}

    /// Ignores fields that a newer writer may have added.
    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
}
