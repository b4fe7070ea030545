import AnnexTransferProgram
import CAnnexCurl

extension CurlExchange {
    /// What a result of libcurl means for the agent; nil if the exchange came to its end.
    func failure(_ result: CURLcode) -> ExchangeFailure? {
        let times = unsafe annex_curl_times(easy)
        switch result {
        case CURLE_OK: return nil
        case CURLE_WRITE_ERROR, CURLE_ABORTED_BY_CALLBACK, CURLE_READ_ERROR: return .stopped
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT:
            return .connectFailed(errno: Int32(clamping: times.error))
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_INVALIDCERTSTATUS:
            return .tlsFailed(isVerdict: true)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: return .tlsFailed(isVerdict: false)
        case CURLE_PARTIAL_FILE: return .shortBody
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR: return .connectionLost
        // An answer that is no HTTP, or is of a version that was not asked for.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING: return .badAnswer
        case CURLE_OPERATION_TIMEDOUT: return isTooSlow(times) ? .tooSlow : .timedOut
        // libcurl reports a line or a head that is too long for it as a lack of memory, in its older versions.
        case CURLE_OUT_OF_MEMORY, Self.tooLarge: return times.ready > 0 ? .headersTooLarge : .engineFailed
        default: return .engineFailed
        }
    }

    /// `CURLE_TOO_LARGE`, which older headers lack.
    private static var tooLarge: CURLcode { CURLcode(rawValue: 100) }

    private func isTooSlow(_ times: annex_curl_times) -> Bool {
        times.ready > 0 && UInt64(clamping: times.total) / 1000 < wholeMilliseconds
    }
}
