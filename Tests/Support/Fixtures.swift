import AnnexLinux
public import Foundation
import Synchronization

/// The programs in `Tests/Fixtures`. Some of them have many conducts. Such a program does what the name says by which it
/// is called. A sandbox shows an extension no name of its file, so a copy for a bundle has the conduct in its bytes.
public enum Fixtures {
    /// The programs with many conducts. Each file or folder of a program's folder is one conduct.
    private static let folders = ["ExtensionFixture", "ChannelFixture", "HostFixture"]

    /// A program that a test may start: a link with the name of the conduct, or an executable product by its name.
    public static func program(_ name: String) -> URL {
        switch links {
        case .success(let links):
            links.programs[name] == nil
                ? ExampleBundles.products.appending(path: name) : links.folder.appending(path: name)
        case .failure(let error): fatalError("the links to the fixtures cannot be made: \(error)")
        }
    }

    /// Copies the program of a conduct into a bundle, or an executable product by its name.
    public static func copy(_ name: String, to target: URL) throws {
        guard let program = try links.get().programs[name] else {
            return try FileManager.default.copyProgram(at: ExampleBundles.products.appending(path: name), to: target)
        }
        try FileManager.default.copyItem(at: ExampleBundles.products.appending(path: program), to: target)
        let file = try FileHandle(forUpdating: target)
        try file.seek(toOffset: slot(of: program))
        try file.write(contentsOf: Data(name.utf8))
        try file.close()
        try FileManager.default.settleProgram(at: target)
    }

    // MARK: Links

    /// Links under the names of the conducts, and the program of each conduct. They are made once in a run and removed at
    /// the end of the run.
    private static let links = Result { try link() }

    private static func link() throws -> (folder: URL, programs: [String: String]) {
        let files = FileManager.default
        let target = files.temporaryDirectory.appending(path: "annex-fixtures-\(getpid())")
        try files.createDirectory(at: target, withIntermediateDirectories: true)
        atexit {
            let target = FileManager.default.temporaryDirectory.appending(path: "annex-fixtures-\(getpid())")
            try? FileManager.default.removeItem(at: target)
        }
        var programs: [String: String] = [:]
        for folder in folders {
            let sources = ExampleBundles.packageRoot.appending(path: "Tests/Fixtures/" + folder)
            for source in try files.contentsOfDirectory(atPath: sources.path) where source != "main.swift" {
                programs[hyphenated(source.replacingOccurrences(of: ".swift", with: ""))] = hyphenated(folder)
            }
        }
        for (conduct, program) in programs {
            try files.createSymbolicLink(
                at: target.appending(path: conduct),
                withDestinationURL: ExampleBundles.products.appending(path: program))
        }
        return (target, programs)
    }

    /// `works-on` for `WorksOn`.
    private static func hyphenated(_ name: String) -> String {
        String(name.reduce("") { $0 + ($1.isUppercase && !$0.isEmpty ? "-" : "") + $1.lowercased() })
    }

    // MARK: Slots

    private static let slots = Mutex<[String: UInt64]>([:])

    /// The place in a program that is for the name of the conduct.
    private static func slot(of program: String) throws -> UInt64 {
        try slots.withLock { slots in
            if let slot = slots[program] { return slot }
            let mark = Data(("@conduct=" + String(repeating: ".", count: 48)).utf8)
            let bytes = try Data(contentsOf: ExampleBundles.products.appending(path: program), options: .alwaysMapped)
            guard let place = bytes.range(of: mark), bytes[place.upperBound...].range(of: mark) == nil else {
                throw CocoaError(.fileReadCorruptFile)
            }
            slots[program] = UInt64(place.lowerBound + "@conduct=".utf8.count)
            return slots[program] ?? 0
        }
    }
}
