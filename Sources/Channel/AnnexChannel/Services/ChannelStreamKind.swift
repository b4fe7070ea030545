public import AnnexMessages

/// A kind of stream for which you define the message types of both directions. Host and extension share the
/// declaration.
///
/// ```swift
/// enum Matches: ChannelStreamKind {
///     static let method: UInt16 = 12
///     typealias Arguments = Pattern
///     typealias FromHost = Line
///     typealias FromExtension = Line
/// }
///
/// // In the extension:
/// service.handleStreams(Matches.self) { stream async throws in
///     for try await line in stream where stream.arguments.matches(line) { try await stream.send(line) }
///     try stream.finish()
/// }
///
/// // In the host:
/// let stream = try await session.openStream(Matches.self, arguments: Pattern("the"))
/// try await stream.send(Line("all of the text"))
/// stream.finish()
/// for try await line in stream { show(line) }
/// ```
///
/// Either side may open the stream. Both sides should read the messages that they receive. If one side does not read,
/// its peer has to wait.
public protocol ChannelStreamKind: SendableMetatype {
    /// The arguments that the opening side sends when it opens the stream.
    associatedtype Arguments: Message
    /// The messages that the host sends.
    associatedtype FromHost: Message
    /// The messages that the extension sends.
    associatedtype FromExtension: Message

    /// The stream's number. Host and extension choose their own numbers. Annex reserves all numbers from 0xFE00 on. If
    /// a number is reserved or registered twice, the service stops the program.
    static var method: UInt16 { get }
}
