/// The reason why a contestant could not be measured, in one line.
public struct RunFailure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
