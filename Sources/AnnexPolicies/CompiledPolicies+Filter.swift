internal import AnnexPolicy

extension CompiledPolicies {
    /// A filter from the text that the build wrote; nil where it is none: then it is compiled again.
    static func filter(
        _ hexadecimal: String, _ architecture: Architecture, allowsEveryExec: Bool
    ) -> SeccompFilter? {
        let digits = hexadecimal.utf8.map { $0 < 0x60 ? $0 &- 0x30 : $0 &- 0x57 }
        let template = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return try? SeccompFilter(template: template, architecture: architecture, allowsEveryExec: allowsEveryExec)
    }
}
