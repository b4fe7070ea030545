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
        abstract: "Show what was recorded of a channel, or play it to an extension and compare what it says.",
        discussion: """
            A host records a session by `host.begin(id) { $0.recording = ChannelRecording(to: path) }`; the file's \
            format is in Docs/Guide/Recordings.md. Without an app the recording is shown, message by message. With one, its \
            extension is launched in its sandbox, hears what the host said then, and is held to what it answered then; \
            the first difference is named. A recording that was cut off is used as far as it is whole.

            EXAMPLES
              annex replay traffic.annexrec                    what was said
              annex replay traffic.annexrec --json | jq '.messages[] | select(.kind == "failure")'
              annex replay traffic.annexrec Pictures.app       does it still say the same?

            EXIT STATUS
              0   shown; or every answer, event and call was as recorded
              1   something was not, which is printed
              2   it could not be replayed: no such extension, no sandbox here, or not enough was kept; the reason is printed
              64  the command line is not understood
              65  the file is no recording, or damaged: what is whole before the damage is shown
              66  the file cannot be read
            """)

    @Argument(help: "The recording.", completion: .file())
    var recording: String

    @Argument(help: "The app bundle whose extension is to hear it.", completion: .directory)
    var app: String?

    @Option(help: "The extension's identifier; the one that was recorded otherwise.")
    var `extension`: String?

    @Option(help: "Seconds that each answer is waited for.")
    var patience: UInt32 = 30

    @Option(
        help: "Do without this layer where the machine cannot give it; may be given more than once.",
        transform: LayerName.read)
    var waive: [DispensableLayer] = []

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    /// The longest recording that is read, in bytes.
    static let largest = 1 << 28

    func validate() throws {
        guard app == nil, `extension` != nil else { return }
        throw ValidationError("--extension names one of an app: give the app's bundle too")
    }

    func run() async throws {
        let recording = try read()
        guard let app else { return try show(recording) }
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

    private func read() throws -> Recording {
        let bytes: [UInt8]
        do {
            bytes = try FileText.bytes(of: recording, limit: Self.largest, onlyRegular: true)
        } catch {
            StandardError.print("annex: \(error)")
            throw ExitCode(66)
        }
        do {
            return try Recording(reading: bytes)
        } catch {
            StandardError.print("annex: \(Escaped(recording)): \(error)")
            throw ExitCode(65)
        }
    }

    private func show(_ recording: Recording) throws {
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
