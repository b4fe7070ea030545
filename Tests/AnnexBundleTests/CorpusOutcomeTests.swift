import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

/// Each property list of a real extension, or its entitlements, is put into an otherwise valid app. The reader must
/// either accept the app or refuse it with rule and key.
@Suite(.timeLimit(.minutes(20))) struct CorpusOutcomeTests {
    @Test(.enabled(if: Corpus.propertyLists != nil, "no corpus of real property lists: set ANNEX_CORPUS to its folder"))
    func `P2: every real property list has the outcome of the table`() throws {
        let folder = try #require(Corpus.propertyLists)
        var expected: [Int: String] = [:]
        for (outcome, files) in CorpusOutcomes.unfilled { for file in files { expected[file] = outcome } }
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            let bytes = [UInt8](try Data(contentsOf: folder.appending(path: file)))
            let found = file.hasSuffix(".plist") ? try outcome(ofInfo: bytes) : try outcome(ofEntitlements: bytes)
            #expect(found == Int(file.prefix(3)).flatMap { expected.removeValue(forKey: $0) }, "\(file)")
        }
        #expect(expected == [:], "files that the corpus no longer has")
    }

    private func outcome(ofInfo bytes: [UInt8]) throws -> String {
        let test = try TestApp()
        // The app's identifier is made from the extension's identifier, if that is a plain identifier.
        let identifier = try PropertyListValue(bytes).dictionary?["CFBundleIdentifier"]?.string ?? ""
        if let dot = identifier.lastIndex(of: "."), !identifier.contains("$") {
            try test.replace("com.example.pictures", with: String(identifier[..<dot]), in: "Info.plist")
        }
        try test.write(bytes, to: "PlugIns/Editor.appex/Info.plist")
        return Self.outcome(of: test, file: "PlugIns/Editor.appex/Info.plist")
    }

    private func outcome(ofEntitlements bytes: [UInt8]) throws -> String {
        let test = try TestApp()
        try test.write(bytes, to: "PlugIns/Editor.appex/Editor.entitlements")
        return Self.outcome(of: test, file: "PlugIns/Editor.appex/Editor.entitlements")
    }

    private static func outcome(of test: TestApp, file: String) -> String {
        var rules: [String] = []
        var keys: [String: [String]] = [:]
        for finding in BundleValidation(app: test.path).findings where finding.severity == .error {
            guard finding.fault.file == "Pictures.app/\(file)" else { continue }
            let rule = finding.fault.rule.rawValue
            if keys[rule] == nil { rules.append(rule) }
            keys[rule, default: []].append(short(finding.fault.key ?? ""))
        }
        return rules.isEmpty
            ? "read"
            : rules.map { "\($0) \(keys[$0, default: []].joined(separator: " "))" }
                .joined(separator: "; ")
    }

    private static func short(_ key: String) -> String {
        let prefix = ["CFBundle", "NSExtension", "com.apple.security."].first { key.hasPrefix($0) }
        return String(key.dropFirst(prefix?.count ?? 0))
    }
}
