internal import AnnexLinux

/// The path to a value in its text, for example `$.syscalls[3].args[0].op`. The path is spelled out only for an error:
/// a text of many values under long keys would otherwise take a multiple of its size.
indirect enum JSONPath: Sendable {
    case root
    case member(of: JSONPath, key: String)
    case element(of: JSONPath, index: Int)

    var text: String {
        switch self {
        case .root: "$"
        case .member(let whole, let key): "\(whole.text).\(Escaped(key, limit: 200).description)"
        case .element(let whole, let index): "\(whole.text)[\(index)]"
        }
    }
}
