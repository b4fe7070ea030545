/// The signal and the backtrace of a program that crashed, read before the process was gone.
package struct Crash: Sendable, Hashable {
    /// The signal that was about to end the program.
    package let signal: Int32
    /// The chain of calls that led to the crash.
    package internal(set) var backtrace: Backtrace
}
