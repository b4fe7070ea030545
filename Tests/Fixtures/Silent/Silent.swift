import Glibc

/// An extension that starts and never says hello.
@main
enum Silent {
    static func main() {
        while true { sleep(3_600) }
    }
}
