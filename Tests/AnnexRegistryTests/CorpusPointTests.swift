import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexRegistry

/// The points that the property lists of real apps name. The lists lie outside the repository, in the folder
/// `ANNEX_CORPUS`, or in `../shared/corpus` without this variable.
@Suite struct CorpusPointTests {
    private func extensions() throws -> [[String: PropertyListValue]] {
        let folder = try #require(Corpus.propertyLists)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.compactMap { file in
            try PropertyListValue([UInt8](Data(contentsOf: file))).dictionary?["NSExtension"]?.dictionary
        }
    }

    @Test(.enabled(if: Corpus.propertyLists != nil, "no corpus of real property lists: set ANNEX_CORPUS to its folder"))
    func `real extensions of the built-in points are supported and all others are not`() throws {
        let named = try extensions().compactMap { $0["NSExtensionPointIdentifier"]?.string }
        #expect(named.count > 50)
        let supported = named.filter { PointLibrary.shipped.point($0) != nil }
        #expect(supported.count > 45)
        for name in Set(named).subtracting(supported) { #expect(!PointLibrary.shipped.names.contains(name)) }
        for name in ["com.apple.Safari.extension", "com.apple.quicklook.thumbnail", "com.apple.widgetkit-extension"] {
            #expect(named.contains(name) && PointLibrary.shipped.point(name) == nil, "\(name)")
        }
    }

    @Test(.enabled(if: Corpus.propertyLists != nil, "no corpus of real property lists: set ANNEX_CORPUS to its folder"))
    func `A4: the attributes of real extensions are of the kinds that their points state`() throws {
        var checked = 0
        for one in try extensions() {
            guard let point = one["NSExtensionPointIdentifier"]?.string.flatMap(PointLibrary.shipped.point) else {
                continue
            }
            for (key, value) in one["NSExtensionAttributes"]?.dictionary ?? [:] {
                guard let kind = point.attributes[key] else { continue }
                checked += 1
                #expect(kind.accepts(value), "\(point.identifier): \(key) is \(value.kind)")
            }
        }
        #expect(checked > 50)
    }
}
