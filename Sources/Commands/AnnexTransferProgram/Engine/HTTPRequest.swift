/// The server that a URL names, and the URL in the form in which it is requested.
public struct HTTPLocation: Sendable, Hashable {
    public let isSecure: Bool
    /// The name in lower case without a dot at its end, or a numeric address without brackets.
    public let host: String
    public let port: UInt16
    /// Whether the URL holds a name of a user or a password.
    public let hasCredentials: Bool
    /// The absolute URL without a fragment.
    public let url: String

    public init(isSecure: Bool, host: String, port: UInt16, hasCredentials: Bool, url: String) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.hasCredentials = hasCredentials
        self.url = url
    }

    /// What must be the same for two URLs to lead to one server: credentials do not go from one server to another.
    struct Server: Hashable {
        let isSecure: Bool
        let host: String
        let port: UInt16
    }

    var server: Server { Server(isSecure: isSecure, host: host, port: port) }
}

/// One request of HTTP.
public struct HTTPRequest: Sendable {
    public let location: HTTPLocation
    /// The numeric addresses of the server. An engine asks no resolver.
    public let addresses: [String]
    public let method: String
    /// Header lines without their line ends.
    public let headers: [String]
    public let body: HTTPBody
    public let connectingMilliseconds: UInt64
    /// Seconds without one byte per second after which the exchange is too slow.
    public let idleSeconds: UInt32
    public let wholeMilliseconds: UInt64
}

/// The body of a request. Files are numbered in their order.
public enum HTTPBody: Sendable, Hashable {
    case none
    /// The bytes of file 0.
    case file(size: UInt64)
    /// `multipart/form-data`.
    case form([HTTPPart])
}

/// One part of a form.
public struct HTTPPart: Sendable, Hashable {
    public enum Contents: Sendable, Hashable {
        case text(String)
        case file(size: UInt64)
    }

    public let name: String
    public let fileName: String?
    public let type: String?
    public let contents: Contents
}
