/// What a program that crashed showed of itself before it was gone.
package struct Crash: Sendable, Hashable {
    /// What it was about to end by.
    package let signal: Int32
    /// Who called whom.
    package internal(set) var backtrace: Backtrace
}
