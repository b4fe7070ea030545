internal import AnnexLinux
public import Foundation

extension FileManager {
    /// Copies a program so that it can be executed at once, even if other tests fork at the same time.
    public func copyProgram(at source: URL, to target: URL) throws {
        try copyItem(at: source, to: target)
        try settleProgram(at: target)
    }

    /// Copies an app, or any folder with programs, so that the programs can be executed at once.
    public func copyApp(at source: URL, to target: URL) throws {
        try copyItem(at: source, to: target)
        for name in try subpathsOfDirectory(atPath: target.path) {
            let file = target.appending(path: name)
            let attributes = try attributesOfItem(atPath: file.path)
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
            guard attributes[.type] as? FileAttributeType == .typeRegular, mode & 0o111 != 0 else { continue }
            try settleProgram(at: file)
        }
    }

    /// Gives a file that this process has just written its mode. If others may execute it, it can be executed at once.
    public func settle(_ file: URL, mode: mode_t) throws {
        try setAttributes([.posixPermissions: NSNumber(value: mode)], ofItemAtPath: file.path)
        if mode & 0o111 != 0 { try settleProgram(at: file) }
    }

    /// Waits until a program that this process has just written can be executed.
    public func settleProgram(at place: URL) throws {
        try Descriptor.settle(program: place.path)
    }
}
