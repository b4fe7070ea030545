internal import AnnexDoctor
import AnnexEmbedded
import AnnexHost
import AnnexLaunch
import AnnexPolicy
import ArgumentParser
import Glibc

/// `annex demo`: edits one picture from start to end, then lets hostile code try its attacks.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Edit a picture in a sandbox, then stop the attacks of a hostile extension.",
        discussion: """
            The photo-editing extension decodes, edits and encodes the picture with libpng and libjpeg-turbo inside \
            its sandbox; this program decodes nothing. The result is written beside the original under a new name. No \
            existing file is replaced. Without a picture, the demo makes one in the current folder.

            After that, an extension that misbehaves tries its attacks, each in a fresh process.

            EXAMPLES
              annex demo holiday.jpg --edit grayscale   edit your picture, then run the attacks
              annex demo --picture-only broken.png      only edit your picture
              annex demo --only crashes --only floods   run two of the attacks
              annex demo --json | jq '.tries[].reason'  print the reason of each end

            EXIT STATUS
              0   the picture was edited, and every attack was stopped
              1   the picture was not edited, an attack was not stopped, or this machine cannot make a sandbox; the reason \
            is printed
              64  the command line is not understood
            """)

    @Argument(help: "A PNG or JPEG file.", completion: .file(extensions: ["png", "jpg", "jpeg"]))
    var picture: String?

    @Option(help: "The edit that is applied to the picture.")
    var edit = EditName.sepia

    @Option(help: "The app bundle with the extensions. Default: the one beside this program.", completion: .directory)
    var app: String?

    @Flag(help: "Only edit the picture.")
    var pictureOnly = false

    @Option(help: "Run only this attack. May be given more than once.")
    var only: [DemoConduct] = []

    @Option(
        help: "Do without this layer if the machine cannot give it. May be given more than once.",
        transform: LayerName.read)
    var waive: [DispensableLayer] = []

    @Flag(help: "Do without every layer that the machine cannot give. One line on stderr names what is missing.")
    var bestEffort = false

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() async throws {
        SignalledExit.begin()
        let style = Style.forStandardOutput()
        try Doctor.rejectKillingFilter()
        let waiving = try dispensable()
        let host = try openHost(patience: Self.patience, waiving: waiving)
        let printer: any DemoPrinter = json ? JSONPrinter() : TextPrinter(style: style)
        let edited = await PictureEdit(host: host, edit: edit).run(on: picture)
        printer.show(edited)
        var isWell = edited.isSuccess
        if !isWell { WaiverAdvice.give(besides: waiving) }
        if isWell && !pictureOnly { isWell = try await showTries(on: host, by: printer, waiving: waiving) }
        printer.finish()
        if !isWell { throw ExitCode.failure }
    }

    /// - Returns: whether every attack was stopped and the host still works.
    private func showTries(
        on host: AnnexHost, by printer: any DemoPrinter, waiving: Set<SandboxLayer>
    ) async throws -> Bool {
        var areHeld = true
        var descriptors = await OpenDescriptors()
        for conduct in only.isEmpty ? DemoConduct.allCases : only {
            // The launch limit must end an extension that never says hello. So its host has no patience, and
            // therefore does not lengthen the limit.
            let trial = Trial(conduct: conduct) {
                conduct == .neverSaysHello ? try openHost(patience: .zero, waiving: waiving) : host
            }
            let result = try await trial.run(countingFrom: &descriptors)
            printer.show(result)
            areHeld = areHeld && result.isHeld && result.leakedDescriptors == 0
        }
        let failure = await PictureEdit(host: host, edit: edit).runInMemory()
        printer.showHost(failure)
        return areHeld && failure == nil
    }

    /// The patience of the demo's host: the shortest limit for a launch, a request and the watchdog. It is so long
    /// that the result of an attack does not depend on the load of the machine.
    private static let patience = Duration.seconds(120)

    /// The layers that the demo does without if they are missing. With `--best-effort`, these are the layers that are
    /// missing, and one line names them.
    private func dispensable() throws -> Set<SandboxLayer> {
        let named = Set(waive.compactMap { SandboxLayer(rawValue: $0.rawValue) })
        guard bestEffort else { return named }
        let shortfall = try Shortfall.ofThisMachine()
        WaiverAdvice.announce(shortfall)
        return named.union(shortfall.layers)
    }

    private func openHost(patience: Duration, waiving: Set<SandboxLayer>) throws -> AnnexHost {
        let bundle = app ?? ExampleApp.besideThisProgram
        if app == nil && access(bundle, F_OK) != 0 {
            throw DemoFailure(
                "the example app is not built (\(bundle) is missing); in Annex's folder, run: make examples")
        }
        // The attacks make extensions fail one after another on purpose. So the host must not hold back launches after
        // failures.
        do {
            return try AnnexHost.embedded(
                apps: [bundle], waiving: Set(waiving.compactMap { DispensableLayer(rawValue: $0.rawValue) }),
                patience: patience, holdsBack: false, reports: .standard)
        } catch {
            WaiverAdvice.give(after: error.place, besides: waiving)
            throw error
        }
    }
}

/// The reason why the demo cannot begin, in one line.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Shows the demo's results as they arrive.
protocol DemoPrinter: AnyObject {
    func show(_ edit: PictureEdit.Result)
    func show(_ trial: Trial.Result)
    /// Shows at the end whether the same host can still edit a picture. If it cannot, `failure` is the reason.
    func showHost(_ failure: String?)
    func finish()
}

/// The app whose extensions the demo uses.
enum ExampleApp {
    static let editor = "com.example.pictures.editor"
    static let misbehaver = "com.example.pictures.misbehaver"
    static let silent = "com.example.pictures.silent"

    /// The path of the bundle. `make demo` puts it beside this program.
    static var besideThisProgram: String { "\(folderOfThisProgram)/Pictures.app" }

    static var folderOfThisProgram: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = program.lastIndex(of: "/") else { return "." }
        return String(program[..<slash])
    }
}
