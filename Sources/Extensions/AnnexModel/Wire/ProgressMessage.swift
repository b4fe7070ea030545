package import AnnexChannel

/// The progress of a request with items, which the extension sends to its host. If the host no longer waits for the
/// answer to the request, the host drops the report.
package struct ProgressMessage: ChannelNotice, PointMessage {
    package static let method = ReservedMethods.first

    /// The number that the host gave to the request.
    package let request: UInt64
    package let progress: RequestProgress

    package init(request: UInt64, progress: RequestProgress) {
        self.request = request
        self.progress = progress
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(request, as: 1)
        encoder.encode(progress.fraction, as: 2)
        encoder.encode(progress.text, as: 3)
    }

    /// Accepts only messages that an honest extension can send: a fraction between 0 and 1, and a short text.
    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        request = try decoder.decode(1)
        let fraction: Double = try decoder.decode(2)
        let text = try decoder.decodeIfPresent(3, as: String.self)
        // NaN is in no range, so it is refused too.
        guard (0...1).contains(fraction) else {
            throw decoder.failure(2, reason: .rejected("a progress outside of 0 to 1"))
        }
        guard (text?.utf8.count ?? 0) <= RequestProgress.longestText else {
            throw decoder.failure(3, reason: .rejected("a text of progress that is too long"))
        }
        progress = RequestProgress(fraction: fraction, text: text)
    }
}
