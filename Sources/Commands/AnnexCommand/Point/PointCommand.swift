import AnnexPolicy
import AnnexRegistry
import ArgumentParser

/// `annex point`: the commands about extension points. They never launch a sandbox.
struct PointCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "point",
        abstract: "List, show and check extension points: the tasks that extensions perform for hosts.",
        discussion: """
            A point is one YAML file. It chooses the policy of its extensions, their limits, and what the user may grant \
            them. Hosts add points of their own. Docs/Guide/Points.md explains the files.

            EXAMPLES
              annex point list                                        list the built-in points
              annex point list --points ./points                      and those of a folder
              annex point show com.apple.photo-editing                print one point, with its limits
              annex point lint points/com.example.thumbnails.yaml     find mistakes in a file

            EXIT STATUS
              0   done; for lint: nothing was found
              1   for lint: warnings, but no errors
              2   a point or a policy cannot be read or used; the place and the remedy are printed
              64  the command line is not understood
            """,
        subcommands: [PointListCommand.self, PointShowCommand.self, PointLintCommand.self])
}

/// The options that choose the folders of points and policies.
struct PointChoice: ParsableArguments {
    @Option(help: "A folder of extension points, which are added to the built-in ones.", completion: .directory)
    var points: String?

    @Option(
        help: "A folder of policies. Each replaces the shipped policy of the same name. Default: ANNEX_POLICIES.",
        completion: .directory)
    var policies: String?

    @Flag(help: "Print JSON instead of text.")
    var json = false

    /// The built-in points and the points of the folder.
    func library() throws -> PointLibrary { try PointLibrary(addingIfGiven: points) }

    func policyLibrary() throws -> PolicyLibrary { try PolicyFiles(option: policies).library() }
}

extension PointLibrary {
    /// The built-in points and, if the command line names a folder, the points of that folder.
    init(addingIfGiven folder: String?) throws(PolicyError) {
        guard let folder else {
            self = .shipped
            return
        }
        try self.init(adding: folder)
    }
}

/// `annex point list`: lists all points, one in each line.
struct PointListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the extension points, each with its default and its purpose.",
        discussion: """
            Each line has the identifier, `on` or `off`, and what the point's extensions do. `on` or `off` is the default \
            for a newly installed extension, until the user switches it.

            EXAMPLES
              annex point list
              annex point list --points ./points --json | jq -r '.[].identifier'

            EXIT STATUS
              0   the points are listed
              2   a point of the folder cannot be read
              64  the command line is not understood
            """)

    @OptionGroup var choice: PointChoice

    func run() throws {
        try PolicyFailure.reported {
            let library = try choice.library()
            let points = library.names.compactMap { library.point($0) }
            if choice.json {
                return print(JSON.list(points.map { PointText.json($0, isOwn: library.isOwn($0.identifier)) }).written)
            }
            let width = (points.map(\.identifier.count).max() ?? 0) + 2
            for point in points {
                let word = point.isOnByDefault ? "on" : "off"
                print("\(point.identifier.padded(to: width))\(word.padded(to: 5))\(point.summary)")
            }
        }
    }
}

/// `annex point show`: prints one point, with the limits of its policy.
struct PointShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one extension point, with the limits that hold for its extensions.",
        discussion: """
            `annex policy explain POLICY` describes the sandbox of the point's policy.

            EXAMPLES
              annex point show com.apple.photo-editing
              annex point show com.example.thumbnails --points ./points --json

            EXIT STATUS
              0   the point is printed
              2   the point does not exist, or its file or its policy cannot be read
              64  the command line is not understood
            """)

    @Argument(help: "The identifier of an extension point.")
    var point: String

    @OptionGroup var choice: PointChoice

    func run() throws {
        try PolicyFailure.reported {
            let library = try choice.library()
            guard let point = library.point(point) else {
                throw PolicyError("unknown extension point `\(point)`", suggestion: library.nearest(to: point))
            }
            let limits = try point.limiting(choice.policyLibrary().policy(named: point.policy)).limits
            if choice.json {
                let isOwn = library.isOwn(point.identifier)
                print(PointText.json(point, isOwn: isOwn, limits: limits).written)
            } else {
                for line in PointText.lines(point, limits: limits) { print(line) }
            }
        }
    }
}
