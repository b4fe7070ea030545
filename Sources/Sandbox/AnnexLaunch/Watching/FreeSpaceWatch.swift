package import AnnexLinux
internal import Glibc
internal import Synchronization

/// Watches the free space of the file systems that a program may write to. The kernel does not limit the bytes that the
/// program writes there, and a full disk stops all other programs. The watch checks five times a second, and more often
/// if little more than the floor is free (`DiskAlarms`).
package final class FreeSpaceWatch: Watched {
    package static let interval = Duration.milliseconds(200)

    /// An object on a watched file system, held open.
    private final class Disk: Sendable {
        let path: String
        let object: Descriptor
        let device: UInt64
        let floor: FreeSpace

        init(_ path: String, object: consuming Descriptor) throws(SystemError) {
            self.path = path
            device = try object.status().device
            floor = try FreeSpace(at: object).floor
            self.object = object
        }
    }

    private let disks: [Disk]
    private let exceeded: @Sendable (String) -> Void
    /// The alarms of these disks; empty before they could be set.
    private let alarms = Mutex<[UInt64]>([])

    /// - Parameters:
    ///   - paths: the paths that the program may write to. Each file system is checked only once.
    ///   - exceeded: called after each check that finds too little, on a thread of the watches.
    /// - Returns: nil if the program may write to no file system.
    package init?(of paths: [String], exceeded: @escaping @Sendable (String) -> Void) throws(SystemError) {
        var disks: [Disk] = []
        var devices: Set<UInt64> = []
        for path in paths {
            // If a path cannot be opened, the launch fails too, with its own message.
            guard let object = try? Descriptor.reference(to: path) else { continue }
            guard devices.insert(try object.status().device).inserted else { continue }
            disks.append(try Disk(path, object: object))
        }
        guard !disks.isEmpty else { return nil }
        self.disks = disks
        self.exceeded = exceeded
        setAlarms()
    }

    deinit {
        for alarm in alarms.withLock({ $0 }) { DiskAlarms.shared.remove(alarm) }
    }

    package func check() -> Bool {
        guard isEnough() else { return false }
        setAlarms()
        return true
    }

    private func isEnough() -> Bool {
        for disk in disks {
            do throws(SystemError) {
                guard let missing = try FreeSpace(at: disk.object).missing(beneath: disk.floor) else { continue }
                exceeded("the file system of \(disk.path) has \(missing)")
            } catch {
                exceeded("the free space of the file system of \(disk.path) cannot be read: \(error.cause)")
            }
            return false
        }
        return true
    }

    /// Lets the alarms ring as soon as less than the floor is free. Until then, the counts are read so often that the
    /// fastest program takes at most a quarter of the floor. The bytes count, because the number of files that can be
    /// made may change with the free bytes.
    private func setAlarms() {
        alarms.withLock { alarms in
            for (index, disk) in disks.enumerated() {
                if index == alarms.count, let number = try? alarm(of: disk) { alarms.append(number) }
                guard index < alarms.count, let space = try? FreeSpace(at: disk.object) else { return }
                let floor = disk.floor.bytes
                DiskAlarms.shared.set(
                    alarms[index],
                    to: WriteBounds(
                        start: WriteCounts(dirtied: 0, space: space), look: .init(leastFree: floor),
                        promise: .init(leastFree: floor - floor / 4)))
            }
        }
    }

    private func alarm(of disk: Disk) throws(SystemError) -> UInt64 {
        try DiskAlarms.shared.add(
            device: disk.device, count: { try? WriteCounts(at: disk.object) },
            ring: { [weak self] in _ = self?.check() })
    }
}

/// The free space of a file system, for users other than root.
struct FreeSpace: Hashable {
    var bytes: UInt64
    /// The size in bytes; 0 if the file system does not report it.
    var size: UInt64
    /// The number of files that can still be made.
    var files: UInt64
    /// The total number of files; 0 if the file system has no fixed number.
    var mostFiles: UInt64

    init(bytes: UInt64, size: UInt64, files: UInt64, mostFiles: UInt64) {
        self.bytes = bytes
        self.size = size
        self.files = files
        self.mostFiles = mostFiles
    }

    /// - Parameter place: any object on the file system.
    init(at place: borrowing Descriptor) throws(SystemError) {
        var status = statvfs()
        _ = try SystemError.retrying("fstatvfs") {
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            unsafe fstatvfs(place.number, &status)
        }
        let unit = UInt64(status.f_frsize)
        self.init(
            bytes: UInt64(status.f_bavail).multipliedClamped(by: unit),
            size: UInt64(status.f_blocks).multipliedClamped(by: unit), files: UInt64(status.f_favail),
            mostFiles: UInt64(status.f_files))
    }

    /// The number of files that exist; 0 if the file system has no fixed number. A file system may change the number of
    /// files that can still be made with its free bytes, but not this number.
    var usedFiles: UInt64 { mostFiles.subtractingClamped(files) }

    /// The space that a program must leave free. It is a twentieth of the total, but at most half of the present free
    /// space, and at most 1 GiB of bytes.
    var floor: FreeSpace {
        FreeSpace(
            bytes: min(1 << 30, size / 20, bytes / 2), size: size, files: min(mostFiles / 20, files / 2),
            mostFiles: mostFiles)
    }

    /// A message that names the missing space; nil if at least the floor is free.
    func missing(beneath floor: FreeSpace) -> String? {
        if bytes < floor.bytes { return "\(bytes) bytes free; \(floor.bytes) must stay free" }
        if files < floor.files { return "room for \(files) files; \(floor.files) must stay free" }
        return nil
    }
}
