import AnnexLaunch
// holds-a-sandbox COMMAND FOLDER [ARGUMENT]
//
// A host that a test can kill, or whose whole process a test can count. FOLDER contains `app/program`.
//   stay REMOVAL     launches a process that stays, prints its number, and waits to be killed
//   inherited REMOVAL  like stay, but the process prints on this program's output what it inherited
//   repeat COUNT     launches and ends COUNT processes, and prints the open resources before and after
//   crowd COUNT      keeps COUNT processes at the same time, and then ends them all
//   measure COUNT    launches COUNT processes with and without their own network, and prints the time of each step
//   signals CONDUCT  has a SIGCHLD `handler`, its own `wait` loop, SIGCHLD `ignored`, or `nothing` for children, and
//                    prints what it noticed
import AnnexLinux
import Glibc
import Synchronization

enum HoldsASandbox {
    static func run() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { exit(64) }

        let bench = Bench(folder: arguments[2])
        switch arguments[1] {
        case "stay": try bench.stay(removal: arguments[3])
        case "inherited": try bench.stay("inherited", removal: arguments[3])
        case "repeat": try bench.launchMany(Int(arguments[3]) ?? 1)
        case "crowd": try bench.crowd(Int(arguments[3]) ?? 1)
        case "measure": try bench.measure(Int(arguments[3]) ?? 1)
        case "signals": try Conduct(rawValue: arguments[3])?.watch(bench)
        default: exit(64)
        }
    }
}
