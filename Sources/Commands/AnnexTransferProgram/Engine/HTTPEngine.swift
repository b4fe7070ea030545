/// An HTTP library. The package `annex-transfer` brings libcurl, and tests bring one of their own.
///
/// An engine has one thread, and makes no thread. It calls its clients only within `work`.
public protocol HTTPEngine: AnyObject {
    /// - Parameter authorities: a file with the certificates of the authorities that vouch for servers; nil for those of
    ///   the system.
    init(authorities: String?) throws(EngineFailure)

    /// Reads a URL with the parser that also makes the connection, so that the two never differ.
    /// - Parameter base: the absolute URL to which a reference is relative; nil if the reference is absolute.
    /// - Returns: nil if the URL is malformed, or its scheme is neither http nor https.
    static func location(of reference: String, from base: String?) -> HTTPLocation?

    /// The seconds since the beginning of 1970 of a date in one of HTTP's forms; nil if the text is no date.
    static func seconds(ofDate text: String) -> Int64?

    /// Begins an exchange. If that fails at once, the client learns it in the next `work`.
    /// - Returns: the number by which the exchange can be abandoned.
    func begin(_ request: HTTPRequest, for client: any ExchangeClient) -> UInt64

    /// Ends an exchange. Its client is not called any more.
    func abandon(_ exchange: UInt64)

    /// Waits until a connection or this descriptor is ready, and works on all exchanges.
    /// - Parameter milliseconds: the longest wait; nil for no limit.
    func work(
        watching descriptor: CInt, for readiness: ControlReadiness, atMost milliseconds: Int32?
    ) throws(EngineFailure)
}

/// What the agent waits for on its connection to the broker.
public enum ControlReadiness: Sendable, Hashable {
    case messages, room, messagesOrRoom
}

/// Why an engine cannot work.
public struct EngineFailure: Error, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }
}

/// What takes part in one exchange, which is one request with its answer and follows no redirect.
public protocol ExchangeClient: AnyObject {
    /// Takes one line of the answer's head, with its line feed. The end of a head is an empty line. An answer may have
    /// several heads, of which the last one counts, and lines after its body.
    /// - Returns: whether the exchange goes on.
    func receive(line: RawSpan) -> Bool

    /// Takes bytes of the answer's body.
    /// - Returns: whether the exchange goes on.
    func receive(body: RawSpan) -> Bool

    /// Fills a part of memory with the next bytes of one of the request's files.
    /// - Returns: how many bytes it now has, 0 at the file's end; nil to end the exchange.
    func fill(_ room: inout MutableRawSpan, file: Int) -> Int?

    /// Goes to another place of a file, because its bytes have to be sent once more.
    func rewind(file: Int, to offset: Int64) -> Bool

    /// Learns how many bytes of the request's body were sent.
    /// - Parameter whole: the size of the body; nil if it is not known.
    func note(sent: UInt64, of whole: UInt64?)

    /// Learns that the exchange is over, as the last call. The descriptors of files are not used any more.
    func finish(_ failure: ExchangeFailure?)
}

/// Why an exchange did not come to its end.
public enum ExchangeFailure: Sendable, Hashable {
    /// The client ended the exchange.
    case stopped
    case connectFailed(errno: Int32)
    /// - Parameter isVerdict: whether the server's certificate was refused, and not only the connection lost.
    case tlsFailed(isVerdict: Bool)
    case connectionLost
    case badAnswer
    case shortBody
    case timedOut
    case tooSlow
    case headersTooLarge
    /// Memory is short, or the engine met a state that it does not know.
    case engineFailed
}
