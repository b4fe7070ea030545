package import AnnexLinux
internal import Glibc

/// Watches the free space of the file systems that a program may write to. The kernel does not limit what it writes
/// there, and a full disk stops all other programs. Checks five times a second.
package final class FreeSpaceWatch: Watched {
    package static let interval = Duration.milliseconds(200)

    /// An object on one of these file systems, held open.
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
    ///   - paths: the paths that the program may write to; each file system is checked once.
    ///   - exceeded: called at most once, on the watch thread.
    /// - Returns: nil if the program may write to no file system.
    package init?(of paths: [String], exceeded: @escaping @Sendable (String) -> Void) throws(SystemError) {
        var places: [Place] = []
        var devices: Set<UInt64> = []
        for path in paths {
            // A path that cannot be opened fails the launch too, with a message of its own.
            guard let object = try? Descriptor.reference(to: path) else { continue }
            guard devices.insert(try object.status().device).inserted else { continue }
            places.append(try Place(path, object))
        }
        guard !places.isEmpty else { return nil }
        self.places = places
        self.exceeded = exceeded
    }

    package func look() -> Bool {
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
