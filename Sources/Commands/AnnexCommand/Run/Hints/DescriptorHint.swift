import Glibc

/// Explains an error about a descriptor that the caller has open and the program did not get.
enum DescriptorHint {
    static func hint(for errors: StatedErrors) -> RunHint? {
        // As shells print it: `sh: 1: 7: Bad file descriptor`.
        let error = ": bad file descriptor"
        let numbers = errors.text.ranges(of: error).compactMap { range in
            Int32(String(errors.text[..<range.lowerBound].reversed().prefix { "0"..."9" ~= $0 }.reversed()))
        }
        guard let number = numbers.last(where: { $0 > STDERR_FILENO && NamedDescriptors.isInherited($0) }) else {
            return nil
        }
        return RunHint(
            line: "the program gets your descriptors 0, 1 and 2, and others only if an argument names them: add the "
                + "argument /dev/fd/\(number) (for a script: sh -c SCRIPT sh /dev/fd/\(number))")
    }
}
