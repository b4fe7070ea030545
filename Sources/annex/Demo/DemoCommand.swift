import AnnexEmbedded
import AnnexHost
import ArgumentParser

/// The main job, start to end: one picture, one trusted result; then everything that hostile code may try.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Edit a picture in a sandbox, then watch an extension that misbehaves get nowhere.",
        discussion: """
            The photo-editing extension decodes, edits and encodes the picture with libpng and libjpeg-turbo inside its
            sandbox; this program decodes nothing. The result is written beside the original under a new name, never
            over an existing file. Without PICTURE the demo makes one itself, in the current folder.

            EXAMPLES
              annex demo holiday.jpg --edit grayscale
              annex demo --only crashes --only floods
              annex demo --picture-only broken.png
            """)

    @Argument(help: "A PNG or JPEG file.", completion: .file(extensions: ["png", "jpg", "jpeg"]))
    var picture: String?

    @Option(help: "The edit: sepia, grayscale or invert.")
    var edit = "sepia"

    @Option(help: "The app bundle with the extensions; the one beside this program otherwise.", completion: .directory)
    var app: String?

    @Flag(help: "Edit the picture and stop there.")
    var pictureOnly = false

    @Option(help: "Of the hostile tries, only this one; may be given more than once.")
    var only: [Conduct] = []

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() async throws {
        let style = Style.forStandardOutput()
        let host = try openHost()
        let printer: any DemoPrinter = json ? JSONPrinter() : TextPrinter(style: style)
        let edited = await PictureEdit(host: host, edit: edit).run(on: picture)
        printer.show(edited)
        if !pictureOnly {
            for conduct in only.isEmpty ? Conduct.allCases : only {
                printer.show(await Trial(host: host, conduct: conduct).run())
            }
            printer.showHost(await PictureEdit(host: host, edit: edit).runInMemory())
        }
        printer.finish()
        if case .failure = edited.outcome { throw ExitCode.failure }
    }

    private func openHost() throws -> AnnexHost {
        let bundle = app ?? ExampleApp.besideThisProgram
        do {
            return try AnnexHost.embedded(apps: [bundle])
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
