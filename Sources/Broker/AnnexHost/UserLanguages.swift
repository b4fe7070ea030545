internal import Glibc

/// The languages of the user of this process.
///
/// ```swift
/// var host = try await AnnexHost.connect()
/// host.languages = ["pt-BR"] + UserLanguages.preferred
/// ```
public enum UserLanguages {
    /// The languages that the environment states, the preferred language first, for example `["de_AT", "en"]`.
    ///
    /// The first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set names the locale. The list begins with the languages
    /// in `LANGUAGE`, which are separated by colons. The language of the locale follows. If the locale is `C` or
    /// `POSIX`, the list is empty. The list never has more than 32 languages.
    public static var preferred: [String] {
        preferred { name in
            // SAFETY: the text is copied at once. As with every call of getenv, no other thread may change the
            // environment meanwhile.
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
    }

    private static let most = 32
    private static let longest = 64

    /// Does the same as the property `preferred`, for another environment.
    package static func preferred(_ variable: (String) -> String?) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
        if locale == "C" || locale == "POSIX" { return [] }
        let listed = (variable("LANGUAGE") ?? "").split(separator: ":").prefix(most).map(String.init)
        var found: [String] = []
        for language in listed + (locale.map { [$0] } ?? []) {
            let name = String(language.prefix { $0 != "." && $0 != "@" })
            if isLanguage(name), !found.contains(name) { found.append(name) }
        }
        return Array(found.prefix(most))
    }

    /// Whether a text can name a language: ASCII letters, digits, hyphens and underscores. `C.UTF-8` names none.
    static func isLanguage(_ text: String) -> Bool {
        guard (2...longest).contains(text.utf8.count), text != "POSIX" else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
