import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

/// Property lists of real apps. They lie outside the repository, in the folder `ANNEX_CORPUS`, or in `../shared/corpus`
/// without this variable.
@Suite struct CorpusTests {
    @Test(.enabled(if: Corpus.propertyLists != nil, "no corpus of real property lists: set ANNEX_CORPUS to its folder"))
    func `P2: real property lists are read as Foundation reads them`() throws {
        let folder = try #require(Corpus.propertyLists)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 50)
        for file in files {
            let data = try Data(contentsOf: file)
            let ours = try PropertyListValue([UInt8](data))
            let theirs = try PropertyListSerialization.propertyList(from: data, format: nil)
            #expect(same(ours, theirs), "\(file.lastPathComponent) is read otherwise")
        }
    }

    private func same(_ ours: PropertyListValue, _ theirs: Any) -> Bool {
        switch ours {
        case .string(let text): return theirs as? String == text
        case .integer(let number): return theirs as? Int64 == number
        case .real(let number): return theirs as? Double == number
        case .boolean(let truth): return theirs as? Bool == truth
        case .data(let bytes): return theirs as? Data == Data(bytes)
        case .date, .dateText: return theirs is Date
        case .array(let values):
            guard let others = theirs as? [Any], others.count == values.count else { return false }
            return zip(values, others).allSatisfy { same($0, $1) }
        case .dictionary(let values):
            guard let others = theirs as? [String: Any], others.count == values.count else { return false }
            return values.allSatisfy { key, value in others[key].map { same(value, $0) } ?? false }
        }
    }
}
