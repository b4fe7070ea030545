internal import CAnnexLinux

/// Names and texts of errno values.
package enum Errno {
    /// The symbol, for example `ENOENT`. A number without a symbol gives the number itself.
    package static func name(_ number: Int32) -> String {
        guard let name = unsafe annex_errno_name(number) else { return "errno \(number)" }
        return unsafe String(cString: name)
    }

    /// The C library's text, for example `No such file or directory`.
    package static func text(_ number: Int32) -> String {
        guard let text = unsafe annex_errno_text(number) else { return "unknown error" }
        return unsafe String(cString: text)
    }
}
