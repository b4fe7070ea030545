import AnnexBundle
import Benchmark
import Foundation

/// The reading of an app before the launch of an extension. The app's files are untrusted, so every file is checked.
func bundleBenchmarks() {
    for (name, format) in [("XML", PropertyListSerialization.PropertyListFormat.xml), ("binary", .binary)] {
        Benchmark("bundle: read an extension's property list, \(name)") { benchmark in
            let file = benchBundle.appending(path: "PlugIns/Typed.appex/Info.plist")
            let values = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
            let data = try PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)
            let bytes = [UInt8](data)
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { blackHole(try PropertyListValue(bytes).dictionary?.count) }
        }
    }
    Benchmark("bundle: open and check an app of five extensions", configuration: .init(scalingFactor: .one)) {
        benchmark in
        let app = try assembled()
        defer { try? FileManager.default.removeItem(at: app.deletingLastPathComponent()) }
        guard try AppBundle.open(app.path).extensions.count == 5 else { return benchmark.error("not five extensions") }
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try AppBundle.open(app.path).extensions.count) }
        benchmark.stopMeasurement()
    }
}

/// The app whose extensions `make bench` launches, without its programs.
private let benchBundle = URL(filePath: #filePath).appending(path: "../../../../Bundles/Bench.app").standardizedFileURL

/// A copy of the app with programs. Only the beginning of each program is read.
private func assembled() throws -> URL {
    let app = FileManager.default.temporaryDirectory.appending(path: "annex-micro-\(UUID().uuidString)/Bench.app")
    try FileManager.default.createDirectory(
        at: app.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: benchBundle, to: app)
    let program = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/exe")).read(upToCount: 64)
    let plugIns = app.appending(path: "PlugIns")
    let extensions = try FileManager.default.contentsOfDirectory(at: plugIns, includingPropertiesForKeys: nil)
    for bundle in [app] + extensions {
        let name = bundle.deletingPathExtension().lastPathComponent
        FileManager.default.createFile(
            atPath: bundle.appending(path: name).path, contents: program, attributes: [.posixPermissions: 0o755])
    }
    return app
}
