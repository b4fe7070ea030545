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
    /// What a successful answer is.
    associatedtype Response: Message

    /// Which request it is; host and extension number theirs as they like, but 1 is Annex's own.
    static var method: UInt16 { get }
}

/// A message that nobody answers.
public protocol ChannelNotice: Message {
    /// Which notice it is; host and extension number theirs as they like, but 2 and what is above
    /// 0xFFEF are Annex's own.
    static var method: UInt16 { get }
}

/// The response to a request that has nothing to say but that it was done.
public struct NoContent: Message, Hashable {
    public init() {}

    public func encode(into encoder: inout MessageEncoder) {}

    /// Whatever fields a newer writer added are skipped.
    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
}
