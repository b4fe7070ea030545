import AnnexTransferProgram
import CAnnexCurl

/// One exchange of libcurl: a handle, with the lists and the form that libcurl reads while the exchange lasts.
@safe final class CurlExchange {
    /// The memory that libcurl has for each direction of an exchange. With less, fast networks wait for the agent.
    private static let buffer = 128 << 10

    let number: UInt64
    let client: any ExchangeClient
    // SAFETY: this object owns the handle, the lists and the form. It frees them after libcurl has given up the handle,
    // because the engine removes the handle before it drops this object.
    let easy: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var addresses: UnsafeMutablePointer<curl_slist>?
    private var form: OpaquePointer?
    private var sources: [PartSource] = []
    private(set) var wholeMilliseconds: UInt64 = 0

    /// A file of a form, as libcurl names it to the functions that read it.
    final class PartSource {
        unowned let exchange: CurlExchange
        let file: Int

        init(_ exchange: CurlExchange, file: Int) {
            self.exchange = exchange
            self.file = file
        }
    }

    init(number: UInt64, client: any ExchangeClient) {
        self.number = number
        self.client = client
        guard let easy = unsafe curl_easy_init() else { fatalError("libcurl lacks memory for a handle") }
        unsafe self.easy = easy
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(headers)
        unsafe curl_slist_free_all(addresses)
        unsafe curl_mime_free(form)
    }

    /// Sets everything that the exchange needs. No option of this list may be left to libcurl's defaults, where those read
    /// the environment or files of the user.
    /// - Returns: whether libcurl took everything.
    func prepare(_ request: HTTPRequest, authorities: String?) -> Bool {
        wholeMilliseconds = request.wholeMilliseconds
        return confine() && setTimes(request) && setServer(request, authorities: authorities) && setCalls()
            && setHeaders(request.headers) && setBody(request)
    }

    private func set(_ option: CURLoption, to number: Int) -> Bool {
        unsafe annex_curl_set_number(easy, option, number) == CURLE_OK
    }

    private func set(_ option: CURLoption, to text: String) -> Bool {
        unsafe annex_curl_set_text(easy, option, text) == CURLE_OK
    }

    /// No other protocol, no redirects, no proxy, no credentials, no cookies, no threads and no signals. Each exchange has
    /// a connection of its own: bytes that a server sends after an answer are never taken for the answer to another task.
    private func confine() -> Bool {
        set(CURLOPT_PROTOCOLS_STR, to: "http,https") && set(CURLOPT_REDIR_PROTOCOLS_STR, to: "http,https")
            && set(CURLOPT_FOLLOWLOCATION, to: 0) && set(CURLOPT_PROXY, to: "") && set(CURLOPT_NOPROXY, to: "*")
            && set(CURLOPT_NETRC, to: Int(CURL_NETRC_IGNORED.rawValue)) && set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: 1)
            && set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1)) && set(CURLOPT_HTTP09_ALLOWED, to: 0)
            && set(CURLOPT_HTTP_CONTENT_DECODING, to: 0) && set(CURLOPT_FRESH_CONNECT, to: 1)
            && set(CURLOPT_FORBID_REUSE, to: 1)
            && set(CURLOPT_NOSIGNAL, to: 1)
            && set(CURLOPT_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2)) && set(CURLOPT_SSL_VERIFYPEER, to: 1)
            && set(CURLOPT_SSL_VERIFYHOST, to: 2) && set(CURLOPT_TCP_KEEPALIVE, to: 1)
            && set(CURLOPT_BUFFERSIZE, to: Self.buffer) && set(CURLOPT_UPLOAD_BUFFERSIZE, to: Self.buffer)
    }

    private func setTimes(_ request: HTTPRequest) -> Bool {
        set(CURLOPT_CONNECTTIMEOUT_MS, to: Int(clamping: request.connectingMilliseconds))
            && set(CURLOPT_TIMEOUT_MS, to: Int(clamping: request.wholeMilliseconds))
            && set(CURLOPT_LOW_SPEED_LIMIT, to: 1) && set(CURLOPT_LOW_SPEED_TIME, to: Int(request.idleSeconds))
    }

    private func setServer(_ request: HTTPRequest, authorities: String?) -> Bool {
        if let authorities {
            guard set(CURLOPT_CAINFO, to: authorities),
                unsafe annex_curl_set_text(easy, CURLOPT_CAPATH, nil) == CURLE_OK
            else { return false }
        }
        // libcurl would resolve a name by a thread of its own. With the name in its cache, it has no reason to. The sign
        // lets libcurl forget the entry later, so that many names do not fill the process.
        let (host, port) = (request.location.host, request.location.port)
        let entry = "+\(host):\(port):\(request.addresses.joined(separator: ","))"
        if !host.contains(":") {
            guard unsafe Self.append(entry, to: &addresses),
                unsafe annex_curl_set_list(easy, CURLOPT_RESOLVE, addresses) == CURLE_OK
            else { return false }
        }
        return set(CURLOPT_URL, to: request.location.url)
    }

    private func setHeaders(_ lines: [String]) -> Bool {
        for line in lines where unsafe !Self.append(line, to: &headers) { return false }
        return unsafe annex_curl_set_list(easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK
    }

    private static func append(_ text: String, to list: inout UnsafeMutablePointer<curl_slist>?) -> Bool {
        guard let longer = unsafe curl_slist_append(list, text) else { return false }
        unsafe list = longer
        return true
    }
}

// MARK: - Bodies

extension CurlExchange {
    private func setBody(_ request: HTTPRequest) -> Bool {
        switch request.body {
        case .none: return set(CURLOPT_HTTPGET, to: 1)
        case .file(let size):
            return set(CURLOPT_UPLOAD, to: 1) && set(CURLOPT_CUSTOMREQUEST, to: request.method)
                && setSize(size)
        case .form(let parts): return setForm(parts) && set(CURLOPT_CUSTOMREQUEST, to: request.method)
        }
    }

    private func setForm(_ parts: [HTTPPart]) -> Bool {
        unsafe form = curl_mime_init(easy)
        for part in parts where !add(part) { return false }
        return unsafe annex_curl_set_form(easy, form) == CURLE_OK
    }

    private func setSize(_ size: UInt64) -> Bool {
        unsafe annex_curl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(clamping: size)) == CURLE_OK
    }

    private func add(_ part: HTTPPart) -> Bool {
        // SAFETY: the form is of this exchange. libcurl copies the texts.
        guard let added = unsafe curl_mime_addpart(form), unsafe curl_mime_name(added, part.name) == CURLE_OK else {
            return false
        }
        if let type = part.type, unsafe curl_mime_type(added, type) != CURLE_OK { return false }
        if let fileName = part.fileName, unsafe curl_mime_filename(added, fileName) != CURLE_OK { return false }
        switch part.contents {
        case .text(let text): return unsafe curl_mime_data(added, text, text.utf8.count) == CURLE_OK
        case .file(let size):
            let source = PartSource(self, file: sources.count)
            sources.append(source)
            let context = unsafe Unmanaged.passUnretained(source).toOpaque()
            return unsafe curl_mime_data_cb(added, curl_off_t(clamping: size), readPart, seekPart, nil, context)
                == CURLE_OK
        }
    }

    fileprivate func fill(_ room: UnsafeMutablePointer<CChar>?, count: Int, file: Int) -> Int {
        // SAFETY: libcurl lends this many bytes for the length of the call.
        var memory = unsafe MutableRawSpan(
            _unsafeBytes: UnsafeMutableRawBufferPointer(start: room, count: count))
        return client.fill(&memory, file: file) ?? Int(CURL_READFUNC_ABORT)
    }

    fileprivate func seek(to offset: curl_off_t, from origin: Int32, file: Int) -> Int32 {
        guard origin == 0, client.rewind(file: file, to: Int64(offset)) else { return CURL_SEEKFUNC_FAIL }
        return CURL_SEEKFUNC_OK
    }
}

// MARK: - What libcurl calls

extension CurlExchange {
    private func setCalls() -> Bool {
        var calls = unsafe annex_curl_calls(
            context: Unmanaged.passUnretained(self).toOpaque(), body: takeBody, header: takeHeader, read: readBody,
            seek: seekBody, progress: noteProgress)
        return unsafe annex_curl_set_calls(easy, &calls) == CURLE_OK && set(CURLOPT_NOPROGRESS, to: 0)
    }
}

// SAFETY: each context is the exchange, or a source that the exchange keeps. The exchange lives until libcurl has given up
// its handle, and only the engine's thread runs these functions.

private func exchange(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
    unsafe context.map { unsafe Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
}

private func source(_ context: UnsafeMutableRawPointer?) -> CurlExchange.PartSource? {
    unsafe context.map { unsafe Unmanaged<CurlExchange.PartSource>.fromOpaque($0).takeUnretainedValue() }
}

private func bytes(_ start: UnsafeMutablePointer<CChar>?, count: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start, count: count)
}

private let takeBody: curl_write_callback = { start, size, count, context in
    let memory = unsafe bytes(start, count: size * count)
    return unsafe exchange(context)?.client.receive(body: memory.bytes) == true ? memory.count : 0
}

private let takeHeader: curl_write_callback = { start, size, count, context in
    let memory = unsafe bytes(start, count: size * count)
    return unsafe exchange(context)?.client.receive(line: memory.bytes) == true ? memory.count : 0
}

private let readBody: curl_read_callback = { room, size, count, context in
    unsafe exchange(context)?.fill(room, count: size * count, file: 0) ?? Int(CURL_READFUNC_ABORT)
}

private let seekBody: curl_seek_callback = { context, offset, origin in
    unsafe exchange(context)?.seek(to: offset, from: origin, file: 0) ?? CURL_SEEKFUNC_FAIL
}

private let readPart: curl_read_callback = { room, size, count, context in
    let part = unsafe source(context)
    return unsafe part?.exchange.fill(room, count: size * count, file: part?.file ?? 0) ?? Int(CURL_READFUNC_ABORT)
}

private let seekPart: curl_seek_callback = { context, offset, origin in
    let part = unsafe source(context)
    return part?.exchange.seek(to: offset, from: origin, file: part?.file ?? 0) ?? CURL_SEEKFUNC_FAIL
}

private let noteProgress: curl_xferinfo_callback = { context, _, _, whole, sent in
    let whole = whole > 0 ? UInt64(clamping: whole) : nil
    unsafe exchange(context)?.client.note(sent: UInt64(clamping: sent), of: whole)
    return 0
}
