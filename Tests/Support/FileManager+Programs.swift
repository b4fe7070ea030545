internal import AnnexLinux
public import Foundation

extension FileManager {
    /// Copies a program so that it can be executed at once, even if other tests fork at the same time.
    public func copyProgram(at source: URL, to target: URL) throws {
        try copyItem(at: source, to: target)
        try settleProgram(at: target)
    }

    /// Waits until a program that this process has just written can be executed.
    public func settleProgram(at place: URL) throws {
        try Descriptor.settle(program: place.path)
    }
}
