internal import AnnexService

/// A launched extension as its host's end of a connection knows it.
struct RemoteExtension: Sendable {
    let events: @Sendable (ExtensionEvent) -> Void
    /// Requests that the host has open.
    var open = 0
    /// Whether one was answered since the daemon was told last.
    var wereAnswered = false
    /// Whether the daemon has to be told of either.
    var isChanged = false

    mutating func began() {
        open += 1
        if open == 1 { isChanged = true }
    }

    mutating func ended() {
        open = max(0, open - 1)
        wereAnswered = true
        isChanged = true
    }

    /// What there is to say.
    var news: ExtensionNotice? { isChanged ? .requests(areOpen: open > 0, wereAnswered: wereAnswered) : nil }

    mutating func isTold() {
        (isChanged, wereAnswered) = (false, false)
    }
}
