import Benchmark

@testable import AnnexPolicy

/// The cost of a filter at each call of an extension, and the cost of making a filter from a policy's text.
///
/// The kernel runs filters as machine code. Annex's evaluator runs them one instruction after another. So the
/// evaluator's figures can only compare filters and calls with each other. They also show the cost of a proof or an
/// explanation.
func policyBenchmarks() {
    for name in ["compute", "tool"] {
        Benchmark("filter: evaluate a hot allowed call under `\(name)`") { benchmark in
            guard let call = SystemCall(named: "write") else { return benchmark.error("no such call") }
            try evaluate(call.number, under: name, expecting: .allow, in: benchmark)
        }
        Benchmark("filter: evaluate an unlisted call under `\(name)`") { benchmark in
            // A number that no kernel uses for a system call.
            try evaluate(1023, under: name, expecting: .notify, in: benchmark)
        }
        Benchmark("policy: compile `\(name)`, text to filter", configuration: .init(scalingFactor: .one)) { benchmark in
            let texts = PolicyLibrary.shipped.allTexts
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations {
                let policy = try PolicyLibrary(texts: texts).policy(named: name)
                // `filter()` is not used here, because it keeps compiled filters.
                blackHole(try FilterCompiler(policy: policy, reporting: .denials).compile().count)
            }
        }
    }
}

private func evaluate(
    _ number: Int32, under name: String, expecting answer: FilterAnswer, in benchmark: Benchmark
) throws {
    let policy = try Policy.shipped(named: name)
    let evaluator = FilterEvaluator(program: try policy.filter().program)
    let call = FilterEvaluator.Call(
        number: number, architecture: policy.architecture.audit, arguments: [1, 4096, 0, 0, 0, 0])
    guard try evaluator.answer(to: call) == answer else { return benchmark.error("another answer than \(answer)") }
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { blackHole(try evaluator.answer(to: call)) }
}
