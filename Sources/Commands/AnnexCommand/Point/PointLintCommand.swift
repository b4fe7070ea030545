import AnnexPolicy
internal import AnnexPolicyTools
import AnnexRegistry
import ArgumentParser

/// `annex point lint`: finds errors and doubtful statements in files of extension points.
struct PointLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Find mistakes in the files of extension points.",
        discussion: """
            A point with an error cannot be used; a point with warnings can. Each finding names its line and a remedy. The \
            command checks the file itself, whether its policy exists and can be used, and whether the policy or a limit \
            gives extensions more than they should have.

            EXAMPLES
              annex point lint points/com.example.thumbnails.yaml
              annex point lint points/*.yaml --policies ./policies --json

            EXIT STATUS
              0   nothing was found
              1   warnings, but no errors
              2   errors
              64  the command line is not understood
            """)

    @Argument(help: "Files of extension points, each named IDENTIFIER.yaml.", completion: .file(extensions: ["yaml"]))
    var files: [String]

    @OptionGroup var choice: PointChoice

    func run() throws {
        let (library, policies) = try PolicyFailure.reported { (try choice.library(), try choice.policyLibrary()) }
        var findings: [PolicyFinding] = []
        for file in files {
            do {
                findings += PointLint.findings(
                    in: try PolicyFiles.text(of: file), file: file, library: others(than: file, in: library),
                    policies: policies)
            } catch {
                findings.append(PolicyFinding(error as? PolicyError ?? PolicyError("\(error)")))
            }
        }
        try FindingsText.show(findings, asJSON: choice.json)
    }

    /// The points with which a file must not collide. If the file lies in the folder of points, its own point is left
    /// out.
    private func others(than file: String, in library: PointLibrary) -> PointLibrary {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        guard let folder = choice.points, name.hasSuffix(".yaml"), FileText.isSame(file, as: "\(folder)/\(name)")
        else { return library }
        return library.without(String(name.dropLast(".yaml".count)))
    }
}
