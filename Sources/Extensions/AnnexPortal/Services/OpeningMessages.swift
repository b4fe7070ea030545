package import AnnexMessages

/// What an extension may ask about opening URLs.
package enum OpeningMethod {
    /// `OpeningURL`; answered with `OpenedApp` when the app was started.
    package static let open = PortalMethod(.opening, number: 1)
}

/// A URL to open.
package struct OpeningURL: Message, Hashable {
    package let url: String

    package init(url: String) { self.url = url }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(url, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { url = try decoder.decode(1) }
}

/// The app that a URL was opened with.
package struct OpenedApp: Message, Hashable {
    package let app: String

    package init(app: String) { self.app = app }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(app, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { app = try decoder.decode(1) }
}
