/// A request of a browser, unchanged.
public struct PageRequest: Sendable {
    /// The port at which the request arrived.
    public let port: Int
    /// The method in capitals, such as `GET`.
    public let method: String
    /// The path of the request, with the query.
    public let target: String
    /// The headers in the order of the request.
    public let headers: [(name: String, value: String)]
    /// The whole body. A body longer than a form of the page is refused with `TodayPage.tooLong`.
    public let body: [UInt8]

    /// - Parameter port: the port at which the request arrived.
    public init(
        port: Int, method: String, target: String, headers: [(name: String, value: String)], body: [UInt8] = []
    ) {
        self.port = port
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The values of all headers with this name.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

/// An answer to a browser.
public struct PageAnswer: Sendable {
    /// The bytes of an answer, or what makes them.
    public enum Body: Sendable {
        /// All bytes.
        case whole([UInt8])
        /// The lines of a stream of events. Each line is sent when it arrives.
        case events(AsyncStream<[UInt8]>)
    }

    /// The status of HTTP.
    public let status: Int
    /// All headers except those for the length and the connection.
    public let headers: [(name: String, value: String)]
    /// The bytes that the browser gets.
    public let body: Body

    /// A short text for a person. It repeats nothing from the request.
    static func plain(_ status: Int, saying text: String, headers: [(name: String, value: String)] = []) -> PageAnswer {
        PageAnswer(
            status: status, type: "text/plain; charset=utf-8", body: .whole(Array((text + "\n").utf8)), headers: headers
        )
    }

    /// - Parameter nonce: the nonce of the style sheet in the text; nil if the text has no style sheet.
    static func text(_ text: String, type: String, styledBy nonce: String? = nil) -> PageAnswer {
        PageAnswer(status: 200, type: type + "; charset=utf-8", body: .whole(Array(text.utf8)), styledBy: nonce)
    }

    init(
        status: Int, type: String, body: Body, styledBy nonce: String? = nil,
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        let policy = Self.contentPolicy.replacing("STYLE", with: nonce.map { "'nonce-\($0)'" } ?? "'none'")
        self.headers = [("Content-Security-Policy", policy)] + Self.always + [("Content-Type", type)] + headers
        self.body = body
    }

    /// With this policy, the page loads nothing from other hosts and runs only its own script. No other page can show
    /// this page in a frame.
    private static let contentPolicy = """
        default-src 'none'; script-src 'self'; style-src STYLE; img-src 'self' data:; connect-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
        trusted-types annex
        """

    private static let always: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Cache-Control", "no-store"),
        // The page's address contains the token, so other sites must not learn the address.
        ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ]
}
