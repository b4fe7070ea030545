package import AnnexChannel

/// How far a request of items has got, from the extension to its host. The host drops a report about a request that it
/// does not wait for any more.
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

    /// Accepts what an honest extension can send, and nothing else: a fraction between 0 and 1, and a short text.
    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        request = try decoder.decode(1)
        let fraction: Double = try decoder.decode(2)
        let text = try decoder.decodeIfPresent(3, as: String.self)
        // Not a number is in no range.
        guard (0...1).contains(fraction) else {
            throw decoder.failure(2, reason: .rejected("a progress outside of 0 to 1"))
        }
        guard (text?.utf8.count ?? 0) <= RequestProgress.longestText else {
            throw decoder.failure(3, reason: .rejected("a text of progress that is too long"))
        }
        progress = RequestProgress(fraction: fraction, text: text)
    }
}
