import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexToday

/// The files that a Today view keeps on disk.
@Suite(.timeLimit(.minutes(20))) struct TodayFolderTests {
    private let place: TemporaryFolder
    private let folder: TodayFolder

    init() throws {
        place = try TemporaryFolder()
        folder = try TodayFolder(place.url.path + "/today")
    }

    private let widget = "com.example.weather.today"

    private func state(_ view: ContentNode) throws -> WidgetState {
        var state = WidgetState()
        state.view = try ContentMessage(view).tree()
        return state
    }

    private var file: URL { place.url.appending(path: "today/\(widget).snapshot") }

    @Test func `a snapshot comes back as it was, for the same build alone`() throws {
        var state = try state([
            "a", .image(PictureStart.png(width: 3, height: 4), description: "d"), .progress(nil),
            .button("b", action: "b"),
            .choice("c", action: "c", options: ["1", "2"], chosen: 1), .row([.text("r", style: .secondary)]),
        ])
        state.hasContent = false
        state.largestAvailableDisplayMode = .expanded
        state.preferredHeight = 300
        state.marginInsets = WidgetInsets(top: 1, leading: 2, bottom: 3, trailing: 4)
        let snapshot = WidgetSnapshot(of: "id/1/abc", at: .now(), state: state)
        try folder.keep(snapshot, of: widget)
        #expect(folder.snapshot(of: widget, instance: "id/1/abc") == snapshot)
        #expect(folder.snapshot(of: widget, instance: "id/2/abc") == nil)
        #expect(folder.snapshot(of: "com.example.other", instance: "id/1/abc") == nil)
    }

    @Test func `a view whose characters were replaced is kept too`() throws {
        // Each escape becomes a replacement character, which takes three bytes.
        let view = ContentNode.text(String(repeating: "\u{1B}", count: 4096))
        let snapshot = WidgetSnapshot(of: "id", at: .now(), state: try state(view))
        try folder.keep(snapshot, of: widget)
        #expect(folder.snapshot(of: widget, instance: "id") == snapshot)
    }

    @Test(arguments: 0..<200)
    func `a snapshot with any changed byte is whole, or counts as absent`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        try folder.keep(WidgetSnapshot(of: "id", at: .now(), state: try state(["text", .progress(0.5)])), of: widget)
        var bytes = Array(try Data(contentsOf: file))
        if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 1...bytes.count, using: &random)) }
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        try Data(bytes).write(to: file)
        guard let read = folder.snapshot(of: widget, instance: "id"), let view = read.state.view else { return }
        // The view that was read is a checked view, so it can be encoded again.
        _ = try ContentMessage(view.root)
    }

    @Test func `a file that is too long, a folder and a pipe count as absent`() throws {
        try Data(count: 4 << 20).write(to: file)
        #expect(folder.snapshot(of: widget, instance: "id") == nil)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(folder.snapshot(of: widget, instance: "id") == nil)
        try FileManager.default.removeItem(at: file)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(folder.snapshot(of: widget, instance: "id") == nil)
    }

    @Test(arguments: ["../escape", "a/b", "", String(repeating: "x", count: 300), "a\nb"])
    func `an identifier that is no file name gets no file`(identifier: String) throws {
        try folder.keep(WidgetSnapshot(of: "id", at: .now(), state: try state("text")), of: identifier)
        #expect(folder.snapshot(of: identifier, instance: "id") == nil)
        let entries = try FileManager.default.contentsOfDirectory(atPath: place.url.path + "/today")
        #expect(entries == ["without-content"], "only the folder for the marks of apps")
    }

    @Test func `the order of the widgets is kept, and foreign lines in it are left out`() throws {
        #expect(folder.order == [])
        try folder.keep(order: ["b", "a"])
        #expect(folder.order == ["b", "a"])
        try Data("a\n../b\n\nc\na\n".utf8).write(to: place.url.appending(path: "today/order"))
        #expect(folder.order == ["a", "c"])
    }

    @Test func `the order of some widgets leaves the others where they are`() throws {
        try folder.keep(order: ["a", "x", "b", "y", "c"])
        try folder.keep(order: ["c", "a", "b"])
        #expect(folder.order == ["c", "x", "a", "y", "b"])
        try folder.keep(order: ["new", "y"])
        #expect(folder.order == ["c", "x", "a", "new", "b", "y"])
    }

    @Test(arguments: [Int64.min, -1, Int64.max, WallClock.now().microseconds + 2 * 86_400_000_000])
    func `a snapshot of an impossible date counts as absent`(date: Int64) throws {
        let snapshot = WidgetSnapshot(of: "id", at: WallClock(microseconds: date), state: try state("text"))
        try folder.keep(snapshot, of: widget)
        #expect(folder.snapshot(of: widget, instance: "id") == nil)
    }

    @Test func `snapshots that no view has replaced for a month are removed`() throws {
        try folder.keep(WidgetSnapshot(of: "id", at: .now(), state: try state("text")), of: widget)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -31 * 86_400)], ofItemAtPath: file.path)
        _ = try TodayFolder(place.url.path + "/today")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `a folder that others can write to is refused`() throws {
        let open = place.url.path + "/open"
        try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
        chmod(open, 0o777)
        #expect(throws: SystemError.self) { try TodayFolder(open) }
    }
}
