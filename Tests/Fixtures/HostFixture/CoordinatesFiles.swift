// A member of a group that serves itself and uses files through coordinators. A lock of another kind on each file shows whether two
// processes ever access one item at the same time.
//
//     coordinates-files PLACE TEAM GROUP COUNT     makes COUNT random accesses, or accesses without end if COUNT is 0
//     coordinates-files PLACE TEAM GROUP full      makes one access, while no file can become larger than a page
//
// The program prints each access that it should not have got, and then exits with 3.
import AnnexGroups
import AnnexLinux
import AnnexPortal
import AnnexPortalServer
import Glibc

enum CoordinatesFiles {
    static func run() throws {
        let words = CommandLine.arguments
        let items = ["a/one", "a/two", "b/one", "b/two", "c"]
        let folders = ["", "a", "b"]

        // The files have lower numbers than the descriptor of coordination. The kernel closes the descriptors of a killed process in order. So the
        // locks that show a fault are released before the coordinated access ends.
        let container = "\(words[1])/@groups/\(words[2])/\(words[3])/container"
        let files = items.map { item in
            mkdir(container + "/a", 0o700)
            mkdir(container + "/b", 0o700)
            return open("\(container)/\(item)", O_RDWR | O_CREAT, 0o600)
        }

        let portal = try LocalPortal.open(
            "coordinates-files", groups: [GroupKey(team: words[2], identifier: words[3])], in: words[1])
        let coordinator = FileCoordinator(AppGroup(try JoinedGroup.join(words[3], through: portal)))

        func mark(_ file: Int32, as type: Int32) -> Bool {
            var range = flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
            return fcntl(file, F_SETLK, &range) == 0
        }

        func visit(_ path: String, writing: Bool) {
            let inside = zip(items, files).filter { path.isEmpty || $0.0 == path || $0.0.hasPrefix(path + "/") }
            for (item, file) in inside where !mark(file, as: writing ? F_WRLCK : F_RDLCK) {
                print("\(writing ? "wrote" : "read") \(item) beside another process")
                exit(3)
            }
            if Int.random(in: 0..<4) == 0 { usleep(UInt32.random(in: 0..<300)) }
            for (_, file) in inside { _ = mark(file, as: F_UNLCK) }
        }

        if words[4] == "full" {
            // The system call must fail, and must not end this program.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try coordinator.coordinateAndWait(writingItemAt: items[0]) { _ in }
            exit(0)
        }

        let count = Int(words[4]) ?? 0
        var done = 0
        while count == 0 || done < count {
            let path = (Int.random(in: 0..<6) == 0 ? folders : items).randomElement() ?? ""
            if Bool.random() {
                try coordinator.coordinateAndWait(readingItemAt: path, within: .seconds(600)) { _ in
                    visit(path, writing: false)
                }
            } else {
                try coordinator.coordinateAndWait(writingItemAt: path, within: .seconds(600)) { _ in
                    visit(path, writing: true)
                }
            }
            done += 1
        }
    }
}
