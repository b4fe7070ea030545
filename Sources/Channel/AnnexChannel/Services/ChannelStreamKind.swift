public import AnnexMessages

/// A kind of stream whose messages are types of your own, in both directions. Host and extension share its declaration.
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
/// Either side may open it. Both sides should read their messages. A side that does not read makes the other side wait.
public protocol ChannelStreamKind: SendableMetatype {
    /// What the side that opens the stream sends with it.
    associatedtype Arguments: Message
    /// The messages that the host sends.
    associatedtype FromHost: Message
    /// The messages that the extension sends.
    associatedtype FromExtension: Message

    /// The stream's number. Host and extension choose their own numbers. Annex uses all numbers from 0xFE00 on itself. A
    /// service stops the program if a number is taken or registered twice.
    static var method: UInt16 { get }
}
