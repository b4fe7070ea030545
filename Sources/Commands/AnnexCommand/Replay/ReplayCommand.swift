import AnnexChannel
import AnnexEmbedded
import AnnexHost
import AnnexLinux
import AnnexReplay
import ArgumentParser

/// `annex replay`: shows the content of a recorded channel, or plays it to an extension.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show the recording of a channel, or play it to an extension and compare the answers.",
        discussion: """
            A host records a session with `host.begin(id) { $0.recording = ChannelRecording(to: path) }`. \
            Docs/Reference/Wire.md describes the format of the file.

            Without an app, the command shows every message of the recording. With an app, it launches the app's \
            extension in its sandbox, sends the recorded messages of the host, and compares each answer with the recorded \
            one. It prints the first difference. If a recording was cut off, its complete messages are used.

            EXAMPLES
              annex replay traffic.annexrec                    show every message
              annex replay traffic.annexrec --json | jq '.messages[] | select(.kind == "failure")'
              annex replay traffic.annexrec Pictures.app       check that the extension still answers the same

            EXIT STATUS
              0   shown; or every answer, event and call was as recorded
              1   an answer, an event or a call differs from the recording; the difference is printed
              2   the recording cannot be replayed: no such extension, no sandbox here, or too little was kept; the reason is printed
              64  the command line is not understood
              65  the file is not a recording, or it is damaged; the part before the damage is shown
              66  the file cannot be read
            """)

    @Argument(help: "The recording.", completion: .file())
    var recording: String

    @Argument(help: "The app bundle of the extension that the recording is played to.", completion: .directory)
    var app: String?

    @Option(help: "The extension's identifier. Default: the recorded one.")
    var `extension`: String?

    @Option(parsing: .unconditional, help: "Seconds to wait for each answer.")
    var patience: UInt32 = 30

    @Option(
        help: "Do without this layer if the machine cannot give it. May be given more than once.",
        transform: LayerName.read)
    var waive: [DispensableLayer] = []

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    /// The longest recording that is read, in bytes.
    static let largest = 1 << 28

    func validate() throws {
        guard app == nil, `extension` != nil else { return }
        throw ValidationError("--extension names an extension of an app: give the app bundle too")
    }

    func run() async throws {
        let recording = try read()
        guard let app else { return try show(recording) }
        SignalledExit.begin()
        if case .damaged = recording.ending { StandardError.print("annex: \(RecordingText.ending(recording))") }
        do {
            let result = try await SandboxedReplay(recording, app: app, identifier: `extension`, waiving: waive)
                .run(patience: .seconds(Int64(patience)))
            print(json ? result.json : result.text(style: Style.forStandardOutput()))
            if !result.isSame { throw ExitCode.failure }
        } catch let code as ExitCode {
            throw code
        } catch {
            StandardError.print("annex: cannot replay: \(error)")
            throw ExitCode(2)
        }
    }

    private func read() throws -> RecordingContents {
        let bytes: [UInt8]
        do {
            bytes = try FileText.bytes(of: recording, limit: Self.largest, onlyRegular: true)
        } catch {
            StandardError.print("annex: \(error)")
            throw ExitCode(66)
        }
        do {
            return try RecordingContents(reading: bytes)
        } catch {
            StandardError.print("annex: \(Escaped(recording)): \(error)")
            throw ExitCode(65)
        }
    }

    private func show(_ recording: RecordingContents) throws {
        if json {
            print(try RecordingJSON(recording).text)
        } else {
            for line in RecordingText(recording).lines(style: Style.forStandardOutput()) { print(line) }
        }
        guard case .damaged = recording.ending else { return }
        StandardError.print("annex: \(RecordingText.ending(recording))")
        throw ExitCode(65)
    }
}
