// A fully static Swift program. The environment variable CONDUCT says what the program does. The program shows which
// calls the Swift runtime needs. CONDUCT is not an argument, because Swift reads arguments from /proc, which is
// missing here.
import Glibc

final class Box {
    var numbers: [Int] = []
    var text = ""
}

enum Refused: Error { case byName }

func allocate() -> Int {
    let box = Box()
    for number in 0..<10_000 {
        box.numbers.append(number)
        box.text += String(number, radix: 16)
    }
    var names: [String: Int] = [:]
    for number in 0..<1000 { names["name \(number)"] = number }
    var large = [UInt8](repeating: 1, count: 5_000_000)
    large.append(contentsOf: [UInt8](repeating: 2, count: 2_000_000))
    return box.text.count + names.count + large.count
}

print("allocated", allocate())
switch getenv("CONDUCT").map({ String(cString: $0) }) ?? "" {
case "clock":
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    // This sleep is part of the test. Its call must pass the filter.
    usleep(10)
    print(ContinuousClock.now, time.tv_sec)
case "random": print(Int.random(in: 0..<10), UInt64.random(in: 0...9))
case "text": print(1.5.description, Double("2.5") as Any, "ä".unicodeScalars.count, [3, 1, 2].sorted())
case "cast":
    let any: Any = 3
    let error: any Error = Refused.byName
    print(any is String, type(of: any), Box.self, error, Mirror(reflecting: error).children.count)
case "trap":
    let numbers = [1, 2, 3]
    print(numbers[Int(getpid()) + 3])
case "fatal": fatalError("on purpose")
case "abort": abort()
case "read": print(open("/etc/passwd", O_RDONLY))
case "socket": print(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
case "fork": print(posix_spawn(nil, "/bin/true", nil, nil, [nil], [nil]))
case "exec": print(execv("/bin/true", [nil]))
default: break
}
