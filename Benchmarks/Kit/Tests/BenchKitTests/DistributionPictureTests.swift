import BenchKit
import Foundation
import Histogram
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct DistributionPictureTests {
    @Test func `the picture is well-formed and names everybody`() throws {
        let scene = Scene(
            "scene", topic: .latency, title: "Ours & <theirs>", setting: Setting(),
            contestants: [.floor("futex"), .ours("annex-raw")])
        var result = SceneResult(scene)
        for (name, value) in [("futex", UInt64(4_000_000)), ("annex-raw", 5_000_000)] {
            var histogram = SampleFile.histogram()
            for step in 0..<10_000 { histogram.record(value + UInt64(step) * 1000) }
            let summary = Outcome.Summary(
                calls: 10_000, wrong: 0, elapsed: 1, clientProcessor: 1, serverProcessor: 1)
            result.add(Outcome(summary: summary, batched: nil, single: histogram), of: name, run: 0, slice: 0)
        }
        let text = try #require(DistributionPicture(result).text)
        let parser = XMLParser(data: Data(text.utf8))
        #expect(parser.parse(), "\(text)")
        #expect(text.contains(">futex<") && text.contains(">annex-raw<") && text.contains("Ours &amp; &lt;theirs&gt;"))
        #expect(text.components(separatedBy: "<polyline").count == 3)
    }

    @Test func `nothing measured, nothing drawn`() {
        #expect(
            DistributionPicture(
                SceneResult(Scene("scene", topic: .latency, title: "", setting: Setting(), contestants: []))
            ).text == nil)
    }
}
