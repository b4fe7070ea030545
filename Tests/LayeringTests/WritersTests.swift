import Foundation
import Testing

/// What may write to terminals and files in the project's own words.
@Suite(.timeLimit(.minutes(20))) struct WritersTests {
    /// Foundation's encoder writes characters as they are that control a terminal or reverse text. So only the type
    /// that escapes them may use it.
    @Test func `only one file uses the JSON encoder of Foundation`() throws {
        let users = try SourceTree.swiftFiles(in: "Sources").filter {
            $0.text.contains("JSONEncoder(") || $0.text.contains("JSONSerialization.data")
        }
        #expect(users.map { URL(filePath: $0.file).lastPathComponent } == ["EncodedJSON.swift"])
    }

    /// `ByteCount` writes sizes for people. `Quantity` writes the exact sizes of policies, which have no such units.
    @Test func `only one type writes a computed size with its unit`() throws {
        let interpolated = /\\\(.*\)\s?[KMGT]iB\b/
        let users = try SourceTree.swiftFiles(in: "Sources").filter { $0.text.contains(interpolated) }
        #expect(users.map(\.file).isEmpty, "\(users.map(\.file))")
        #expect(#""\(bytes >> 20) MiB""#.contains(interpolated))
    }
}
