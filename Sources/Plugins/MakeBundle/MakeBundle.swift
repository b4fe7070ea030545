import AnnexBundle
import AnnexBundling
import AnnexRegistry
import Glibc

/// The tool that the plugin BundleApp runs. The command `annex bundle` does the same for people, but its program is
/// many times as large.
@main
enum MakeBundle {
    private static let usage = """
        usage: MakeBundle executables SETTINGS NAME.app   print each bundle's directory and its program, with a tab between
               MakeBundle make SETTINGS NAME.app [POINTS] make the app, replace one that is there, and print the findings;
                                                          POINTS is a folder of extension points
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3 || arguments.count == 4 else { fail(usage, status: 64) }
        let (verb, app) = (arguments[0], arguments[2])
        let library = points(in: arguments.count == 4 ? arguments[3] : nil)
        do throws(BundlingError) {
            let maker = BundleMaker(try BundleRecipe(file: arguments[1]))
            switch verb {
            case "executables":
                for (path, name) in try maker.executables(of: app).sorted(by: { $0.key < $1.key }) {
                    print("\(path)\t\(name)")
                }
            case "make":
                let validation = try maker.make(app, replacing: true) { library.findings(about: $0) }
                report(validation, of: app)
            default: fail(usage, status: 64)
            }
        } catch {
            fail("\(error)", status: 1)
        }
    }

    /// The built-in points and those of a folder.
    private static func points(in folder: String?) -> PointLibrary {
        guard let folder else { return .shipped }
        do {
            return try PointLibrary(adding: folder)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    private static func report(_ validation: BundleValidation, of app: String) {
        for finding in validation.findings { print("\(finding)") }
        print("\(app): \(validation.count(of: .error)) errors, \(validation.count(of: .warning)) warnings")
        if validation.hasErrors { exit(1) }
    }

    private static func fail(_ text: String, status: Int32) -> Never {
        let line = Array("annex: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(status)
    }
}
