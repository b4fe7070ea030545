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
               MakeBundle make SETTINGS NAME.app          make the app, replace one that is there, and print the findings
        """

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let verb = arguments.first, let app = arguments.last else {
            fail(usage, status: 64)
        }
        do throws(BundlingError) {
            let maker = BundleMaker(try BundleRecipe(file: arguments[arguments.startIndex + 1]))
            switch verb {
            case "executables":
                for (path, name) in try maker.executables(of: app).sorted(by: { $0.key < $1.key }) {
                    print("\(path)\t\(name)")
                }
            case "make":
                let validation = try maker.make(app, replacing: true) { PointLibrary.shipped.findings(about: $0) }
                report(validation, of: app)
            default: fail(usage, status: 64)
            }
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
