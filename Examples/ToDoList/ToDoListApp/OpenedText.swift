import AnnexApp

/// The text of a URL such as `todolist://add?buy%20milk`. If the URL is only `todolist://add`, the user must still
/// name the entry.
///
/// Any program may have made the URL. So a URL can only add an entry to the list, because adding an entry loses no
/// data.
/// - Throws: `invalid` if the URL asks for something else, or if its escapes are not UTF-8.
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

/// The decoded text of the escapes: `ä` for `%C3%A4`. An `AppURL` has ASCII characters only.
/// - Returns: nil if an escape does not have two digits, or if the bytes are not UTF-8.
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
