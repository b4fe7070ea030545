internal import AnnexLinux
internal import Glibc

/// Watches what is left of the file systems that a program may write to: no kernel bounds what it writes there, and a
/// full disk stops everybody else. Looked at five times a second.
final class FreeSpaceWatch: Watched {
    static let interval = Duration.milliseconds(200)

    /// Something on one of them, held open.
    private final class Place: Sendable {
        let path: String
        let object: Descriptor
        let floor: FreeSpace

        init(_ path: String, _ object: consuming Descriptor) throws(SystemError) {
            self.path = path
            floor = try FreeSpace(at: object).floor
            self.object = object
        }
    }

    private let places: [Place]
    private let exceeded: @Sendable (String) -> Void

    /// - Parameters:
    ///   - paths: what the program may write to; one look for each file system.
    ///   - exceeded: told at most once, on the watches' thread.
    /// - Returns: nil where it may write to none.
    init?(of paths: [String], exceeded: @escaping @Sendable (String) -> Void) throws(SystemError) {
        var places: [Place] = []
        var devices: Set<UInt64> = []
        for path in paths {
            // What cannot be opened fails the launch too, which says so.
            guard let object = try? Descriptor.reference(to: path) else { continue }
            guard devices.insert(try object.status().device).inserted else { continue }
            places.append(try Place(path, object))
        }
        guard !places.isEmpty else { return nil }
        self.places = places
        self.exceeded = exceeded
    }

    func look() -> Bool {
        for place in places {
            do throws(SystemError) {
                guard let lack = try FreeSpace(at: place.object).lack(beneath: place.floor) else { continue }
                exceeded("the file system of \(place.path) has \(lack)")
            } catch {
                exceeded("what the file system of \(place.path) has left cannot be told: \(error.cause)")
            }
            return false
        }
        return true
    }
}
