import AnnexBundle
import AnnexBundling
import AnnexPolicy
import AnnexRegistry
import ArgumentParser
import Glibc

/// `annex bundle`: makes an app from a layout, built programs and settings.
struct BundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Make an app of built programs, and fill the build settings into its property lists.",
        discussion: """
            The layout is a folder that holds the app without its programs: Info.plist, PlugIns/*.appex/Info.plist, \
            resources, translations and entitlements. The command copies it, fills in placeholders such as $(PRODUCT_NAME), \
            adds the programs that CFBundleExecutable names, and validates the result as annex validate does.

            A file of settings can stand in place of the layout: a property list with the keys Folder, Programs, \
            ProgramFiles, Settings and BundleSettings. Docs/Guide/Bundles.md explains them. In a package, swift package \
            bundle-app builds the programs as well.

            EXAMPLES
              annex bundle Bundles/Words.app --programs .build/release --out Words.app
              annex bundle Words.plist --out Words.app --force           replace the app that is there
              annex bundle Layout --programs bin --out Words.app --set MARKETING_VERSION=1.4 --set WordCount.appex:PRODUCT_NAME=Count
              annex bundle Layout --programs x86_64=bin/x86 --programs aarch64=bin/arm --out Words.app

            EXIT STATUS
              0   the app is there, and has no errors; also if there are warnings and advice
              1   the app was not made, or it has an error; every finding is printed
              64  the command line is not understood
            """)

    @Argument(help: "The folder with the layout, or a file of settings.", completion: .file())
    var layout: String

    @Option(help: ArgumentHelp("The app to make. It must not exist yet.", valueName: "Name.app"))
    var out: String

    @Option(
        help: ArgumentHelp(
            "The folder with the built programs. For several processors: x86_64=folder and aarch64=folder.",
            valueName: "folder"))
    var programs: [String] = []

    @Option(
        help: ArgumentHelp(
            "The program of one bundle, if its file is not called like CFBundleExecutable. May be given more than once.",
            valueName: "Name.appex=file"))
    var program: [String] = []

    @Option(
        help: ArgumentHelp(
            "A build setting; for one bundle only: Name.appex:NAME=value. May be given more than once.",
            valueName: "NAME=value"))
    var set: [String] = []

    @Option(help: "A folder of extension points, which are added to the built-in ones.", completion: .directory)
    var points: String?

    @Flag(help: "Replace the app if it is there already. It stays as it is if the new one cannot be made.")
    var force = false

    @Flag(help: "Print the findings as one JSON object instead of text.")
    var json = false

    func validate() throws {
        guard out.hasSuffix(".app") || out.hasSuffix(".app/") else {
            throw ValidationError("--out is the app's directory, which is called Name.app")
        }
        for text in programs where text.hasPrefix("=") || text.hasSuffix("=") {
            throw ValidationError("--programs \(text): write a folder, or x86_64=folder")
        }
        for text in program where Self.pair(text) == nil {
            throw ValidationError("--program \(text): write Name.appex=file")
        }
        var recipe = BundleRecipe(folder: "")
        for text in set where !recipe.set(text) { throw ValidationError("--set \(text): write NAME=value") }
    }

    func run() throws {
        let library = try PolicyFailure.reported { try PointLibrary(addingIfGiven: points) }
        let validation: BundleValidation
        do throws(BundlingError) {
            validation = try BundleMaker(try recipe()).make(out, replacing: force) {
                library.findings(about: $0)
            }
        } catch {
            StandardError.print("annex: \(error)")
            throw ExitCode.failure
        }
        if json {
            print(FindingText.json(validation, of: out).written)
        } else {
            FindingText(style: .forStandardOutput()).show(validation, of: out)
        }
        if validation.hasErrors { throw ExitCode.failure }
    }

    private func recipe() throws(BundlingError) -> BundleRecipe {
        var status = stat()
        let isFile = stat(layout, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        var recipe = isFile ? try BundleRecipe(file: layout) : BundleRecipe(folder: layout)
        for text in programs {
            let pair = Self.pair(text) ?? (name: "", value: text)
            recipe.programs[pair.name] = pair.value
        }
        for text in program { if let pair = Self.pair(text) { recipe.files[pair.name] = pair.value } }
        for text in set { _ = recipe.set(text) }
        return recipe
    }

    /// The texts before and after the first equals sign. Nil if one of them is empty, or if there is no equals sign.
    private static func pair(_ text: String) -> (name: String, value: String)? {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, !text.hasPrefix("=") else { return nil }
        return (String(parts[0]), String(parts[1]))
    }
}
