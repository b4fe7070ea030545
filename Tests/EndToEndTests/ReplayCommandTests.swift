import AnnexChannel
import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// `annex replay` shows the messages of a recorded session. It also sends them again to an extension in its sandbox.
@Suite(.timeLimit(.minutes(20))) struct ReplayCommandTests {
    private let folder: TemporaryFolder
    private let app: SubstituteApp

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "echoes-raw")
    }

    private func annex(_ arguments: String...) async throws -> Program {
        try await Program.annex(["replay"] + arguments, in: folder)
    }

    /// The recording of a session of three calls.
    private func record() async throws -> URL {
        let file = folder.url.appending(path: "traffic.annexrec")
        let host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
        let session = try await host.begin(SubstituteApp.identifier) {
            $0.recording = ChannelRecording(to: file.path)
        }
        for word in ["first", "second", "third"] {
            let request = Request(method: 7, payload: Array(word.utf8))
            #expect(try await session.channel.call(request, timeout: .patience).payload == Array(word.utf8))
        }
        _ = await session.complete()
        return file
    }

    @Test func `a recorded session is shown`() async throws {
        let file = try await record()
        let shown = try await annex(file.path)
        #expect(shown.status == 0, "\(shown)")
        #expect(shown.output.contains(SubstituteApp.identifier), "\(shown)")
        #expect(shown.output.contains("→ request 2 (method 7)  6 B  \"second\""), "\(shown)")
        #expect(shown.output.contains("← reply to call 3 (method 7)  5 B  \"third\""), "\(shown)")
        #expect(shown.output.contains("the channel ended after"), "\(shown)")
        let json = try await annex(file.path, "--json")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any], "\(json)")
        #expect(report["label"] as? String == SubstituteApp.identifier && report["isWhole"] as? Bool == true)
        let messages = try #require(report["messages"] as? [[String: Any]])
        #expect(messages.filter { $0["kind"] as? String == "reply" }.map { $0["length"] as? Int } == [5, 6, 5])
    }

    @Test func `the same extension gives the same answers in a replay`() async throws {
        let file = try await record()
        let same = try await annex(file.path, app.path)
        #expect(same.status == 0 && same.output.contains("3 answers, events and calls as recorded"), "\(same)")
    }

    @Test func `a replay names the first difference`() async throws {
        let file = try await record()
        var bytes = try Data(contentsOf: file)
        // Only the recorded answer changes. The recorded request stays unchanged.
        let answer = try #require(bytes.lastRange(of: Data("second".utf8)))
        bytes[answer.lowerBound] = UInt8(ascii: "S")
        try bytes.write(to: file)
        let other = try await annex(file.path, app.path)
        #expect(other.status == 1, "\(other)")
        let difference = "reply to call 2 (method 7): byte 0 is 115, but the recording has 83"
        #expect(other.output.contains(difference), "\(other)")
        let json = try await annex(file.path, app.path, "--json")
        #expect(json.status == 1 && json.output.contains("\"same\" : false"), "\(json)")
    }

    @Test func `a recording that was cut off is used up to its last whole message`() async throws {
        let file = try await record()
        let bytes = try Data(contentsOf: file)
        let third = try #require(bytes.range(of: Data("third".utf8)))
        try bytes.prefix(upTo: third.lowerBound + 2).write(to: file)
        let shown = try await annex(file.path)
        #expect(shown.status == 0 && shown.output.contains("an incomplete message"), "\(shown)")
        let same = try await annex(file.path, app.path)
        #expect(same.status == 0 && same.output.contains("2 answers, events and calls as recorded"), "\(same)")
    }

    @Test func `a file that is no recording is refused with its reason`() async throws {
        let file = folder.url.appending(path: "other")
        try Data("#!/bin/sh\n".utf8).write(to: file)
        let other = try await annex(file.path)
        #expect(other.status == 65 && other.errors.contains("is no recording"), "\(other)")
        #expect(try await annex(folder.url.appending(path: "missing").path).status == 66)
        #expect(try await annex("/dev/zero").status == 66)
        #expect(try await annex().status == 64)
        #expect(try await annex(file.path, "--extension", "com.example").status == 64)
    }

    @Test func `damage is named and the messages before it are shown`() async throws {
        let file = try await record()
        var bytes = try Data(contentsOf: file)
        bytes.append(contentsOf: [4, 0, 0, 0, 9, 9, 9, 9])
        try bytes.write(to: file)
        let shown = try await annex(file.path)
        #expect(shown.status == 65 && shown.errors.contains("damaged: at byte"), "\(shown)")
        #expect(shown.output.contains("\"third\""), "\(shown)")
    }

    @Test func `a replay to a missing extension is an error`() async throws {
        let file = try await record()
        let missing = try await annex(file.path, app.path, "--extension", "com.example.nobody")
        #expect(missing.status == 2 && missing.errors.contains(SubstituteApp.identifier), "\(missing)")
        let noApp = try await annex(file.path, folder.url.path)
        #expect(noApp.status == 2, "\(noApp)")
    }

    @Test func `a request with items is replayed with its attachments`() async throws {
        let shout = try ExampleBundles.path(of: "Shout.app")
        let host = try AnnexHost.embedded(apps: [shout], patience: .patience)
        for (name, kept) in [("whole.annexrec", 100), ("sizes.annexrec", 0)] as [(String, UInt32)] {
            let file = folder.url.appending(path: name)
            let session = try await host.begin(SubstituteApp.identifier) {
                var recording = ChannelRecording(to: file.path)
                recording.mostHandedOverBytes = kept
                $0.recording = recording
            }
            let note = ItemProvider(contents: try ItemContents(bytes: [1, 2, 3]), types: [.utf8PlainText])
            let items = [ExtensionItem(attributedContentText: AttributedText("quiet"), attachments: [note])]
            #expect(try await session.request(items, timeout: .patience).first?.contentText == "QUIET")
            _ = await session.complete()
        }
        let same = try await annex(folder.url.appending(path: "whole.annexrec").path, shout)
        #expect(same.status == 0 && same.output.contains("as recorded"), "\(same)")
        let shown = try await annex(folder.url.appending(path: "sizes.annexrec").path)
        #expect(shown.output.contains("+ 3 B handed over"), "\(shown)")
        let rejected = try await annex(folder.url.appending(path: "sizes.annexrec").path, shout)
        #expect(rejected.status == 2 && rejected.errors.contains("all 3 bytes that message"), "\(rejected)")
    }
}
