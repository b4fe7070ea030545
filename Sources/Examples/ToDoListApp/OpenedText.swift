import AnnexApp

/// The text of a URL such as `todolist://add?buy%20milk`. `todolist://add` alone stands for an entry that the user has yet to name.
///
/// Any program may have made the URL. So it can do one thing only, which loses nothing: add to the list.
/// - Throws: `invalid` if the URL asks for something else, or its escapes are no UTF-8.
func text(in url: AppURL) throws(PortalError) -> String {
    let request = url.text.dropFirst(url.scheme.count)
    if request == "://add" { return "New entry" }
    let wanted = "://add?"
    guard request.hasPrefix(wanted) else {
        throw PortalError(
            .invalid, what: "the URL asks for something that this app does not do", remedy: "todolist://add?TEXT")
    }
    guard let text = decoded(request.dropFirst(wanted.count)) else {
        throw PortalError(
            .invalid, what: "the URL has a % that begins no escape of UTF-8", remedy: "write % itself as %25")
    }
    return text
}

/// The text for which the escapes stand: `ä` for `%C3%A4`. An `AppURL` has ASCII characters only.
/// - Returns: nil if an escape has no two digits, or the bytes are no UTF-8.
private func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let character = rest.popFirst() {
        if character != "%" {
            bytes += character.utf8
            continue
        }
        guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else { return nil }
        bytes.append(UInt8(high << 4 | low))
    }
    return String(validating: bytes, as: UTF8.self)
}
