package import AnnexMessages

/// The requests of an extension about opening URLs.
package enum OpeningMethod {
    /// The request carries `OpeningURL`. The answer is an `OpenedApp`. The broker sends this answer when the app was
    /// started.
    package static let open = PortalMethod(.opening, number: 1)
}

/// A URL to open.
package struct OpeningURL: Message, Hashable {
    package let url: String

    package init(url: String) { self.url = url }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(url, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { url = try decoder.decode(1) }
}

/// The app that opened the URL.
package struct OpenedApp: Message, Hashable {
    package let app: String

    package init(app: String) { self.app = app }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(app, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { app = try decoder.decode(1) }
}
