import AnnexTransferProgram
import CAnnexCurl

/// libcurl as the HTTP library of the agent: one thread, which waits for all connections at once.
@safe final class CurlEngine: HTTPEngine {
    /// How many connections libcurl has at once, in use or kept for a next request.
    private static let connections = 6

    private let authorities: String?
    // SAFETY: the engine lives as long as the process, and only its thread uses the handle.
    private let multi: UnsafeMutableRawPointer
    private var exchanges: [UInt64: CurlExchange] = [:]
    private var last: UInt64 = 0
    /// Exchanges that libcurl did not take.
    private var refused: [UInt64] = []

    init(authorities: String?) throws(EngineFailure) {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = unsafe curl_multi_init() else {
            throw EngineFailure("libcurl does not start")
        }
        self.authorities = authorities
        unsafe self.multi = multi
        for option in [CURLMOPT_MAXCONNECTS, CURLMOPT_MAX_TOTAL_CONNECTIONS] {
            guard unsafe annex_curl_set_limit(multi, option, Self.connections) == CURLM_OK else {
                throw EngineFailure("libcurl has no limit on its connections")
            }
        }
    }

    static func location(of reference: String, from base: String?) -> HTTPLocation? {
        CurlURL(reference, from: base)?.location
    }

    static func seconds(ofDate text: String) -> Int64? {
        let seconds = unsafe curl_getdate(text, nil)
        return seconds < 0 ? nil : Int64(seconds)
    }

    func begin(_ request: HTTPRequest, for client: any ExchangeClient) -> UInt64 {
        last += 1
        let exchange = CurlExchange(number: last, client: client)
        exchanges[last] = exchange
        guard exchange.prepare(request, authorities: authorities),
            unsafe curl_multi_add_handle(multi, exchange.easy) == CURLM_OK
        else {
            refused.append(last)
            return last
        }
        return last
    }

    func abandon(_ exchange: UInt64) {
        guard let abandoned = exchanges.removeValue(forKey: exchange) else { return }
        // For an exchange that libcurl did not take, the call only reports a mistake.
        _ = unsafe curl_multi_remove_handle(multi, abandoned.easy)
        refused.removeAll { $0 == exchange }
    }

    func work(
        watching descriptor: CInt, for readiness: ControlReadiness, atMost milliseconds: Int32?
    ) throws(EngineFailure) {
        var control = curl_waitfd(fd: descriptor, events: Self.events(readiness), revents: 0)
        let wait = refused.isEmpty ? milliseconds ?? .max : 0
        var running: Int32 = 0
        // SAFETY: the calls write one structure and one number, and keep no pointer.
        guard unsafe curl_multi_poll(multi, &control, 1, wait, nil) == CURLM_OK,
            unsafe curl_multi_perform(multi, &running) == CURLM_OK
        else { throw EngineFailure("libcurl cannot wait for its connections") }
        for number in refused { end(number, with: .engineFailed) }
        refused = []
        endFinished()
    }

    private static func events(_ readiness: ControlReadiness) -> Int16 {
        switch readiness {
        case .messages: Int16(CURL_WAIT_POLLIN)
        case .room: Int16(CURL_WAIT_POLLOUT)
        case .messagesOrRoom: Int16(CURL_WAIT_POLLIN | CURL_WAIT_POLLOUT)
        }
    }

    private func endFinished() {
        var left: Int32 = 0
        // SAFETY: the message is read before the next call, which would overwrite it.
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let (easy, result) = unsafe (message.pointee.easy_handle, message.pointee.data.result)
            guard let ended = exchanges.values.first(where: { unsafe $0.easy == easy }) else { continue }
            _ = unsafe curl_multi_remove_handle(multi, easy)
            end(ended.number, with: ended.failure(result))
        }
    }

    private func end(_ number: UInt64, with failure: ExchangeFailure?) {
        exchanges.removeValue(forKey: number)?.client.finish(failure)
    }
}
