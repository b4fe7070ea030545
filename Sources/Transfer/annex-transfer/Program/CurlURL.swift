import AnnexTransferProgram
import CAnnexCurl

/// A URL, read by libcurl's own parser.
@safe struct CurlURL {
    let location: HTTPLocation

    /// - Returns: nil if the URL is malformed, or its scheme is neither http nor https.
    init?(_ reference: String, from base: String?) {
        // SAFETY: the handle is freed below, and is used by this initialiser alone.
        guard let handle = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(handle) }
        // A reference comes from a server, which may leave spaces and other letters as they are.
        let flags = base == nil ? 0 : UInt32(CURLU_URLENCODE)
        if let base, unsafe curl_url_set(handle, CURLUPART_URL, base, 0) != CURLUE_OK { return nil }
        guard unsafe curl_url_set(handle, CURLUPART_URL, reference, flags) == CURLUE_OK,
            let scheme = unsafe Self.part(CURLUPART_SCHEME, of: handle), scheme == "http" || scheme == "https",
            let written = unsafe Self.part(CURLUPART_HOST, of: handle),
            unsafe Self.part(CURLUPART_ZONEID, of: handle) == nil,
            let port = unsafe Self.part(CURLUPART_PORT, of: handle, flags: UInt32(CURLU_DEFAULT_PORT)).flatMap({
                UInt16($0)
            })
        else { return nil }
        let hasCredentials = [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS].contains {
            unsafe Self.part($0, of: handle) != nil
        }
        // One server has one name: in lower case, without a dot at its end.
        let host = written.lowercased().hasSuffix(".") ? String(written.lowercased().dropLast()) : written.lowercased()
        guard unsafe curl_url_set(handle, CURLUPART_HOST, host, 0) == CURLUE_OK,
            unsafe curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0) == CURLUE_OK,
            let url = unsafe Self.part(CURLUPART_URL, of: handle)
        else { return nil }
        location = HTTPLocation(
            isSecure: scheme == "https", host: host.filter { $0 != "[" && $0 != "]" }, port: port,
            hasCredentials: hasCredentials, url: url)
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        // SAFETY: the call stores a text of its own, which is copied and freed here.
        guard unsafe curl_url_get(handle, part, &text, flags) == CURLUE_OK, let found = unsafe text else { return nil }
        defer { unsafe curl_free(found) }
        return unsafe String(validatingCString: found)
    }
}
